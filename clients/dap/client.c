/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the client. */
#include "client.h"

#include <json-c/json.h>

#include "message.h"

/* Time limit after the client has left: the native adapter exits by itself, and queued output is written. */
#define LEAVE_MS 10000
#define FLUSH_MS 20

void dap_client_init(struct dap_client *c, const struct options *options, int in, int out)
{
	*c = (struct dap_client){.options = options};
	stream_open(&c->stream, &c->loop, "the client", FRAMING_CONTENT_LENGTH, in, out);
}

void dap_client_deinit(struct dap_client *c)
{
	stream_deinit(&c->stream);
	relay_deinit(&c->relay);
	json_object_put(c->initialize);
	json_object_put(c->announced);
}

bool dap_client_can(const struct dap_client *c, const char *what)
{
	return dap_message_bool(c->initialize, what);
}

bool dap_client_can_refresh(const struct dap_client *c)
{
	return dap_client_can(c, "supportsInvalidatedEvent");
}

int dap_client_patience(const struct dap_client *c)
{
	return dap_client_can_refresh(c) ? 0 : c->options->patience_ms;
}

void dap_client_send(struct dap_client *c, struct json_object *message)
{
	dap_message_put_int(message, "seq", relay_seq(&c->relay));
	stream_send(&c->stream, message);
	json_object_put(message);
}

void dap_client_send_event(struct dap_client *c, const char *event, struct json_object *body)
{
	dap_client_send(c, dap_message_event(event, body));
}

void dap_client_answer(struct dap_client *c, struct json_object *request, struct json_object *body)
{
	dap_client_send(c, dap_message_response(request, body));
}

void dap_client_refuse(struct dap_client *c, struct json_object *request, const char *text)
{
	dap_client_send(c, dap_message_failure(request, text));
}

void dap_client_pass(struct dap_client *c, struct json_object *request, struct json_object *response)
{
	struct json_object *copy = dap_message_copy(response);

	dap_message_put_int(copy, "request_seq", dap_message_int(request, "seq", 0));
	dap_client_send(c, copy);
}

void dap_client_pass_changed(struct dap_client *c, struct json_object *request, struct json_object *response,
			     struct json_object *body)
{
	struct json_object *changed = dap_message_copy(response);

	json_object_object_add(changed, "body", body);
	dap_client_pass(c, request, changed);
	json_object_put(changed);
}

void dap_client_print(struct dap_client *c, const char *category, const char *text)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "category", category);
	dap_message_put_string(body, "output", text);
	dap_client_send_event(c, "output", body);
}

static void on_timeout(void *arg)
{
	struct dap_client *c = arg;

	loop_stop(&c->loop);
}

static void await_flush(void *arg)
{
	struct dap_client *c = arg;

	if (stream_is_flushed(&c->stream))
		loop_stop(&c->loop);
	else
		loop_timer(&c->loop, FLUSH_MS, await_flush, c);
}

void dap_client_leave(struct dap_client *c)
{
	if (c->is_leaving)
		return;
	c->is_leaving = true;
	dap_client_leave_later(c);
	await_flush(c);
}

void dap_client_leave_later(struct dap_client *c)
{
	loop_timer(&c->loop, LEAVE_MS, on_timeout, c);
}
