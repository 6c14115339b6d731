/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The native adapter as a peer: requests to it, its responses, events and requests. */
#include "adapter.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

bool adapter_can(const struct adapter *a, const char *what)
{
	return dap_message_bool(a->capabilities, what);
}

bool adapter_is_lldb(const struct adapter *a)
{
	return a->process.kind == NATIVE_LLDB;
}

/* Sending */

static void send_message(struct adapter *a, struct json_object *message)
{
	stream_send(&a->process.stream, message);
	/* While the native adapter does not read, stop reading from the client. */
	stream_pause(&a->client->stream, stream_is_full(&a->process.stream));
}

/* Return a copy of @message with its number for the native adapter. The caller owns it. */
static struct json_object *create_numbered_copy(struct adapter *a, struct json_object *message)
{
	struct json_object *copy = dap_message_copy(message);

	dap_message_put_int(copy, "seq", relay_seq(&a->relay));
	return copy;
}

/* Convert the number of the request that this one names: the client's number becomes the native adapter's. */
static void map_cancel(struct adapter *a, struct json_object *copy)
{
	struct json_object *arguments = dap_message_get(copy, "arguments", NULL);
	int64_t id = dap_message_int(arguments, "requestId", 0);
	int64_t sent = relay_number_of(&a->relay, id);

	if (!id)
		return;
	struct json_object *own = dap_message_copy(arguments);
	dap_message_put_int(own, "requestId", sent);
	json_object_object_add(copy, "arguments", own);
}

static bool forward_message(struct adapter *a, struct json_object *request, struct json_object *message, relay_fn *done,
			    void *arg)
{
	struct json_object *copy = create_numbered_copy(a, message);
	bool is_sent;

	if (!strcmp(dap_message_name(request), "cancel"))
		map_cancel(a, copy);
	is_sent = relay_add(&a->relay, dap_message_int(copy, "seq", 0), request, done, arg);
	if (is_sent)
		send_message(a, copy);
	else
		dap_client_refuse(a->client, request,
				  "cannot forward the request: too many requests wait for the native adapter's answer");
	json_object_put(copy);
	return is_sent;
}

void adapter_forward(struct adapter *a, struct json_object *request, relay_fn *done, void *arg)
{
	if (a->is_open)
		forward_message(a, request, request, done, arg);
	else
		dap_client_refuse(a->client, request, a->why ? a->why : "the native adapter has exited");
}

bool adapter_forward_changed(struct adapter *a, struct json_object *request, struct json_object *arguments,
			     relay_fn *done, void *arg)
{
	struct json_object *changed = dap_message_copy(request);
	bool is_sent;

	json_object_object_add(changed, "arguments", arguments);
	is_sent = forward_message(a, request, changed, done, arg);
	json_object_put(changed);
	return is_sent;
}

/* Call @done with a failure in place of an adapter that is not available, so that no caller waits forever. */
static void fail_request(relay_fn *done, void *arg)
{
	struct json_object *request = dap_message_request("", NULL);
	struct json_object *response = dap_message_failure(request, "the native adapter is not available");

	if (done)
		done(arg, NULL, response);
	json_object_put(response);
	json_object_put(request);
}

void adapter_ask(struct adapter *a, const char *command, struct json_object *arguments, relay_fn *done, void *arg)
{
	struct json_object *message = dap_message_request(command, arguments), *copy = create_numbered_copy(a, message);

	json_object_put(message);
	if (!a->is_open || !relay_add(&a->relay, dap_message_int(copy, "seq", 0), NULL, done, arg))
		fail_request(done, arg);
	else
		send_message(a, copy);
	json_object_put(copy);
}

void adapter_evaluate(struct adapter *a, const char *command, relay_fn *done, void *arg)
{
	struct json_object *arguments = json_object_new_object();

	dap_message_put_string(arguments, "expression", command);
	dap_message_put_string(arguments, "context", "repl");
	adapter_ask(a, "evaluate", arguments, done, arg);
}

const char *adapter_printed(struct json_object *response)
{
	return json_read_string(dap_message_get(response, "body", "result", NULL));
}

void adapter_continue(struct adapter *a, int64_t thread, relay_fn *done, void *arg)
{
	struct json_object *arguments = json_object_new_object();

	dap_message_put_int(arguments, "threadId", thread);
	adapter_ask(a, "continue", arguments, done, arg);
}

void adapter_request_stack(struct adapter *a, int64_t thread, int64_t levels, relay_fn *done, void *arg)
{
	struct json_object *arguments = json_object_new_object();

	dap_message_put_int(arguments, "threadId", thread);
	dap_message_put_int(arguments, "startFrame", 0);
	dap_message_put_int(arguments, "levels", levels);
	adapter_ask(a, "stackTrace", arguments, done, arg);
}

void adapter_respond(struct adapter *a, struct json_object *response)
{
	struct relay_entry entry;

	if (!relay_take(&a->client->relay, dap_message_int(response, "request_seq", 0), &entry))
		return;
	struct json_object *copy = dap_message_copy(response);
	dap_message_put_int(copy, "request_seq", entry.original);
	dap_message_put_int(copy, "seq", relay_seq(&a->relay));
	if (a->is_open)
		send_message(a, copy);
	json_object_put(copy);
	relay_entry_deinit(&entry);
}

/* Receiving */

static void handle_response(struct adapter *a, struct json_object *response)
{
	struct relay_entry entry;

	/* Ignore a response to an unknown request: the client could not use it either. */
	if (!relay_take(&a->relay, dap_message_int(response, "request_seq", 0), &entry))
		return;
	if (entry.done)
		entry.done(entry.arg, entry.request, response);
	else if (entry.request)
		dap_client_pass(a->client, entry.request, response);
	relay_entry_deinit(&entry);
}

/* Convert the number of the request whose progress the event reports into the client's. */
static struct json_object *map_progress(struct adapter *a, struct json_object *event)
{
	struct json_object *body = dap_message_get(event, "body", NULL), *copy = dap_message_copy(event);
	int64_t sent = dap_message_int(body, "requestId", 0);

	if (sent) {
		struct json_object *own = dap_message_copy(body);

		dap_message_put_int(own, "requestId", relay_original_of(&a->relay, sent));
		json_object_object_add(copy, "body", own);
	}
	return copy;
}

static void handle_event(struct adapter *a, struct json_object *event)
{
	struct json_object *copy =
		strcmp(dap_message_name(event), "progressStart") != 0 ? json_object_get(event) : map_progress(a, event);

	a->event(a->arg, copy);
	json_object_put(copy);
}

/* Pass on the native adapter's own request, which the client answers (runInTerminal, startDebugging). */
static void forward_native_request(struct adapter *a, struct json_object *request)
{
	struct json_object *copy = dap_message_copy(request);

	/* dap_client_send() assigns this number. */
	if (relay_add(&a->client->relay, a->client->relay.last_seq + 1, request, NULL, NULL)) {
		dap_client_send(a->client, copy);
		return;
	}
	json_object_put(copy);
	copy = dap_message_failure(request,
				   "cannot forward the request: too many requests wait for the client's answer");
	dap_message_put_int(copy, "seq", relay_seq(&a->relay));
	send_message(a, copy);
	json_object_put(copy);
}

static void on_message(void *arg, struct json_object *message)
{
	struct adapter *a = arg;
	enum dap_message_type type = dap_message_type(message);

	if (type == MESSAGE_RESPONSE)
		handle_response(a, message);
	else if (type == MESSAGE_EVENT)
		handle_event(a, message);
	else if (type == MESSAGE_REQUEST)
		forward_native_request(a, message);
	/* Ignore any other type: the client could not use it. */
	stream_pause(&a->process.stream, stream_is_full(&a->client->stream));
}

size_t adapter_hit_breakpoints(struct json_object *body, int64_t *ids, size_t max)
{
	struct json_object *listed = dap_message_array(body, "hitBreakpointIds");
	const char *at = dap_message_string(body, "description");
	size_t n = 0;

	for (size_t i = 0; i < dap_message_length(listed) && n < max; i++)
		ids[n++] = json_read_int(json_object_array_get_idx(listed, i), 0);
	/* Without a list, lldb's description has the numbers: "breakpoint 2.1". */
	if (n || !at || strncmp(at, "breakpoint ", 11) != 0)
		return n;
	for (at += 11; *at && n < max;) {
		char *end;
		int64_t id = strtoll(at, &end, 10);

		if (end == at)
			break;
		ids[n++] = id;
		at = end + strspn(end, ".0123456789");
		at += strspn(at, " ");
	}
	return n;
}

/* Start and end */

static void on_stream_end(void *arg, const char *why)
{
	struct adapter *a = arg;

	if (why) {
		text_printf(&a->process.log, "%s%s", a->process.log.len ? "\n" : "", why);
		/* It does not speak DAP: close it. */
		native_leave(&a->process);
	}
	native_bury(&a->process);
}

static bool is_goodbye(struct json_object *request)
{
	const char *command = dap_message_name(request);

	return !strcmp(command, "disconnect") || !strcmp(command, "terminate");
}

/* Answer the requests that wait, because the adapter has exited as @words say. */
static void answer_waiting(struct adapter *a, const char *words)
{
	while (a->relay.n) {
		struct relay_entry e;

		relay_take(&a->relay, a->relay.entries[0].seq, &e);
		if (!e.request)
			fail_request(e.done, e.arg);
		else if (is_goodbye(e.request))
			dap_client_answer(a->client, e.request, NULL);
		else
			dap_client_refuse(a->client, e.request, words);
		relay_entry_deinit(&e);
	}
}

static void on_process_end(void *arg, const char *words)
{
	struct adapter *a = arg;

	a->is_open = false;
	if (a->has_left || a->client->is_leaving || a->client->stream.ended) {
		dap_client_leave(a->client);
		return;
	}
	free(a->why);
	a->why = text_strdup(words);
	answer_waiting(a, words);
	a->ended(a->arg, words);
}

bool adapter_open(struct adapter *a, struct json_object *choice)
{
	const char *option = a->client->options->native;
	struct json_object *named = choice ? json_object_get(choice) : option ? json_object_new_string(option) : NULL;

	if (native_open(&a->process, &a->client->loop, named, &a->why))
		adapter_listen(a);
	json_object_put(named);
	return a->is_open;
}

void adapter_listen(struct adapter *a)
{
	a->is_open = true;
	a->process.stream.received = on_message;
	a->process.stream.over = on_stream_end;
	a->process.stream.arg = a;
	a->process.ended = on_process_end;
	a->process.arg = a;
}

void adapter_close(struct adapter *a)
{
	if (a->is_open && a->has_left)
		native_replace(&a->process);
	a->is_open = false;
}

void adapter_deinit(struct adapter *a)
{
	struct relay_entry e;

	native_deinit(&a->process);
	while (a->relay.n) {
		relay_take(&a->relay, a->relay.entries[0].seq, &e);
		if (!e.request)
			fail_request(e.done, e.arg);
		relay_entry_deinit(&e);
	}
	relay_deinit(&a->relay);
	json_object_put(a->capabilities);
	free(a->why);
}
