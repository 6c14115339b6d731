/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * JSON-RPC 2.0 messages: strict parsing of requests, and the writing of requests, responses
 * and notifications. Pure: no sockets, no OpenMP.
 */
#ifndef OMPDD_RPC_MESSAGE_H
#define OMPDD_RPC_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct json_object;

#define MESSAGE_MAX_DEPTH 32
#define MESSAGE_MAX_BATCH 64
/* The longest string id, in bytes. */
#define MESSAGE_MAX_ID 128
/* The most JSON values in one text: bounds the memory that parsing it takes. */
#define MESSAGE_MAX_VALUES 65536

/*
 * Once per process, before anything is parsed: makes json-c's hash of keys depend on a
 * per-process seed, so that nobody can choose keys that collide.
 */
void message_global_init(void);

struct message {
	struct json_object *id;	    /* string or integer; NULL in a notification; owned */
	char *method;		    /* owned */
	struct json_object *params; /* object, never NULL (absent params are an empty object); owned */
	const char *params_text; /* the same as it is in the parsed text, as long as that is there; NULL: absent, or no
				    line */
	size_t params_len;
	int64_t client; /* daemon to worker only: the connection that asks; else 0 */
};

struct message_batch {
	struct message *messages; /* as many as the batch has elements; owned, but see `one` */
	struct error **errors;	  /* errors[i] not NULL: element i is no valid request; owned */
	size_t n;
	bool is_batch; /* the text was an array: the answer must be one too */
	/* What messages and errors point to when it was not: do not copy this struct. */
	struct message one;
	struct error *one_error;
};

/*
 * Parse @text strictly (valid UTF-8, no duplicate keys, depth, integers in int64/uint64,
 * nothing behind the value). Fails as a whole with ERR_PARSE_ERROR, ERR_LIMIT_EXCEEDED (batch) or ERR_INVALID_REQUEST
 * (empty batch, neither object nor array); elements that are no request fail one by one in ret->errors, with their id
 * kept where it could be read.
 * @trusted: from our own daemon; only then is the member "client" allowed, and the params of a line that the daemon
 * forwards (message_write_request()) are not checked again.
 */
MUST_USE struct error *message_parse(const char *text, size_t len, bool trusted, struct message_batch *ret);
void message_batch_deinit(struct message_batch *b);

/* The member @name of @m's params, if it is an integer that fits; else *@ret stays as it is. */
bool message_get_integer(const struct message *m, const char *name, int64_t *ret);

/*
 * Each of these appends one JSON text (no newline, no frame) to @out.
 * @id NULL writes "id":null (the request's id could not be read).
 */
MUST_USE struct error *message_write_result(struct buf *out, struct json_object *id, struct json_object *result);
MUST_USE struct error *message_write_error(struct buf *out, struct json_object *id, const struct error *err);
MUST_USE struct error *message_write_notification(struct buf *out, const char *method, struct json_object *params);
/*
 * A request of the daemon to its worker: integer id @seq, and the asking connection @client. @params is the text of an
 * object in one line that message_parse() has checked, @method a name that dispatch_find() knows.
 */
MUST_USE struct error *message_write_request(struct buf *out, int64_t seq, int64_t client, const char *method,
					     const char *params, size_t params_len);

/* Append a response with the client's @id and a payload that message_split_response() found. */
MUST_USE struct error *message_write_raw(struct buf *out, struct json_object *id, const char *payload, size_t len);

#endif
