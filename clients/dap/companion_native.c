/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's native adapter: sending to it, receiving from it, and choosing it. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "format.h"
#include "message.h"

/* Requests that wait for the native adapter's first answer. */
#define MAX_EARLY 256

/* Sending */

static void send_native(struct companion *c, struct json_object *message)
{
	stream_send(&c->native.stream, message);
	/* While the native adapter does not read, stop reading from the client. */
	stream_pause(&c->s->client, stream_is_full(&c->native.stream));
}

/* Return a copy of @message with its number for the native adapter. The caller owns it. */
static struct json_object *create_numbered_copy(struct companion *c, struct json_object *message)
{
	struct json_object *copy = dap_message_copy(message);

	dap_message_put_int(copy, "seq", relay_seq(&c->relay));
	return copy;
}

/* Convert the number of the request that this one names: the client's number becomes the native adapter's. */
static void map_cancel(struct companion *c, struct json_object *copy)
{
	struct json_object *arguments = dap_message_get(copy, "arguments", NULL);
	int64_t id = dap_message_int(arguments, "requestId", 0);
	int64_t sent = relay_sent_as(&c->relay, id);

	if (!id)
		return;
	struct json_object *own = dap_message_copy(arguments);
	dap_message_put_int(own, "requestId", sent);
	json_object_object_add(copy, "arguments", own);
}

static bool forward_message(struct companion *c, struct json_object *request, struct json_object *message,
			    relay_fn *done)
{
	struct json_object *copy = create_numbered_copy(c, message);
	bool is_sent;

	if (!strcmp(dap_message_name(request), "cancel"))
		map_cancel(c, copy);
	is_sent = relay_add(&c->relay, dap_message_int(copy, "seq", 0), request, done, c);
	if (is_sent)
		send_native(c, copy);
	else
		dap_session_refuse(c->s, request, "too many requests wait for the native adapter's answer");
	json_object_put(copy);
	return is_sent;
}

void companion_forward(struct companion *c, struct json_object *request, relay_fn *done)
{
	if (c->has_native)
		forward_message(c, request, request, done);
	else
		dap_session_refuse(c->s, request, c->native_why ? c->native_why : "the native adapter has ended");
}

bool companion_forward_changed(struct companion *c, struct json_object *request, struct json_object *arguments,
			       relay_fn *done)
{
	struct json_object *changed = dap_message_copy(request);
	bool is_sent;

	json_object_object_add(changed, "arguments", arguments);
	is_sent = forward_message(c, request, changed, done);
	json_object_put(changed);
	return is_sent;
}

/* Call @done with a failure in place of an adapter that is not available, so that no caller waits forever. */
static void fail_request(relay_fn *done, void *arg)
{
	struct json_object *request = dap_message_request("", NULL);
	struct json_object *response = dap_message_failure(request, "the native adapter cannot be asked");

	if (done)
		done(arg, NULL, response);
	json_object_put(response);
	json_object_put(request);
}

void companion_ask(struct companion *c, const char *command, struct json_object *arguments, relay_fn *done, void *arg)
{
	struct json_object *message = dap_message_request(command, arguments), *copy = create_numbered_copy(c, message);

	json_object_put(message);
	if (!c->has_native || !relay_add(&c->relay, dap_message_int(copy, "seq", 0), NULL, done, arg))
		fail_request(done, arg);
	else
		send_native(c, copy);
	json_object_put(copy);
}

void companion_pass(struct companion *c, struct json_object *request, struct json_object *response)
{
	struct json_object *copy = dap_message_copy(response);

	dap_message_put_int(copy, "request_seq", dap_message_int(request, "seq", 0));
	dap_session_send(c->s, copy);
}

/* Native messages */

static void handle_response(struct companion *c, struct json_object *response)
{
	struct relay_entry entry;

	/* Ignore a response to an unknown request: the client could not use it either. */
	if (!relay_take(&c->relay, dap_message_int(response, "request_seq", 0), &entry))
		return;
	if (entry.done)
		entry.done(entry.arg, entry.request, response);
	else if (entry.request)
		companion_pass(c, entry.request, response);
	relay_entry_deinit(&entry);
}

static void handle_event(struct companion *c, struct json_object *event)
{
	const char *name = dap_message_name(event);
	struct json_object *body = dap_message_get(event, "body", NULL);

	if (!strcmp(name, "stopped")) {
		companion_stopped(c, event);
		return;
	}
	if (!strcmp(name, "exited") || !strcmp(name, "terminated"))
		steps_forget(c);
	else if (!strcmp(name, "continued"))
		companion_ran(c);
	else if (!strcmp(name, "process") &&
		 !(format_member(body, "isLocalProcess") && !dap_message_bool(body, "isLocalProcess")))
		companion_found_process(c, dap_message_int(body, "systemProcessId", 0));
	struct json_object *copy = dap_message_copy(event);
	int64_t asked = dap_message_int(body, "requestId", 0);
	if (!strcmp(name, "progressStart") && asked) {
		struct json_object *own = dap_message_copy(body);

		dap_message_put_int(own, "requestId", relay_asked_as(&c->relay, asked));
		json_object_object_add(copy, "body", own);
	}
	dap_session_send(c->s, copy);
}

/* Pass on the native adapter's own request, which the client answers (runInTerminal, startDebugging). */
static void forward_native_request(struct companion *c, struct json_object *request)
{
	struct json_object *copy = dap_message_copy(request);

	/* dap_session_send() assigns this number. */
	if (relay_add(&c->s->to_client, c->s->to_client.last_seq + 1, request, NULL, NULL)) {
		dap_session_send(c->s, copy);
		return;
	}
	json_object_put(copy);
	copy = dap_message_failure(request, "too many requests wait for the client's answer");
	dap_message_put_int(copy, "seq", relay_seq(&c->relay));
	send_native(c, copy);
	json_object_put(copy);
}

static void on_message(void *arg, struct json_object *message)
{
	struct companion *c = arg;
	enum dap_message_type type = dap_message_type(message);

	if (type == MESSAGE_RESPONSE)
		handle_response(c, message);
	else if (type == MESSAGE_EVENT)
		handle_event(c, message);
	else if (type == MESSAGE_REQUEST)
		forward_native_request(c, message);
	/* Ignore any other type: the client could not use it. */
	stream_pause(&c->native.stream, stream_is_full(&c->s->client));
}

static void on_stream_end(void *arg, const char *why)
{
	struct companion *c = arg;

	if (why) {
		text_printf(&c->native.log, "%s%s", c->native.log.len ? "\n" : "", why);
		/* It does not speak DAP: close it. */
		native_leave(&c->native);
	}
	native_bury(&c->native);
}

/* Answer all waiting requests, and end the session. */
static void on_native_end(void *arg, const char *words)
{
	struct companion *c = arg;
	struct text t = {0};

	c->has_native = false;
	if (c->s->is_leaving || c->s->mode == SESSION_OBSERVER || c->s->client.ended) {
		if (c->s->mode != SESSION_OBSERVER)
			dap_session_leave(c->s);
		return;
	}
	free(c->native_why);
	c->native_why = text_strdup(words);
	while (c->relay.n) {
		struct relay_entry e;
		bool is_goodbye;

		relay_take(&c->relay, c->relay.entries[0].seq, &e);
		is_goodbye = e.request && (!strcmp(dap_message_name(e.request), "disconnect") ||
					   !strcmp(dap_message_name(e.request), "terminate"));
		if (is_goodbye)
			dap_session_answer(c->s, e.request, NULL);
		else if (e.request)
			dap_session_refuse(c->s, e.request, words);
		else
			fail_request(e.done, e.arg);
		relay_entry_deinit(&e);
	}
	steps_forget(c);
	text_printf(&t, "%s\n", words);
	dap_session_say(c->s, "stderr", t.data);
	text_deinit(&t);
	dap_session_event(c->s, "terminated", NULL);
	companion_ran(c);
	c->s->mode = SESSION_OVER;
}

void companion_listen(struct companion *c)
{
	c->has_native = true;
	c->native.stream.received = on_message;
	c->native.stream.over = on_stream_end;
	c->native.stream.arg = c;
	c->native.ended = on_native_end;
	c->native.arg = c;
}

void companion_response(struct companion *c, struct json_object *response)
{
	struct relay_entry entry;

	if (!relay_take(&c->s->to_client, dap_message_int(response, "request_seq", 0), &entry))
		return;
	struct json_object *copy = dap_message_copy(response);
	dap_message_put_int(copy, "request_seq", entry.asked);
	dap_message_put_int(copy, "seq", relay_seq(&c->relay));
	if (c->has_native)
		send_native(c, copy);
	json_object_put(copy);
	relay_entry_deinit(&entry);
}

void companion_drop_questions(struct companion *c)
{
	struct relay_entry e;

	while (c->relay.n) {
		relay_take(&c->relay, c->relay.entries[0].seq, &e);
		if (!e.request)
			fail_request(e.done, e.arg);
		relay_entry_deinit(&e);
	}
	relay_deinit(&c->relay);
}

/* Handle the requests that came while the native adapter started. */
static void send_early(struct companion *c)
{
	struct json_object *early = c->early;

	c->early = NULL;
	for (size_t i = 0; i < dap_message_length(early); i++)
		session_request(c->s, json_object_array_get_idx(early, i));
	json_object_put(early);
}

/* Refuse @request with the reason, and end the session. */
static void refuse_begin(struct companion *c, struct json_object *request, const char *why)
{
	dap_session_refuse(c->s, request, why);
	dap_session_event(c->s, "terminated", NULL);
}

/* Report the native adapter's capabilities to the client, then forward the client's launch or attach. */
static void on_initialized(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *begins = c->begins, *before = c->capabilities;
	struct json_object *body = dap_message_get(response, "body", NULL);

	(void)request;
	/* The session is ending. */
	if (!begins)
		return;
	c->begins = NULL;
	if (!dap_message_bool(response, "success")) {
		const char *why = dap_message_string(response, "message");

		/* If the adapter has died, on_native_end() reports it, and ends the session. */
		if (c->has_native)
			refuse_begin(c, begins, why ? why : "the native adapter refuses to start");
		else
			dap_session_refuse(c->s, begins, c->native_why);
	} else {
		struct json_object *now = capabilities_with_ours(body, steps_are_offered(c));
		struct json_object *told = json_object_new_object();

		c->capabilities = json_object_get(body);
		json_object_object_add(told, "capabilities", capabilities_change(before, now));
		json_object_put(now);
		json_object_put(before);
		dap_session_event(c->s, "capabilities", told);
		companion_begin(c, begins);
	}
	json_object_put(begins);
	send_early(c);
}

static bool start_native(struct companion *c, struct json_object *wish)
{
	const char *option = c->s->options->native;
	struct json_object *named = wish ? json_object_get(wish) : option ? json_object_new_string(option) : NULL;

	if (native_open(&c->native, &c->s->loop, named, &c->native_why))
		companion_listen(c);
	json_object_put(named);
	return c->has_native;
}

void companion_choose_native(struct companion *c, struct json_object *wish, struct json_object *request)
{
	/* A fuzzer opens the native adapter itself. */
	if (!c->has_native && !start_native(c, wish)) {
		refuse_begin(c, request, c->native_why);
		return;
	}
	c->begins = json_object_get(request);
	companion_ask(c, "initialize", json_object_get(c->s->initialize), on_initialized, c);
}

bool companion_holds(struct companion *c, struct json_object *request)
{
	if (!c->begins)
		return false;
	if (!c->early)
		c->early = json_object_new_array();
	if (dap_message_length(c->early) < MAX_EARLY)
		json_object_array_add(c->early, json_object_get(request));
	else
		dap_session_refuse(c->s, request, "too many requests wait for the native adapter to start");
	return true;
}
