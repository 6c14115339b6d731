/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC requests and their answers, several in flight at once. */
#ifndef OMPDD_LIB_RPC_H
#define OMPDD_LIB_RPC_H

#include "connection.h"

struct json_object;

#define RPC_MAX_REQUESTS 8
/* Events that may wait for rpc_next_event(). */
#define RPC_MAX_EVENTS 65536

/* A request whose answer is not fetched yet. */
struct rpc_slot {
	int id;			    /* 0: the slot is free */
	struct json_object *answer; /* NULL: it has not arrived; owned */
};

struct rpc {
	struct connection conn;
	struct buf out;				 /* requests not sent yet */
	int n;					 /* number of requests so far; ids are 1 to n */
	int n_abandoned;			 /* requests whose answer is dropped when it arrives */
	struct error *queue;			 /* the failure of rpc_request(), for the next rpc_wait(); owned */
	struct rpc_slot slots[RPC_MAX_REQUESTS]; /* the request @id has the slot (id - 1) % max */
	struct json_object *events;		 /* array of the events not fetched; NULL: events are not wanted */
	size_t n_events;			 /* number of those already fetched */
};

/* @timeout_ms and @log_copy as in connection_init(). */
void rpc_init(struct rpc *r, const struct advice *advice, int64_t timeout_ms, int log_copy);
void rpc_deinit(struct rpc *r);

/* Restart the time limit. */
void rpc_restart(struct rpc *r);

/* Keep the params of notifications for rpc_next_event(). Call it before the first request. */
void rpc_want_events(struct rpc *r);
/* Wait without limit for the next event, an object that the caller owns. */
struct error *rpc_next_event(struct rpc *r, struct json_object **ret);
/* Wait for the next event until @deadline_ms (clock_now_ms()); *@ret is NULL if none arrived. */
struct error *rpc_next_event_until(struct rpc *r, int64_t deadline_ms, struct json_object **ret);

/*
 * Queue a request; it is sent with the next rpc_wait(), which also returns why a request cannot be queued. Takes
 * ownership of @params; NULL: no params. A byte that is not UTF-8 is sent as U+FFFD. Returns the id.
 */
int rpc_request(struct rpc *r, const char *method, struct json_object *params);
/* The same with the only param @key, the string @value. */
int rpc_request_text(struct rpc *r, const char *method, const char *key, const char *value);

/*
 * Wait for the answer to request @id. On success the caller owns *@ret, an object; @ret NULL discards it. Fails with
 * ERR_ANSWER when the daemon answered with an error, ERR_CONNECT when it did not answer.
 */
struct error *rpc_wait(struct rpc *r, int id, struct json_object **ret);

/* Drop the answer to request @id when it arrives, after rpc_wait() timed out. */
void rpc_abandon(struct rpc *r, int id);

#endif
