/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that wait for a worker, and the delivery of answers, single or in a batch. */
#ifndef OMPDD_SESSION_REQUEST_H
#define OMPDD_SESSION_REQUEST_H

#include "session/internal.h"

/* Create a request in @to->client's list. Moves @m's contents into it, on success only. */
MUST_USE struct error *request_create(struct session *s, enum request_kind kind, const struct reply_to *to,
				      struct message *m, struct request **ret);
void request_destroy(struct request *r);

/* Write a line to the audit log if @r's method is audited and its client still exists. */
void request_audit(const struct request *r, const char *outcome);

/* Abandon @r: its client is gone, so the worker's answer will be dropped. */
void request_abandon(struct request *r);

/* Answer with @err now, although a worker still has the request; drops the worker's answer later. */
void request_answer_early(struct request *r, const struct error *err);

/* Answer and destroy. */
void request_answer_error(struct request *r, const struct error *err);
void request_answer_result(struct request *r, struct json_object *result);
void request_answer_raw(struct request *r, const char *payload, size_t len);
/* Return true if a payload of message_split_response() is a "result", not an "error". */
bool payload_is_result(const char *payload, size_t len);

/* Answer a request without a struct request. @id NULL writes "id":null. */
void reply_error(struct session *s, const struct reply_to *to, struct json_object *id, const struct error *err);
void reply_result(struct session *s, const struct reply_to *to, struct json_object *id, struct json_object *result);

/* Create a batch of @n elements of @c, kept open until batch_close(). */
MUST_USE struct error *batch_create(struct client *c, size_t n, struct batch **ret);
/* Release the opener's hold; sends the array if it is complete. */
void batch_close(struct batch *b);
void batch_destroy(struct batch *b);

#endif
