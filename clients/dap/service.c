/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON-RPC calls to ompdd. */
#include "service.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "token.h"
#include "uri.h"

#define CONNECT_PATIENCE_MS 10000

static struct json_object *make_error(const char *name, const char *text)
{
	struct json_object *error = json_object_new_object(), *data = json_object_new_object();

	dap_message_put_string(error, "message", text);
	dap_message_put_string(data, "name", name);
	json_object_object_add(error, "data", data);
	return error;
}

static void answer_call(const struct service_call *call, struct json_object *result, struct json_object *error)
{
	if (call->done)
		call->done(call->arg, result, error);
}

/* End all waiting calls: no more calls are possible. */
static void fail_calls(struct service *s, const char *why)
{
	if (s->dead)
		return;
	s->dead = text_strdup(why);
	stream_close_out(&s->stream);
	struct json_object *error = make_error("service_gone", why);
	while (s->n_calls) {
		struct service_call call = s->calls[--s->n_calls];

		loop_timer_cancel(s->loop, call.timer);
		answer_call(&call, NULL, error);
	}
	json_object_put(error);
}

static bool take_call(struct service *s, int64_t id, struct service_call *ret)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		if (s->calls[i].id != id)
			continue;
		*ret = s->calls[i];
		s->calls[i] = s->calls[--s->n_calls];
		/* Timers identify calls by their address. */
		return true;
	}
	return false;
}

static void on_message(void *arg, struct json_object *message)
{
	struct service *s = arg;
	struct json_object *result = json_read_member(message, "result"), *error = json_read_member(message, "error");
	struct service_call call;

	if (dap_message_string(message, "method")) {
		if (s->event)
			s->event(s->arg, json_read_member(message, "params"));
		return;
	}
	if (!take_call(s, dap_message_int(message, "id", 0), &call))
		return;
	loop_timer_cancel(s->loop, call.timer);
	if (json_object_is_type(result, json_type_object)) {
		answer_call(&call, result, NULL);
		return;
	}
	struct json_object *own =
		error ? NULL : make_error("bad_answer", "ompdd answered with neither result nor error");
	answer_call(&call, NULL, error ? error : own);
	json_object_put(own);
}

static void on_stream_end(void *arg, const char *why)
{
	struct service *s = arg;
	struct buf t = {0};

	text_printf(&t, "%s has closed the connection", s->conn.name ? s->conn.name : "ompdd");
	if (why)
		text_printf(&t, ": %s", why);
	fail_calls(s, t.data);
	buf_deinit(&t);
}

static void on_log(void *arg)
{
	struct service *s = arg;

	spawn_read_log(&s->conn);
	s->log.fd = s->conn.log_fd;
}

static void on_timeout(void *arg)
{
	struct service *s = arg;
	struct service_call call;
	int64_t oldest = 0;

	/* All calls have the same time limit, so the oldest one expires first. */
	for (size_t i = 0; i < s->n_calls; i++) {
		if (!oldest || s->calls[i].id < oldest)
			oldest = s->calls[i].id;
	}
	if (!take_call(s, oldest, &call))
		return;
	struct json_object *error = make_error("timeout", "ompdd has not answered in time");
	answer_call(&call, NULL, error);
	json_object_put(error);
}

static const struct advice dap_advice = {
	.not_running = "is ompdd running, and is this its address? Without \"connect\" no running ompdd is needed",
	.no_bridge = "use the daemon's unix: or tcp: address, or build ompdd with libcurl",
	.untrusted_token = "name it with \"tokenFile\" to use it anyway",
	.no_token = "\"tokenFile\", or $OMPDD_TOKEN_FILE, names the file with ompdd's token",
};

static void open_stream(struct service *s, const char *name)
{
	stream_open(&s->stream, s->loop, name, FRAMING_LINES, s->conn.fd, s->conn.fd);
	s->stream.received = on_message;
	s->stream.over = on_stream_end;
	s->stream.arg = s;
}

static void authenticate(struct service *s, const char *token)
{
	struct json_object *params = json_object_new_object();

	dap_message_put_string(params, "token", token);
	service_call(s, "rpc.authenticate", params, NULL, NULL);
}

static struct error *open_uri(struct service *s, const char *text, const char *token_file)
{
	struct bridge_options o = {.with_events = 1};
	struct uri uri = {0};
	char *token = NULL;
	struct error *f = uri_parse(text, &uri);

	if (f)
		return f;
	bool sends_token = uri_needs_authentication(&uri), has_bridge = uri_has_bridge(&uri);
	if (sends_token || (has_bridge && uri.kind != URI_HTTP_UNIX))
		f = token_find(token_file, &dap_advice, uri_scheme(&uri), &o.token_file);
	/* The bridge reads the file, too, but only its log would say why it cannot. */
	if (!f && o.token_file)
		f = token_read(o.token_file, &token);
	if (!f)
		f = has_bridge ? spawn_open_bridge(&s->conn, &uri, &o) : connection_open(&s->conn, &uri);
	uri_deinit(&uri);
	if (!f) {
		open_stream(s, "ompdd");
		if (sends_token)
			authenticate(s, token);
	}
	free(token);
	return f;
}

void service_open(struct service *s, struct loop *loop, const char *uri, const char *token_file)
{
	struct error *f = NULL;

	*s = (struct service){.loop = loop, .is_open = true, .is_private = !uri, .event = s->event, .arg = s->arg};
	connection_init(&s->conn, &dap_advice, CONNECT_PATIENCE_MS, -1);
	s->stream.in.fd = s->stream.out.fd = -1;
	if (uri)
		f = open_uri(s, uri, token_file);
	else if (!spawn_open_worker(&s->conn, -1))
		f = failure_create(ERR_CONNECT, "cannot_start", NULL,
				   "cannot start ompdd-worker: it is not installed beside ompdd-dap");
	else
		open_stream(s, "ompdd-worker");
	s->log = (struct watch){.fd = s->conn.log_fd, .events = POLLIN, .ready = on_log, .arg = s};
	loop_watch(loop, &s->log);
	if (f) {
		struct buf t = {0};

		text_add(&t, f->message);
		if (f->hint)
			text_printf(&t, "; %s", f->hint);
		fail_calls(s, t.data);
		buf_deinit(&t);
		error_destroy(f);
	}
}

void service_call(struct service *s, const char *method, struct json_object *params, service_fn *done, void *arg)
{
	struct service_call call = {.done = done, .arg = arg};

	if (s->dead || s->n_calls == SERVICE_MAX_CALLS) {
		struct json_object *error =
			s->dead ? make_error("service_gone", s->dead)
				: make_error("limit_exceeded", "too many requests wait for ompdd's answer");

		json_object_put(params);
		answer_call(&call, NULL, error);
		json_object_put(error);
		return;
	}
	call.id = ++s->last_id;
	call.timer = loop_timer(s->loop, SERVICE_PATIENCE_MS, on_timeout, s);
	s->calls[s->n_calls++] = call;
	struct json_object *request = json_object_new_object();
	dap_message_put_string(request, "jsonrpc", "2.0");
	dap_message_put_int(request, "id", call.id);
	dap_message_put_string(request, "method", method);
	json_object_object_add(request, "params", params ? params : json_object_new_object());
	stream_send(&s->stream, request);
	json_object_put(request);
}

const char *service_error_name(struct json_object *error)
{
	const char *name = json_read_string(dap_message_get(error, "data", "name", NULL));

	return name ? name : "";
}

char *service_error_text(struct json_object *error)
{
	const char *text = dap_message_string(error, "message");
	const char *hint = json_read_string(dap_message_get(error, "data", "hint", NULL));
	struct buf t = {0};

	text_add(&t, text ? text : "ompdd reports no reason");
	if (hint && *hint)
		text_printf(&t, " (%s)", hint);
	return text_take(&t);
}

void service_close(struct service *s)
{
	if (!s->is_open)
		return;
	fail_calls(s, "the session has ended");
	/* connection_close() closes the descriptor, which the stream also has. */
	s->stream.in.fd = s->stream.out.fd = s->log.fd = -1;
	s->stream.in.events = s->stream.out.events = 0;
	buf_deinit(&s->stream.input);
	buf_deinit(&s->stream.output);
	connection_close(&s->conn);
	free(s->dead);
	*s = (struct service){0};
}
