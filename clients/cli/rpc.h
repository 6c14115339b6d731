/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC requests and their answers, several under way at once. */
#ifndef OMPDD_CLI_RPC_H
#define OMPDD_CLI_RPC_H

#include "conn.h"

struct json_object;

#define RPC_MAX_REQUESTS 8

struct rpc {
	struct conn conn;
	struct text out;			       /* requests that are not sent yet */
	int n;					       /* requests so far; ids are 1 to n */
	struct json_object *answers[RPC_MAX_REQUESTS]; /* of the last requests: that of id at (id - 1) % max */
	struct json_object *events;		       /* an array of those not fetched; NULL: nobody wants them */
	size_t n_events;			       /* of it, already fetched */
};

void rpc_init(struct rpc *r, long timeout_s, int verbose);
void rpc_deinit(struct rpc *r);

/* From now on the time limit counts anew. */
void rpc_restart(struct rpc *r);

/* Keep the params of notifications for rpc_next_event(); from before the first request. */
void rpc_want_events(struct rpc *r);
/* The next one, an object that the caller owns. Waits for ever. */
struct failure *rpc_next_event(struct rpc *r, struct json_object **ret);

/* Queue a request; it is sent with the next rpc_wait(). Takes ownership of @params. Returns its id.
 */
int rpc_request(struct rpc *r, const char *method, struct json_object *params);

/*
 * Wait for the answer to request @id. On success the caller owns *@ret, an object; NULL: it wants none. EXIT_ANSWER
 * when the daemon answered with an error, EXIT_CONNECT when it did not answer.
 */
struct failure *rpc_wait(struct rpc *r, int id, struct json_object **ret);

#endif
