/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asynchronous calls to ompdd: to our own worker, or to a daemon at a URI. */
#ifndef OMPDD_DAP_SERVICE_H
#define OMPDD_DAP_SERVICE_H

#include "connection.h"
#include "stream.h"

struct json_object;

#define SERVICE_MAX_CALLS 64
/* Time limit of an answer. A profile of a large program has the same limit as a list. */
#define SERVICE_PATIENCE_MS 30000

/* Gets @result of a successful call, otherwise @error, an object with at least `message`, and `data`. Both are
 * borrowed. */
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
	struct connection conn;
	struct stream stream;
	struct watch log;
	bool is_open, is_private;
	char *dead; /* why no more calls are possible; NULL: they are possible */
	int64_t last_id;
	struct service_call calls[SERVICE_MAX_CALLS];
	size_t n_calls;
	/* Gets the params of an `event` notification; borrowed. NULL: events are ignored. */
	void (*event)(void *arg, struct json_object *params);
	void *arg;
};

/*
 * Start our own worker (@uri NULL), or connect to the daemon at @uri, with the token in @token_file if that is not
 * NULL. The first call reports any failure. The caller zeroes @s first.
 */
void service_open(struct service *s, struct loop *loop, const char *uri, const char *token_file);

/* Call @method; takes ownership of @params. @done is called once, and never from within this call, unless no more
 * calls are possible. */
void service_call(struct service *s, const char *method, struct json_object *params, service_fn *done, void *arg);

/* Return the text of @error for the user: what is wrong, and the hint. The caller frees it. */
char *service_error_text(struct json_object *error);
/* Return the stable name of @error, or "" if it has none; borrowed. */
const char *service_error_name(struct json_object *error);

/* End the service: waiting calls fail. Waits until our own worker has exited. */
void service_close(struct service *s);

#endif
