/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes requests, and matches answers to them. */
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "answer.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "rpc/json_read.h"
#include "rpc/json_write.h"

/* Bytes of an invalid answer that the message shows. */
#define SHOWN_OF_GARBAGE 60

#define REPLACEMENT "\xef\xbf\xbd"

void rpc_init(struct rpc *r, const struct advice *advice, int64_t timeout_ms, int log_copy)
{
	*r = (struct rpc){0};
	connection_init(&r->conn, advice, timeout_ms, log_copy);
}

void rpc_deinit(struct rpc *r)
{
	connection_close(&r->conn);
	buf_deinit(&r->out);
	error_destroy(r->queue);
	for (int i = 0; i < RPC_MAX_REQUESTS; i++)
		json_object_put(r->slots[i].answer);
	json_object_put(r->events);
}

void rpc_restart(struct rpc *r)
{
	r->conn.deadline_ms = clock_now_ms() + r->conn.timeout_ms;
}

void rpc_want_events(struct rpc *r)
{
	r->events = json_object_new_array();
	if (!r->events && !r->queue)
		r->queue = &error_nomem;
}

static struct rpc_slot *get_slot(struct rpc *r, int id)
{
	return &r->slots[(id - 1) % RPC_MAX_REQUESTS];
}

/* Append the JSON @text. A byte that is not UTF-8 can only be in a string. */
static struct error *add_valid(struct buf *out, const char *text, size_t len)
{
	struct error *err = NULL;

	while (len && !err) {
		size_t valid = utf8_valid_length(text, len);

		err = buf_append(out, text, valid);
		if (!err && valid < len)
			err = buf_append(out, REPLACEMENT, strlen(REPLACEMENT));
		valid += valid < len;
		text += valid;
		len -= valid;
	}
	return err;
}

static struct error *write_request(struct buf *text, int id, const char *method, struct json_object *params)
{
	struct json_object *name = json_object_new_string(method);
	struct error *err = name ? buf_printf(text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":", id) : &error_nomem;

	if (!err)
		err = json_write(text, name);
	json_object_put(name);
	if (!err)
		err = buf_append(text, ",\"params\":", strlen(",\"params\":"));
	if (!err)
		err = params ? json_write(text, params) : buf_append(text, "{}", 2);
	return err ? err : buf_append(text, "}\n", 2);
}

static struct error *queue_request(struct rpc *r, const char *method, struct json_object *params)
{
	const size_t before = r->out.len;
	struct buf text = {0};

	if (get_slot(r, r->n)->id)
		return failure_create(ERR_USAGE, "too_many_requests", "wait for the answers first",
				      "more than %d requests wait for an answer", RPC_MAX_REQUESTS);
	struct error *err = write_request(&text, r->n, method, params);
	if (!err)
		err = add_valid(&r->out, text.data, text.len);
	buf_deinit(&text);
	if (err)
		r->out.len = before;
	else
		*get_slot(r, r->n) = (struct rpc_slot){.id = r->n};
	return err;
}

int rpc_request(struct rpc *r, const char *method, struct json_object *params)
{
	r->n++;
	struct error *err = queue_request(r, method, params);
	json_object_put(params);
	if (r->queue)
		error_destroy(err);
	else
		r->queue = err;
	return r->n;
}

int rpc_request_text(struct rpc *r, const char *method, const char *key, const char *value)
{
	struct json_object *params = json_object_new_object();
	struct json_object *text = params ? json_object_new_string(value) : NULL;

	if (text && json_object_object_add(params, key, text) == 0)
		return rpc_request(r, method, params);
	json_object_put(text);
	json_object_put(params);
	if (!r->queue)
		r->queue = &error_nomem;
	return ++r->n;
}

static struct error *create_bad_answer_failure(const struct rpc *r, const char *line, size_t len)
{
	char shown[SHOWN_OF_GARBAGE + 1] = "";
	size_t n = len < SHOWN_OF_GARBAGE ? len : SHOWN_OF_GARBAGE;

	/* A NUL would end the message early: replace it with another byte that is not text. */
	for (size_t i = 0; i < n; i++)
		shown[i] = line[i] ? line[i] : '\x01';
	char *text = utf8_escape(shown);
	struct error *f = text ? failure_create(ERR_CONNECT, "bad_answer", "is this an ompdd?",
						"%s does not speak JSON-RPC; it sent '%s%s'", r->conn.name, text,
						len > SHOWN_OF_GARBAGE ? "..." : "")
			       : &error_nomem;
	free(text);
	return f;
}

/* Keep an event; takes no ownership. */
static struct error *keep_event(struct rpc *r, struct json_object *event)
{
	if (!r->events || !json_object_is_type(event, json_type_object))
		return NULL;
	if (json_object_array_length(r->events) - r->n_events >= RPC_MAX_EVENTS)
		return failure_create(ERR_CONNECT, "too_many_events", "fetch the events between the calls",
				      "%s sent more than %d events that were not fetched", r->conn.name,
				      RPC_MAX_EVENTS);
	if (json_object_array_add(r->events, json_object_get(event)) == 0)
		return NULL;
	json_object_put(event);
	return &error_nomem;
}

/* Return the failure of an answer without an id, which concerns the whole connection. */
static struct error *fail_connection(const struct rpc *r, struct json_object *error)
{
	struct error *f = failure_from_answer(error);

	/* The error is from ompdctl-http or ompdctl-tls itself: it found no daemon. */
	if (r->conn.is_bridge && f != &error_nomem)
		f->code = ERR_CONNECT;
	return f;
}

/* Store the answer under its id. */
static struct error *take_answer(struct rpc *r, const char *line, size_t len)
{
	struct json_object *answer = answer_parse(line, len);
	struct json_object *error = json_read_member(answer, "error");
	struct json_object *id_value = json_read_member(answer, "id");
	int64_t id = json_read_int(id_value, -1);
	struct rpc_slot *slot = id >= 1 && id <= r->n ? get_slot(r, (int)id) : NULL;
	struct error *f = NULL;

	if (json_read_string(json_read_member(answer, "method")) && !id_value) {
		f = keep_event(r, json_read_member(answer, "params"));
	} else if (!id_value && json_object_is_type(error, json_type_object)) {
		f = fail_connection(r, error);
	} else if (slot && slot->id == id && !slot->answer) {
		slot->answer = answer;
		return NULL;
	} else if (slot && slot->id != id && r->n_abandoned) {
		r->n_abandoned--;
	} else {
		f = create_bad_answer_failure(r, line, len);
	}
	json_object_put(answer);
	return f;
}

static struct error *send_output(struct rpc *r)
{
	struct error *f = r->queue;

	r->queue = NULL;
	return f ? f : connection_send(&r->conn, &r->out);
}

static struct error *take_line(struct rpc *r)
{
	const char *line;
	size_t len;
	struct error *f = connection_receive(&r->conn, &line, &len);

	return f || !len ? f : take_answer(r, line, len);
}

/* Return whether the deadline has passed, and no line waits for take_line(). */
static bool is_late(const struct rpc *r)
{
	return clock_now_ms() >= r->conn.deadline_ms && !connection_has_line(&r->conn);
}

/* Free the fetched events once all are fetched. Returns whether one waits. */
static bool has_event(struct rpc *r)
{
	if (r->n_events < json_object_array_length(r->events))
		return true;
	if (r->n_events)
		json_object_array_del_idx(r->events, 0, r->n_events);
	r->n_events = 0;
	return false;
}

struct error *rpc_next_event_until(struct rpc *r, int64_t deadline_ms, struct json_object **ret)
{
	bool is_over = false;

	r->conn.deadline_ms = deadline_ms;
	struct error *f = send_output(r);
	while (!f && !is_over && !has_event(r)) {
		f = take_line(r);
		is_over = !f && is_late(r);
	}
	rpc_restart(r);
	if (connection_is_timeout(f)) {
		error_destroy(f);
		f = NULL;
	}
	if (!f)
		*ret = has_event(r) ? json_object_get(json_object_array_get_idx(r->events, r->n_events++)) : NULL;
	return f;
}

struct error *rpc_next_event(struct rpc *r, struct json_object **ret)
{
	return rpc_next_event_until(r, INT64_MAX, ret);
}

void rpc_abandon(struct rpc *r, int id)
{
	struct rpc_slot *slot = get_slot(r, id);

	if (slot->id != id)
		return;
	if (!slot->answer)
		r->n_abandoned++;
	json_object_put(slot->answer);
	*slot = (struct rpc_slot){0};
}

struct error *rpc_wait(struct rpc *r, int id, struct json_object **ret)
{
	struct rpc_slot *slot = get_slot(r, id);
	struct error *f = send_output(r);

	while (!f && !slot->answer) {
		f = take_line(r);
		/* A daemon that sends events without end does not extend the time limit. */
		if (!f && !slot->answer && is_late(r))
			f = connection_time_out(&r->conn);
	}
	if (f)
		return f;
	struct json_object *answer = slot->answer;
	struct json_object *error = json_read_member(answer, "error");
	struct json_object *result = json_read_member(answer, "result");

	*slot = (struct rpc_slot){0};
	if (json_object_is_type(error, json_type_object)) {
		f = failure_from_answer(error);
	} else if (!json_object_is_type(result, json_type_object)) {
		const char *text = json_object_to_json_string(answer);

		f = create_bad_answer_failure(r, text, strlen(text));
	} else {
		if (ret)
			*ret = json_object_get(result);
	}
	json_object_put(answer);
	return f;
}
