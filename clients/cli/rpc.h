/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC requests and their answers, several under way at once; called by main(). */
#ifndef OMPDD_CLI_RPC_H
#define OMPDD_CLI_RPC_H

#include "conn.h"

struct json_object;

#define RPC_MAX_REQUESTS 8

struct rpc {
	struct conn conn;
	struct text out;				   /* requests that are not sent yet */
	int n;						   /* requests so far; ids are 1 to n */
	struct json_object *answers[RPC_MAX_REQUESTS + 1]; /* by id */
};

void rpc_init(struct rpc *r, long timeout_s, int verbose);
void rpc_deinit(struct rpc *r);

/* Queue a request; it is sent with the next rpc_wait(). Takes ownership of @params. Returns its id.
 */
int rpc_request(struct rpc *r, const char *method, struct json_object *params);

/*
 * Wait for the answer to request @id. On success the caller owns *@ret, an object. EXIT_ANSWER
 * when the daemon answered with an error, EXIT_CONNECT when it did not answer.
 */
struct failure *rpc_wait(struct rpc *r, int id, struct json_object **ret);

#endif
