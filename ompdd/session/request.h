/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that wait for a worker, and the delivery of answers, alone or in a batch. */
#ifndef OMPDD_SESSION_REQUEST_H
#define OMPDD_SESSION_REQUEST_H

#include "session/internal.h"

/* Move @m's contents (on success only) into a request in @to->client's list. */
MUST_USE struct error *request_create(struct session *s, enum request_kind kind, const struct reply_to *to,
				      struct message *m, struct request **ret);
void request_destroy(struct request *r);

/* A line in the audit log, if @r is one of those that leave one, and its client is still there. */
void request_audit(const struct request *r, const char *outcome);

/* Nobody waits for it any more: what the worker answers will be thrown away. */
void request_abandon(struct request *r);

/* Answer with @err now, although a worker still has it; later answers are thrown away. */
void request_answer_early(struct request *r, const struct error *err);

/* Answer and destroy. */
void request_answer_error(struct request *r, const struct error *err);
void request_answer_result(struct request *r, struct json_object *result);
void request_answer_raw(struct request *r, const char *payload, size_t len);
/* Whether a payload of message_split_response() is a "result" and not an "error". */
bool payload_is_result(const char *payload, size_t len);

/* Answer a request that never became a struct request. @id NULL writes "id":null. */
void reply_error(struct session *s, const struct reply_to *to, struct json_object *id, const struct error *err);
void reply_result(struct session *s, const struct reply_to *to, struct json_object *id, struct json_object *result);

/* A batch of @n elements of @c, held open until batch_close(). */
MUST_USE struct error *batch_create(struct client *c, size_t n, struct batch **ret);
/* Drop the opener's hold; sends the array when all is answered already. */
void batch_close(struct batch *b);
void batch_destroy(struct batch *b);

#endif
