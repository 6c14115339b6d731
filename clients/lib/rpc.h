/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC requests and their answers, several in flight at once. */
#ifndef OMPDD_LIB_RPC_H
#define OMPDD_LIB_RPC_H

#include "connection.h"

struct json_object;

#define RPC_MAX_REQUESTS 8

struct rpc {
	struct connection conn;
	struct buf out;				       /* requests not sent yet */
	int n;					       /* number of requests so far; ids are 1 to n */
	struct json_object *answers[RPC_MAX_REQUESTS]; /* of the last requests: the answer to id is at (id - 1) % max */
	struct json_object *events; /* array of the events not fetched; NULL: events are not wanted */
	size_t n_events;	    /* number of those already fetched */
};

void rpc_init(struct rpc *r, long timeout_s, int verbose);
void rpc_deinit(struct rpc *r);

/* Restart the time limit. */
void rpc_restart(struct rpc *r);

/* Keep the params of notifications for rpc_next_event(). Call it before the first request. */
void rpc_want_events(struct rpc *r);
/* Wait without limit for the next event, an object that the caller owns. */
struct error *rpc_next_event(struct rpc *r, struct json_object **ret);

/* Queue a request; it is sent with the next rpc_wait(). Takes ownership of @params. Returns its id.
 */
int rpc_request(struct rpc *r, const char *method, struct json_object *params);

/*
 * Wait for the answer to request @id. On success the caller owns *@ret, an object; @ret NULL discards it. Fails with
 * ERR_ANSWER when the daemon answered with an error, ERR_CONNECT when it did not answer.
 */
struct error *rpc_wait(struct rpc *r, int id, struct json_object **ret);

#endif
