/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes requests, and matches answers to them. */
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "format.h"

/* Bytes of an invalid answer that the message shows. */
#define SHOWN_OF_GARBAGE 60

void rpc_init(struct rpc *r, long timeout_s, int verbose)
{
	*r = (struct rpc){0};
	connection_init(&r->conn, timeout_s, verbose);
}

void rpc_deinit(struct rpc *r)
{
	connection_close(&r->conn);
	buf_deinit(&r->out);
	for (int i = 0; i < RPC_MAX_REQUESTS; i++)
		json_object_put(r->answers[i]);
	json_object_put(r->events);
}

void rpc_restart(struct rpc *r)
{
	r->conn.deadline_ms = clock_now_ms() + r->conn.timeout_s * 1000;
}

void rpc_want_events(struct rpc *r)
{
	r->events = json_object_new_array();
}

static struct json_object **get_answer(struct rpc *r, int id)
{
	return &r->answers[(id - 1) % RPC_MAX_REQUESTS];
}

int rpc_request(struct rpc *r, const char *method, struct json_object *params)
{
	struct json_object *request = json_object_new_object();

	r->n++;
	/* A programming error: too many requests at once, or an answer that was not fetched. */
	if (*get_answer(r, r->n))
		abort();
	json_object_object_add(request, "jsonrpc", json_object_new_string("2.0"));
	json_object_object_add(request, "id", json_object_new_int(r->n));
	json_object_object_add(request, "method", json_object_new_string(method));
	json_object_object_add(request, "params", params);
	format_json(&r->out, request, 0);
	json_object_put(request);
	return r->n;
}

static struct error *create_bad_answer_failure(const struct rpc *r, const char *line, size_t len)
{
	struct buf shown = {0};
	struct error *f;

	text_add_bytes(&shown, line, len < SHOWN_OF_GARBAGE ? len : SHOWN_OF_GARBAGE);
	/* A NUL would end the message early: replace it with another byte that is not text. */
	for (size_t i = 0; i < shown.len; i++) {
		if (!shown.data[i])
			shown.data[i] = '\x01';
	}
	f = failure_create(ERR_CONNECT, "bad_answer", "is this an ompdd?", "%s does not speak JSON-RPC; it sent '%s%s'",
			   r->conn.name, shown.data, len > SHOWN_OF_GARBAGE ? "..." : "");
	buf_deinit(&shown);
	return f;
}

/* Store the answer under its id. An answer without an id concerns the whole connection. */
static struct error *take_answer(struct rpc *r, const char *line, size_t len)
{
	struct json_object *answer = answer_parse(line, len);
	struct json_object *error = json_read_member(answer, "error");
	struct json_object *id_value = json_read_member(answer, "id");
	int64_t id = json_read_int(id_value, -1);
	struct error *f = NULL;

	if (json_read_string(json_read_member(answer, "method")) && !id_value) {
		if (r->events)
			json_object_array_add(r->events, json_object_get(json_read_member(answer, "params")));
		json_object_put(answer);
		return NULL;
	}
	if (!id_value && json_object_is_type(error, json_type_object)) {
		f = failure_from_answer(error);
		/* The error is from ompdctl-http or ompdctl-tls itself: it found no daemon. */
		if (r->conn.is_bridge)
			f->code = ERR_CONNECT;
	} else if (id < 1 || id > r->n || id <= r->n - RPC_MAX_REQUESTS || *get_answer(r, (int)id)) {
		f = create_bad_answer_failure(r, line, len);
	}
	if (f) {
		json_object_put(answer);
		return f;
	}
	*get_answer(r, (int)id) = answer;
	return NULL;
}

static struct error *send_output(struct rpc *r)
{
	struct error *f = r->out.len ? connection_send(&r->conn, r->out.data, r->out.len) : NULL;

	if (!f)
		r->out.len = 0;
	return f;
}

static struct error *take_line(struct rpc *r)
{
	const char *line;
	size_t len;
	struct error *f = connection_receive(&r->conn, &line, &len);

	return f || !len ? f : take_answer(r, line, len);
}

struct error *rpc_next_event(struct rpc *r, struct json_object **ret)
{
	struct error *f = send_output(r);

	while (!f && r->n_events == json_object_array_length(r->events)) {
		if (r->n_events) {
			json_object_array_del_idx(r->events, 0, r->n_events);
			r->n_events = 0;
		}
		r->conn.deadline_ms = INT64_MAX;
		f = take_line(r);
	}
	rpc_restart(r);
	if (!f)
		*ret = json_object_get(json_object_array_get_idx(r->events, r->n_events++));
	return f;
}

struct error *rpc_wait(struct rpc *r, int id, struct json_object **ret)
{
	struct json_object **slot = get_answer(r, id);
	struct error *f = send_output(r);

	while (!f && !*slot)
		f = take_line(r);
	if (f)
		return f;
	struct json_object *answer = *slot;
	struct json_object *error = json_read_member(answer, "error");
	struct json_object *result = json_read_member(answer, "result");

	*slot = NULL;
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
