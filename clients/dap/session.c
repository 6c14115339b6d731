/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests of the client to the chosen handler. */
#include "session.h"

#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "format.h"
#include "message.h"

/* Requests that wait while the companion starts. */
#define MAX_EARLY 256

static bool is_observer_wanted(const struct dap_session *s, struct json_object *arguments)
{
	const char *mode = dap_message_string(arguments, "mode");

	return s->client.options->observe || (mode && (!strcmp(mode, "observe") || !strcmp(mode, "stop")));
}

static void handle_initialize(struct dap_session *s, struct json_object *request)
{
	struct dap_client *client = &s->client;

	json_object_put(client->initialize);
	client->initialize = json_object_get(dap_message_get(request, "arguments", NULL));
	json_object_put(client->announced);
	/* Only launch or attach chooses the handler: an event reports its capabilities then. */
	client->announced = client->options->observe ? capabilities_of_observer(true) : capabilities_before_choice();
	dap_client_answer(client, request, json_object_get(client->announced));
}

static void begin_observer(struct dap_session *s, struct json_object *request)
{
	s->mode = SESSION_OBSERVER;
	capabilities_announce(&s->client, capabilities_of_observer(observer_stops(request)));
	observer_begin(&s->observer, request);
}

/* Settings of launch and attach that we read. Others are for the native adapter, which has types of its own. */
static const struct setting {
	const char *name;
	bool is_observers; /* a companion passes it on unchanged */
	json_type type;
	const char *wanted;
} own_settings[] = {
	{"mode", false, json_type_string, "one of companion, observe, stop"},
	{"pid", false, json_type_int, "the id of a process, a number without quotes"},
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
	struct json_object *native = json_read_member(arguments, "nativeAdapter");
	bool observes = is_observer_wanted(s, arguments);

	for (size_t i = 0; i < sizeof(own_settings) / sizeof(own_settings[0]); i++) {
		const struct setting *one = &own_settings[i];
		struct json_object *value = json_read_member(arguments, one->name);
		struct buf t = {0};

		if (!value || (one->is_observers && !observes) || json_object_is_type(value, one->type))
			continue;
		text_printf(&t, "\"%s\" must be %s, not ", one->name, one->wanted);
		text_add_safe(&t, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), 1);
		dap_client_refuse(&s->client, request, t.data);
		buf_deinit(&t);
		return false;
	}
	if (native && !is_command(native)) {
		dap_client_refuse(&s->client, request,
				  "\"nativeAdapter\" must be a path, or a list of a program and its arguments");
		return false;
	}
	return true;
}

/* Launch in mode stop: no native adapter is installed. */
static void launch_without_native(struct dap_session *s, struct json_object *request, struct json_object *arguments)
{
	struct json_object *copy = dap_message_copy(request), *changed = dap_message_copy(arguments);

	dap_client_print(&s->client, "console",
			 "no native debug adapter is installed (lldb-dap, lldb-vscode, or gdb 14 and later): this "
			 "session uses mode stop, without the program's variables\n");
	dap_message_put_string(changed, "mode", "stop");
	json_object_object_add(copy, "arguments", changed);
	if (check_settings(s, copy, changed))
		begin_observer(s, copy);
	json_object_put(copy);
}

static void begin_session(struct dap_session *s, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	struct json_object *choice = json_read_member(arguments, "nativeAdapter");
	const char *mode = dap_message_string(arguments, "mode");
	bool is_launch = !strcmp(dap_message_name(request), "launch");

	if (!check_settings(s, request, arguments))
		return;
	if (mode && strcmp(mode, "observe") != 0 && strcmp(mode, "stop") != 0 && strcmp(mode, "companion") != 0) {
		dap_client_refuse(&s->client, request, "\"mode\" must be one of companion, observe, stop");
		return;
	}
	if (is_observer_wanted(s, arguments)) {
		begin_observer(s, request);
		return;
	}
	if (is_launch && !mode && !choice && !s->client.options->native && !native_is_installed()) {
		launch_without_native(s, request, arguments);
		return;
	}
	s->mode = SESSION_COMPANION;
	companion_begin(&s->companion, choice, request);
}

static void end_session(struct dap_session *s, struct json_object *request)
{
	dap_client_answer(&s->client, request, NULL);
	dap_client_leave(&s->client);
}

/* Keep @request until the companion has started: the order of requests is preserved. */
static void keep_request(struct dap_session *s, struct json_object *request)
{
	if (!s->early)
		s->early = json_object_new_array();
	if (dap_message_length(s->early) < MAX_EARLY)
		json_object_array_add(s->early, json_object_get(request));
	else
		dap_client_refuse(&s->client, request,
				  "cannot keep the request: too many requests wait for the native adapter to start");
}

static void handle_request(struct dap_session *s, struct json_object *request)
{
	const char *command = dap_message_name(request);
	bool is_disconnect = !strcmp(command, "disconnect");

	if (s->mode == SESSION_OVER && (is_disconnect || !strcmp(command, "terminate")))
		end_session(s, request);
	else if (s->mode == SESSION_OVER)
		dap_client_refuse(&s->client, request, s->companion.adapter.why);
	else if (s->mode == SESSION_NEW && !strcmp(command, "initialize"))
		handle_initialize(s, request);
	else if (s->mode == SESSION_NEW && (!strcmp(command, "launch") || !strcmp(command, "attach")))
		begin_session(s, request);
	else if (s->mode == SESSION_OBSERVER)
		observer_request(&s->observer, request);
	else if (companion_is_starting(&s->companion))
		keep_request(s, request);
	else if (is_disconnect && !s->companion.adapter.is_open)
		end_session(s, request);
	else
		companion_request(&s->companion, request);
}

static void on_started(void *arg)
{
	struct dap_session *s = arg;
	struct json_object *early = s->early;

	s->early = NULL;
	for (size_t i = 0; i < dap_message_length(early); i++)
		handle_request(s, json_object_array_get_idx(early, i));
	json_object_put(early);
}

static void on_ended(void *arg)
{
	struct dap_session *s = arg;

	s->mode = SESSION_OVER;
}

static void on_message(void *arg, struct json_object *message)
{
	struct dap_session *s = arg;
	enum dap_message_type type = dap_message_type(message);

	if (type == MESSAGE_REQUEST)
		handle_request(s, message);
	else if (type == MESSAGE_RESPONSE)
		adapter_respond(&s->companion.adapter, message);
	/* Clients send no other types. */
}

static void on_client_end(void *arg, const char *why)
{
	struct dap_session *s = arg;

	if (why)
		dap_client_print(&s->client, "stderr", why);
	if (s->companion.adapter.is_open) {
		/* The native adapter handles the program as it does when its client exits. */
		native_leave(&s->companion.adapter.process);
		dap_client_leave_later(&s->client);
	} else {
		dap_client_leave(&s->client);
	}
}

void dap_session_init(struct dap_session *s, const struct options *options, int in, int out)
{
	s->mode = SESSION_NEW;
	s->early = NULL;
	dap_client_init(&s->client, options, in, out);
	s->client.stream.received = on_message;
	s->client.stream.over = on_client_end;
	s->client.stream.arg = s;
	companion_init(&s->companion, &s->client);
	s->companion.started = on_started;
	s->companion.ended = on_ended;
	s->companion.arg = s;
	observer_init(&s->observer, &s->client);
}

void dap_session_deinit(struct dap_session *s)
{
	companion_deinit(&s->companion);
	observer_deinit(&s->observer);
	json_object_put(s->early);
	dap_client_deinit(&s->client);
}

int dap_session_run(const struct options *options, int in, int out)
{
	struct dap_session s;

	dap_session_init(&s, options, in, out);
	loop_run(&s.client.loop);
	dap_session_deinit(&s);
	return 0;
}
