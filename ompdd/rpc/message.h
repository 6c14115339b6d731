/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * JSON-RPC 2.0 messages: parses requests strictly, and writes requests, responses and notifications. Pure: no sockets,
 * no OpenMP.
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
/* The maximum number of JSON values in one text: bounds the memory for parsing. */
#define MESSAGE_MAX_VALUES 65536

/*
 * Initialize the parser; call it once per process before parsing. Seeds json-c's hash of keys per process, so that a
 * client cannot choose keys that collide.
 */
void message_global_init(void);

struct message {
	struct json_object *id;	    /* string or integer; NULL in a notification; owned */
	char *method;		    /* owned */
	struct json_object *params; /* object, never NULL (absent params are an empty object); owned */
	/* the same as in the parsed text, valid as long as that; NULL: absent, or not one line */
	const char *params_text;
	size_t params_len;
	int64_t client; /* daemon to worker only: the requesting connection; else 0 */
};

struct message_batch {
	struct message *messages; /* one per element of the batch; owned, except `one` */
	struct error **errors;	  /* errors[i] not NULL: element i is not a valid request; owned */
	size_t n;
	bool is_batch; /* the text was an array: the answer must be an array, too */
	/* messages and errors point here without a batch: do not copy this struct. */
	struct message one;
	struct error *one_error;
};

/*
 * Parse @text strictly: valid UTF-8, no duplicate keys, bounded depth, integers in int64/uint64, nothing after the
 * value. @trusted: from our own daemon. Only then is the member "client" allowed, and the params of a forwarded line
 * (message_write_request()) are not checked again.
 *
 * Fails as a whole with ERR_PARSE_ERROR, ERR_LIMIT_EXCEEDED (batch) or ERR_INVALID_REQUEST (empty batch, neither object
 * nor array). Invalid elements fail individually in ret->errors; their id is kept if it could be read.
 */
MUST_USE struct error *message_parse(const char *text, size_t len, bool trusted, struct message_batch *ret);
void message_batch_deinit(struct message_batch *b);

/*
 * Get the member @name of @m's params if it is an integer in range. Otherwise returns false and leaves *@ret unchanged.
 */
bool message_get_integer(const struct message *m, const char *name, int64_t *ret);

/*
 * Each of these functions appends one JSON text (no newline, no frame) to @out. @id NULL writes "id":null: the
 * request's id could not be read.
 */
MUST_USE struct error *message_write_result(struct buf *out, struct json_object *id, struct json_object *result);
MUST_USE struct error *message_write_error(struct buf *out, struct json_object *id, const struct error *err);
MUST_USE struct error *message_write_notification(struct buf *out, const char *method, struct json_object *params);
/*
 * Append a request of the daemon to its worker: the integer id @seq, and the requesting connection @client. @params:
 * the text of an object in one line that message_parse() has checked. @method: a name that dispatch_find() knows.
 */
MUST_USE struct error *message_write_request(struct buf *out, int64_t seq, int64_t client, const char *method,
					     const char *params, size_t params_len);

/* Append a response with the client's @id and a payload from message_split_response(). */
MUST_USE struct error *message_write_raw(struct buf *out, struct json_object *id, const char *payload, size_t len);

#endif
