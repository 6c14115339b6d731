/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's side of a session, and the choice of its handler. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "companion.h"
#include "format.h"
#include "message.h"
#include "observer.h"

/* Time limit after the client has left: the native adapter exits by itself, and queued output is written. */
#define LEAVE_MS 10000

void dap_session_send(struct dap_session *s, struct json_object *message)
{
	dap_message_put_int(message, "seq", relay_seq(&s->to_client));
	stream_send(&s->client, message);
	json_object_put(message);
}

void dap_session_event(struct dap_session *s, const char *event, struct json_object *body)
{
	dap_session_send(s, dap_message_event(event, body));
}

void dap_session_answer(struct dap_session *s, struct json_object *request, struct json_object *body)
{
	dap_session_send(s, dap_message_response(request, body));
}

void dap_session_refuse(struct dap_session *s, struct json_object *request, const char *text)
{
	dap_session_send(s, dap_message_failure(request, text));
}

void dap_session_say(struct dap_session *s, const char *category, const char *text)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "category", category);
	dap_message_put_string(body, "output", text);
	dap_session_event(s, "output", body);
}

bool dap_session_client_can(const struct dap_session *s, const char *what)
{
	return dap_message_bool(s->initialize, what);
}

static void on_timeout(void *arg)
{
	struct dap_session *s = arg;

	loop_stop(&s->loop);
}

static void await_flush(void *arg)
{
	struct dap_session *s = arg;

	if (stream_is_flushed(&s->client))
		loop_stop(&s->loop);
	else
		loop_timer(&s->loop, 20, await_flush, s);
}

void dap_session_leave(struct dap_session *s)
{
	if (s->is_leaving)
		return;
	s->is_leaving = true;
	loop_timer(&s->loop, LEAVE_MS, on_timeout, s);
	await_flush(s);
}

static bool is_observer_wanted(const struct dap_session *s, struct json_object *arguments)
{
	const char *mode = dap_message_string(arguments, "mode");

	return s->options->observe || (mode && (!strcmp(mode, "observe") || !strcmp(mode, "stop")));
}

static void handle_initialize(struct dap_session *s, struct json_object *request)
{
	json_object_put(s->initialize);
	s->initialize = json_object_get(dap_message_get(request, "arguments", NULL));
	/* Only launch or attach chooses the handler: an event reports its capabilities then. */
	struct json_object *body = s->options->observe ? capabilities_of_observer(true) : capabilities_before_choice();
	json_object_put(s->companion->capabilities);
	s->companion->capabilities = json_object_get(body);
	dap_session_answer(s, request, body);
}

static void begin_observer(struct dap_session *s, struct json_object *request)
{
	struct json_object *body = json_object_new_object(), *now = capabilities_of_observer(observer_stops(request));

	s->mode = SESSION_OBSERVER;
	json_object_object_add(body, "capabilities", capabilities_change(s->companion->capabilities, now));
	json_object_put(now);
	dap_session_event(s, "capabilities", body);
	observer_begin(s->observer, request);
}

/* Settings of launch and attach that we read. Others are for the native adapter, which has types of its own. */
static const struct setting {
	const char *name;
	bool is_observers; /* a companion passes it on unchanged */
	json_type type;
	const char *wanted;
} own_settings[] = {
	{"mode", false, json_type_string, "one of companion, observe, stop"},
	{"pid", false, json_type_int, "a number without quotes, the id of a process"},
	{"coreFile", true, json_type_string, "the path of a core file"},
	{"program", true, json_type_string, "the path of a program"},
	{"sysroot", true, json_type_string, "the path of a folder"},
	{"cwd", true, json_type_string, "the path of a folder"},
	{"args", true, json_type_array, "a list of strings"},
	{"env", true, json_type_object, "an object of strings"},
	{"stopOnEntry", true, json_type_boolean, "true or false"},
	{"connect", true, json_type_string, "the address of an ompdd"},
	{"tokenFile", true, json_type_string, "the path of a file"},
};

static bool is_command(struct json_object *value)
{
	bool is_list = json_object_is_type(value, json_type_array) && dap_message_length(value);

	for (size_t i = 0; is_list && i < dap_message_length(value); i++)
		is_list = json_object_is_type(json_object_array_get_idx(value, i), json_type_string);
	return is_list || json_object_is_type(value, json_type_string);
}

/* Check the types of settings: one of a wrong type would be silently ignored. Returns false if @request is refused. */
static bool check_settings(struct dap_session *s, struct json_object *request, struct json_object *arguments)
{
	struct json_object *native = format_member(arguments, "nativeAdapter");
	bool observes = is_observer_wanted(s, arguments);

	for (size_t i = 0; i < sizeof(own_settings) / sizeof(own_settings[0]); i++) {
		const struct setting *one = &own_settings[i];
		struct json_object *value = format_member(arguments, one->name);
		struct text t = {0};

		if (!value || (one->is_observers && !observes) || json_object_is_type(value, one->type))
			continue;
		text_printf(&t, "\"%s\" must be %s, not ", one->name, one->wanted);
		text_add_safe(&t, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), 1);
		dap_session_refuse(s, request, t.data);
		text_deinit(&t);
		return false;
	}
	if (native && !is_command(native)) {
		dap_session_refuse(s, request,
				   "\"nativeAdapter\" must be a path, or a list of a program and its arguments");
		return false;
	}
	return true;
}

static void begin_session(struct dap_session *s, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	struct json_object *wish = format_member(arguments, "nativeAdapter");
	const char *mode = dap_message_string(arguments, "mode");

	if (!check_settings(s, request, arguments))
		return;
	if (mode && strcmp(mode, "observe") != 0 && strcmp(mode, "stop") != 0 && strcmp(mode, "companion") != 0) {
		dap_session_refuse(s, request, "\"mode\" is one of companion, observe, stop");
		return;
	}
	if (is_observer_wanted(s, arguments)) {
		begin_observer(s, request);
		return;
	}
	s->mode = SESSION_COMPANION;
	companion_choose_native(s->companion, wish, request);
}

static void end_session(struct dap_session *s, struct json_object *request)
{
	dap_session_answer(s, request, NULL);
	dap_session_leave(s);
}

void session_request(struct dap_session *s, struct json_object *request)
{
	const char *command = dap_message_name(request);
	bool begins = !strcmp(command, "launch") || !strcmp(command, "attach");

	if (s->mode == SESSION_OVER) {
		if (!strcmp(command, "disconnect") || !strcmp(command, "terminate"))
			end_session(s, request);
		else
			dap_session_refuse(s, request, s->companion->native_why);
	} else if (!strcmp(command, "initialize") && s->mode == SESSION_NEW) {
		handle_initialize(s, request);
	} else if (s->mode == SESSION_NEW && begins) {
		begin_session(s, request);
	} else if (s->mode == SESSION_OBSERVER) {
		observer_request(s->observer, request);
	} else if (companion_holds(s->companion, request)) {
		return;
	} else if (!s->companion->has_native && !strcmp(command, "disconnect")) {
		end_session(s, request);
	} else {
		companion_request(s->companion, request);
	}
}

static void on_message(void *arg, struct json_object *message)
{
	struct dap_session *s = arg;
	enum dap_message_type type = dap_message_type(message);

	if (type == MESSAGE_REQUEST)
		session_request(s, message);
	else if (type == MESSAGE_RESPONSE)
		companion_response(s->companion, message);
	/* Clients send no other types. */
}

static void on_client_end(void *arg, const char *why)
{
	struct dap_session *s = arg;

	if (why)
		dap_session_say(s, "stderr", why);
	if (s->mode != SESSION_OBSERVER && s->companion->has_native) {
		/* The native adapter handles the program as it does when its client exits. */
		native_leave(&s->companion->native);
		loop_timer(&s->loop, LEAVE_MS, on_timeout, s);
		return;
	}
	dap_session_leave(s);
}

void dap_session_init(struct dap_session *s, const struct options *options, int in, int out)
{
	*s = (struct dap_session){.options = options};
	s->companion = text_calloc(1, sizeof(*s->companion));
	s->observer = observer_create();
	companion_init(s->companion, s);
	observer_init(s->observer, s);
	stream_open(&s->client, &s->loop, "the client", FRAMING_CONTENT_LENGTH, in, out);
	s->client.received = on_message;
	s->client.over = on_client_end;
	s->client.arg = s;
}

void dap_session_deinit(struct dap_session *s)
{
	companion_deinit(s->companion);
	observer_destroy(s->observer);
	free(s->companion);
	stream_deinit(&s->client);
	relay_deinit(&s->to_client);
	json_object_put(s->initialize);
}

int dap_session_run(const struct options *options, int in, int out)
{
	struct dap_session s;

	dap_session_init(&s, options, in, out);
	loop_run(&s.loop);
	dap_session_deinit(&s);
	return 0;
}
