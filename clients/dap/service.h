/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is asked of ompdd: of a worker alone that is ours, or of a daemon at a URI, while the loop goes on. */
#ifndef OMPDD_DAP_SERVICE_H
#define OMPDD_DAP_SERVICE_H

#include "conn.h"
#include "stream.h"

struct json_object;

#define SERVICE_MAX_CALLS 64
/* How long an answer may take. A profile of a large program is asked for in the same way as a list. */
#define SERVICE_PATIENCE_MS 30000

/* @result of a call that went well, else @error, an object with `message` at least, and `data`. Both are borrowed. */
typedef void service_fn(void *arg, struct json_object *result, struct json_object *error);

struct service_call {
	int64_t id;
	uint64_t timer;
	struct service *service;
	service_fn *done;
	void *arg;
};

struct service {
	struct loop *loop;
	struct conn conn;
	struct stream stream;
	struct watch log;
	bool is_open, is_private;
	char *dead; /* why nothing can be asked any more; NULL: it can */
	int64_t last_id;
	struct service_call calls[SERVICE_MAX_CALLS];
	size_t n_calls;
	/* An `event` notification's params; borrowed. NULL: nobody wants them. */
	void (*event)(void *arg, struct json_object *params);
	void *arg;
};

/*
 * Start the worker that belongs to us (@uri NULL), or connect to the daemon at @uri, with the token in @token_file if
 * that is not NULL. What does not work is said by the first call. @s is zeroed before.
 */
void service_open(struct service *s, struct loop *loop, const char *uri, const char *token_file);

/* Ask; takes @params. @done is called once, never from within this call, unless nothing can be asked. */
void service_call(struct service *s, const char *method, struct json_object *params, service_fn *done, void *arg);

/* Text of @error for people: what is wrong, and the hint. The caller frees it. */
char *service_error_text(struct json_object *error);
/* Its stable name, "" when there is none; borrowed. */
const char *service_error_name(struct json_object *error);

/* End it: those who wait are told, and a private one is seen to its end. */
void service_close(struct service *s);

#endif
