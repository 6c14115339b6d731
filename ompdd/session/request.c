/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that wait for a worker, and the delivery of answers, single or in a batch. */
#include "session/request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/audit.h"
#include "base/clock.h"
#include "base/log.h"
#include "session/recent.h"

/* Copy the params for the worker. json-c writes them only if the client's text has several lines. */
static bool copy_params(struct request *r, const struct message *m)
{
	const char *text = m->params_text;
	size_t len = m->params_len;

	if (!text)
		text = json_object_to_json_string_length(m->params,
							 JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	r->params = text ? malloc(len) : NULL;
	if (!r->params)
		return false;
	memcpy(r->params, text, len);
	r->params_len = len;
	return true;
}

/* Return max_age_ms, or 0 for any invalid value: the worker rejects it. */
static int64_t get_max_age(const struct message *m)
{
	struct json_object *age;

	if (!json_object_object_get_ex(m->params, "max_age_ms", &age) || !json_object_is_type(age, json_type_int))
		return 0;
	int64_t ms = json_object_get_int64(age);
	return ms > 0 && ms <= RECENT_AGE_MS ? ms : 0;
}

struct error *request_create(struct session *s, enum request_kind kind, const struct reply_to *to, struct message *m,
			     struct request **ret)
{
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		return &error_nomem;
	if (kind != REQUEST_POLL && !copy_params(r, m)) {
		free(r);
		return &error_nomem;
	}
	list_init(&r->client_link);
	list_init(&r->target_link);
	r->session = s;
	r->kind = kind;
	r->to = *to;
	r->client_id = client_owner(to->client)->id;
	if (kind == REQUEST_FORWARD)
		r->max_age_ms = get_max_age(m);
	r->received_us = s->received_us;
	r->id = m->id;
	r->method = m->method;
	const struct method *method = dispatch_find(m->method);
	r->is_audited = method && method->is_audited;
	json_object_put(m->params);
	*m = (struct message){0};
	if (r->to.batch && r->id)
		r->to.batch->waiting++;
	list_append(&r->to.client->requests, &r->client_link);
	r->to.client->in_flight++;
	s->n_pending++;
	*ret = r;
	return NULL;
}

void request_destroy(struct request *r)
{
	if (!r)
		return;
	request_abandon(r);
	r->session->n_pending--;
	list_remove(&r->target_link);
	json_object_put(r->id);
	free(r->params);
	free(r->method);
	free(r);
}

void request_audit(const struct request *r, const char *outcome)
{
	const struct client *c = r->to.client;

	if (!r->is_audited || !c)
		return;
	audit_write(&(struct audit_entry){
		.uid = c->peer.uid,
		.pid = c->peer.pid,
		.program = c->peer.program,
		.method = r->method,
		.target = *r->target ? r->target : NULL,
		.target_pid = r->target_pid,
		.outcome = outcome,
	});
}

void request_abandon(struct request *r)
{
	if (!r->to.client)
		return;
	list_remove(&r->client_link);
	r->to.client->in_flight--;
	r->to.client = NULL;
	r->to.batch = NULL;
}

/*
 * Replace the answer in s->scratch by an error if it exceeds the client's limit. Short answers always fit: errors that
 * report the limit are short.
 */
static void limit_answer(struct client *c, struct json_object *id)
{
	struct buf *scratch = &c->session->scratch;
	size_t queued = c->ops->queued ? c->ops->queued(c->conn) : 0;
	size_t len = scratch->len;

	if (len <= LIMIT_OUTPUT_SMALL || queued + c->held + len <= LIMIT_OUTPUT)
		return;
	_cleanup_error_ struct error *err = error_create(
		ERR_LIMIT_EXCEEDED, "an answer of %zu bytes does not fit into the output queue, which has %zu already",
		len, queued + c->held);

	error_hint(err, "read the answers faster, or ask for less in one request or batch");
	error_detail(err, "limit", "output");
	scratch->len = scratch->start = 0;
	error_destroy(message_write_error(scratch, id, err));
}

static void answer_free(struct client *c, struct answer *a)
{
	c->held -= a->len;
	free(a->text);
	*a = (struct answer){0};
}

static void batch_send(struct batch *b)
{
	struct client *c = b->client;
	struct session *s = c->session;
	struct error *err = NULL;
	bool any = false;

	list_remove(&b->link); /* the client may count as idle at delivery */
	s->scratch.len = s->scratch.start = 0;
	for (size_t i = 0; !err && i < b->n; i++) {
		if (b->answers[i].len == 0)
			continue;
		err = buf_append(&s->scratch, any ? "," : "[", 1);
		if (!err)
			err = buf_append(&s->scratch, b->answers[i].text, b->answers[i].len);
		answer_free(c, &b->answers[i]);
		any = true;
	}
	if (!err && any)
		err = buf_append(&s->scratch, "]", 1);
	if (err)
		client_send_error(c, err);
	else if (any)
		c->ops->send(c->conn, buf_head(&s->scratch), s->scratch.len);
	error_destroy(err);
	buf_consume(&s->scratch, s->scratch.len);
	batch_destroy(b);
	client_flush_events(c);
}

/* Store the answer in s->scratch as an element of @b. Allocates the exact size: the answer may wait for long. */
static void batch_add(struct batch *b, size_t index)
{
	const struct buf *scratch = &b->client->session->scratch;
	struct answer *a = &b->answers[index];

	a->text = scratch->len ? malloc(scratch->len) : NULL;
	if (!a->text)
		return; /* out of memory: this answer is missing */
	memcpy(a->text, buf_head(scratch), scratch->len);
	a->len = scratch->len;
	b->client->held += a->len;
}

/* Send the answer in s->scratch to @to. @err: the error of writing it, or NULL. */
static void deliver_answer(struct session *s, const struct reply_to *to, struct json_object *id, struct error *err)
{
	struct batch *b = to->batch;

	if (err) {
		/* Out of memory even for a short answer: close the connection, so that the client notices. */
		log_err(LOG_ERROR, err, "client %lld", (long long)to->client->id);
		error_destroy(err);
		to->client->ops->finish(to->client->conn);
		s->scratch.len = 0;
	}
	if (s->scratch.len)
		limit_answer(to->client, id);
	if (b)
		batch_add(b, to->index);
	else if (s->scratch.len)
		to->client->ops->send(to->client->conn, buf_head(&s->scratch), s->scratch.len);
	buf_consume(&s->scratch, s->scratch.len);
	if (!b)
		return;
	if (--b->waiting == 0)
		batch_send(b);
}

static void count_time(struct session *s, int64_t received_us)
{
	histogram_add(&s->stats.request_time, clock_now_us() - received_us);
}

static void count_error(struct session *s, const struct error *err)
{
	if (error_is(err, ERR_REQUEST_CANCELLED))
		s->stats.requests_cancelled++;
	else if (error_is(err, ERR_REQUEST_TIMEOUT))
		s->stats.requests_timeout++;
	else
		s->stats.requests_error++;
}

/*
 * In a batch, reply_*() serve elements without a place in it, so they add one. request_create() has already added the
 * place for request_*().
 */
void reply_error(struct session *s, const struct reply_to *to, struct json_object *id, const struct error *err)
{
	count_error(s, err);
	count_time(s, s->received_us);
	if (to->batch)
		to->batch->waiting++;
	s->scratch.len = s->scratch.start = 0;
	deliver_answer(s, to, id, message_write_error(&s->scratch, id, err));
}

void client_send_error(struct client *c, const struct error *err)
{
	c->session->received_us = clock_now_us();
	reply_error(c->session, &(struct reply_to){.client = c}, NULL, err);
}

void reply_result(struct session *s, const struct reply_to *to, struct json_object *id, struct json_object *result)
{
	s->stats.requests_ok++;
	count_time(s, s->received_us);
	if (to->batch)
		to->batch->waiting++;
	s->scratch.len = s->scratch.start = 0;
	deliver_answer(s, to, id, message_write_result(&s->scratch, id, result));
}

/* Remove the request from its client's list, so that the client may count as idle at delivery. */
static bool request_finish(struct request *r, struct reply_to *to_ret)
{
	*to_ret = r->to;
	request_abandon(r);
	if (!to_ret->client || !r->id)
		return false;
	if (r->kind != REQUEST_POLL)
		count_time(r->session, r->received_us);
	return true;
}

void request_answer_early(struct request *r, const struct error *err)
{
	struct session *s = r->session;
	struct reply_to to;

	request_audit(r, error_name(err));
	if (!request_finish(r, &to))
		return;
	count_error(s, err);
	s->scratch.len = s->scratch.start = 0;
	deliver_answer(s, &to, r->id, message_write_error(&s->scratch, r->id, err));
}

void request_answer_error(struct request *r, const struct error *err)
{
	request_answer_early(r, err);
	request_destroy(r);
}

void request_answer_result(struct request *r, struct json_object *result)
{
	struct session *s = r->session;
	struct reply_to to;

	request_audit(r, "ok");
	if (request_finish(r, &to)) {
		s->stats.requests_ok++;
		s->scratch.len = s->scratch.start = 0;
		deliver_answer(s, &to, r->id, message_write_result(&s->scratch, r->id, result));
	}
	request_destroy(r);
}

bool payload_is_result(const char *payload, size_t len)
{
	return len > 2 && payload[1] == 'r';
}

/* Read the outcome from the worker's answer: an error has a name, which our own code wrote. */
static void audit_payload(const struct request *r, const char *payload, size_t len)
{
	static const char key[] = "\"name\":\"";
	char name[64] = "error";
	const char *at = memmem(payload, len, key, sizeof(key) - 1);

	if (payload_is_result(payload, len)) {
		request_audit(r, "ok");
		return;
	}
	if (at) {
		at += sizeof(key) - 1;
		size_t n = 0, left = len - (size_t)(at - payload);

		while (n < left && n < sizeof(name) - 1 && (isalnum((unsigned char)at[n]) || at[n] == '_'))
			n++;
		memcpy(name, at, n);
		name[n] = '\0';
	}
	request_audit(r, name);
}

void request_answer_raw(struct request *r, const char *payload, size_t len)
{
	struct session *s = r->session;
	struct reply_to to;

	if (r->is_audited)
		audit_payload(r, payload, len);
	if (request_finish(r, &to)) {
		if (payload_is_result(payload, len))
			s->stats.requests_ok++;
		else
			s->stats.requests_error++;
		s->scratch.len = s->scratch.start = 0;
		deliver_answer(s, &to, r->id, message_write_raw(&s->scratch, r->id, payload, len));
	}
	request_destroy(r);
}

struct error *batch_create(struct client *c, size_t n, struct batch **ret)
{
	struct batch *b = calloc(1, sizeof(*b) + n * sizeof(b->answers[0]));

	if (!b)
		return &error_nomem;
	b->client = c;
	b->n = n;
	b->waiting = 1;
	list_append(&c->batches, &b->link);
	*ret = b;
	return NULL;
}

void batch_close(struct batch *b)
{
	if (--b->waiting == 0)
		batch_send(b);
}

void batch_destroy(struct batch *b)
{
	list_remove(&b->link);
	for (size_t i = 0; i < b->n; i++)
		answer_free(b->client, &b->answers[i]);
	free(b);
}
