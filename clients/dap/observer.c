/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The observer's start, and the client's requests to its parts. */
#include "observer.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "custom.h"
#include "format.h"
#include "logical_stacks.h"
#include "message.h"
#include "reply.h"

bool observer_stops(struct json_object *request)
{
	const char *mode = dap_message_string(dap_message_get(request, "arguments", NULL), "mode");

	return mode && !strcmp(mode, "stop");
}

/* Launch and attach */

static void on_attached(void *arg)
{
	struct observer *o = arg;
	struct json_object *request = o->beginning;

	o->beginning = NULL;
	if (o->target.state != DEBUGGEE_READY) {
		dap_client_refuse(o->client, request, o->target.why);
		dap_client_send_event(o->client, "terminated", NULL);
	} else {
		struct json_object *body = json_object_new_object();
		const char *exe = dap_message_string(o->target.info, "exe");

		dap_message_put_string(body, "name", exe ? exe : "");
		dap_message_put_int(body, "systemProcessId", dap_message_int(o->target.info, "pid", 0));
		dap_message_put_bool(body, "isLocalProcess", !o->client->options->uri);
		dap_message_put_string(body, "startMethod", o->is_launch ? "launch" : "attach");
		dap_client_send_event(o->client, "process", body);
		/* A worker alone sends events to its creator without a subscription. */
		if (o->control.stops && !o->target.service.is_private)
			service_call(&o->target.service, "event.subscribe", json_object_new_object(), NULL, NULL);
		dap_client_send_event(o->client, "initialized", NULL);
		dap_client_answer(o->client, request, NULL);
	}
	json_object_put(request);
}

static struct json_object *create_core_params(struct json_object *arguments, const char *core)
{
	struct json_object *params = json_object_new_object();
	const char *exe = dap_message_string(arguments, "program"), *sysroot = dap_message_string(arguments, "sysroot");

	dap_message_put_string(params, "core", core);
	if (exe)
		dap_message_put_string(params, "exe", exe);
	if (sysroot)
		dap_message_put_string(params, "sysroot", sysroot);
	return params;
}

static struct json_object *create_attach_params(struct observer *o, struct json_object *request, int64_t pid)
{
	struct json_object *params;

	if (pid <= 0 || pid > INT32_MAX) {
		dap_client_refuse(o->client, request,
				  "cannot attach: neither \"pid\" nor \"coreFile\" names a process");
		return NULL;
	}
	params = json_object_new_object();
	dap_message_put_int(params, "pid", pid);
	dap_message_put_string(params, "mode", o->control.stops ? "stop" : "observe");
	return params;
}

/* Return the parameters of *@method_ret, which opens the target; NULL: @request is refused. */
static struct json_object *create_params(struct observer *o, struct json_object *request, const char **method_ret)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	const char *core = dap_message_string(arguments, "coreFile");

	if (core) {
		o->control.is_core = true;
		*method_ret = "target.open_core";
		return create_core_params(arguments, core);
	}
	if (!o->is_launch) {
		*method_ret = "target.attach";
		return create_attach_params(o, request, dap_message_int(arguments, "pid", 0));
	}
	*method_ret = "target.launch";
	if (o->control.stops)
		return launched_program_params(&o->program, request);
	dap_client_refuse(o->client, request,
			  "cannot launch: mode observe starts nothing; attach to a process, or use \"mode\": \"stop\"");
	return NULL;
}

void observer_begin(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL), *params;
	const char *uri = dap_message_string(arguments, "connect");
	const char *token_file = dap_message_string(arguments, "tokenFile"), *method;

	o->control.stops = o->breakpoints.are_possible = observer_stops(request);
	o->is_launch = !strcmp(dap_message_name(request), "launch");
	o->stop_on_entry = dap_message_bool(arguments, "stopOnEntry");
	params = create_params(o, request, &method);
	if (!params) {
		dap_client_send_event(o->client, "terminated", NULL);
		return;
	}
	o->beginning = json_object_get(request);
	debuggee_init(&o->target, &o->client->loop, uri ? uri : o->client->options->uri,
		      token_file ? token_file : o->client->options->token_file);
	debuggee_attach(&o->target, method, params);
}

static void finish_configuration(struct observer *o, struct json_object *request)
{
	o->control.is_configured = true;
	dap_client_answer(o->client, request, NULL);
	if (!o->is_launch) {
		observer_control_show_first(&o->control);
		return;
	}
	launched_program_started(&o->program);
	observer_control_launched(&o->control, o->stop_on_entry);
}

/* Threads */

static void add_thread(struct json_object *list, int64_t tid, const char *name)
{
	struct json_object *thread = json_object_new_object();

	dap_message_put_int(thread, "id", tid);
	dap_message_put_string(thread, "name", name);
	json_object_array_add(list, thread);
}

static void on_threads(void *arg)
{
	struct dap_reply *reply = arg;
	struct observer *o = reply->arg;
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	const struct view *v = o->target.view;

	for (size_t i = 0; v && i < v->s.n_threads; i++) {
		const struct facts_thread *t = &v->s.threads[v->order[i]];
		char *name = t->openmp ? view_thread_name(v, v->order[i]) : NULL;
		struct buf safe = {0};

		/* A thread that several runtimes know is listed once. */
		if (t->openmp && view_thread(v, t->tid) != v->order[i]) {
			free(name);
			continue;
		}
		text_add_safe(&safe, name ? name : t->comm, 1);
		text_add(&safe, "");
		add_thread(list, t->tid, safe.data);
		buf_deinit(&safe);
		free(name);
	}
	/* The list must not be empty. */
	if (!dap_message_length(list))
		add_thread(list, dap_message_int(o->target.info, "pid", 1), "process");
	json_object_object_add(body, "threads", list);
	dap_reply_send(reply, body);
}

static void answer_threads(struct observer *o, struct json_object *request)
{
	/* The last sample of an exited process is kept. */
	if (!o->control.is_shown && !o->control.is_over)
		debuggee_sample(&o->target);
	debuggee_wait(&o->target, SERVICE_PATIENCE_MS, on_threads, dap_reply_create(o->client, request, o));
}

static void on_detached(void *arg, struct json_object *result, struct json_object *error)
{
	struct dap_reply *reply = arg;
	struct dap_client *client = reply->client;

	(void)result;
	(void)error;
	dap_reply_send(reply, NULL);
	dap_client_send_event(client, "terminated", NULL);
	dap_client_leave(client);
}

/* End a launched program with the session unless the client says otherwise. Never end a process that existed before. */
static void answer_disconnect(struct observer *o, struct json_object *request)
{
	struct json_object *kill = dap_message_get(request, "arguments", "terminateDebuggee", NULL);
	bool kills = o->is_launch && !o->control.is_over && (!kill || json_read_bool(kill));
	struct dap_reply *reply = dap_reply_create(o->client, request, o);

	if (kills && o->target.state == DEBUGGEE_READY)
		debuggee_call(&o->target, "target.kill", json_object_new_object(), on_detached, reply);
	else
		on_detached(reply, NULL, NULL);
}

static const struct scoped_frame *find_frame(const struct observer *o, struct json_object *request)
{
	return frame_scopes_find(&o->scopes,
				 dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", 0));
}

static void on_scopes(void *arg)
{
	struct dap_reply *reply = arg;
	struct observer *o = reply->arg;
	const struct scoped_frame *frame = find_frame(o, reply->request);
	struct json_object *body, *scopes;

	if (!frame) {
		dap_reply_refuse(reply, "cannot show the scopes of this frame: it no longer exists");
		return;
	}
	body = json_object_new_object();
	scopes = json_object_new_array();
	frame_scopes_list(&o->scopes, frame, o->target.view, scopes);
	json_object_object_add(body, "scopes", scopes);
	dap_reply_send(reply, body);
}

static void answer_scopes(struct observer *o, struct json_object *request)
{
	const struct view *v = find_frame(o, request) ? o->target.view : NULL;

	frame_scopes_prepare(&o->scopes, v, on_scopes, dap_reply_create(o->client, request, o));
}

/* Each command has one of these, with the part of the observer that answers it. */
static const struct {
	const char *command;
	void (*answer)(struct observer *o, struct json_object *request);
	void (*control)(struct observer_control *c, struct json_object *request);
	void (*scopes)(struct frame_scopes *s, struct json_object *request);
	void (*lists)(struct breakpoint_lists *b, struct json_object *request);
} handlers[] = {
	{"configurationDone", .answer = finish_configuration},
	{"continue", .control = observer_control_continue},
	{"disconnect", .answer = answer_disconnect},
	{"next", .control = observer_control_step},
	{"ompdd/step", .control = observer_control_step},
	{"pause", .control = observer_control_pause},
	{"scopes", .answer = answer_scopes},
	{"setBreakpoints", .lists = breakpoint_lists_set},
	{"setExceptionBreakpoints", .lists = breakpoint_lists_set},
	{"setFunctionBreakpoints", .lists = breakpoint_lists_set},
	{"stackTrace", .scopes = logical_stacks_request},
	{"stepIn", .control = observer_control_step},
	{"stepInTargets", .control = observer_control_list_step_targets},
	{"stepOut", .control = observer_control_step},
	{"threads", .answer = answer_threads},
	{"variables", .scopes = frame_scopes_answer},
};

/* Return whether a part of the observer has answered @request. */
static bool dispatch_request(struct observer *o, struct json_object *request)
{
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (strcmp(dap_message_name(request), handlers[i].command) != 0)
			continue;
		if (handlers[i].answer)
			handlers[i].answer(o, request);
		else if (handlers[i].control)
			handlers[i].control(&o->control, request);
		else if (handlers[i].scopes)
			handlers[i].scopes(&o->scopes, request);
		else
			handlers[i].lists(&o->breakpoints, request);
		return true;
	}
	return false;
}

void observer_request(struct observer *o, struct json_object *request)
{
	const char *command = dap_message_name(request);
	bool is_open = debuggee_is_open(&o->target);

	if (custom_handles(command)) {
		custom_request(&o->custom, NULL, request);
		return;
	}
	if (is_open && dispatch_request(o, request))
		return;
	if (!strcmp(command, "disconnect")) {
		answer_disconnect(o, request);
		return;
	}
	struct buf t = {0};
	text_printf(
		&t, "%s: %s", command,
		is_open ? "mode observe and mode stop do not offer it; a native debugger may (\"mode\": \"companion\")"
			: "no process is attached");
	dap_client_refuse(o->client, request, t.data);
	buf_deinit(&t);
}

void observer_init(struct observer *o, struct dap_client *client)
{
	struct debuggee *target = &o->target;

	*o = (struct observer){.client = client};
	o->target = (struct debuggee){.stacks = "regions", .attached = on_attached, .arg = o};
	o->target.service.event = observer_control_event;
	o->target.service.arg = &o->control;
	o->scopes = (struct frame_scopes){.client = client, .target = target};
	o->custom = (struct custom_events){.client = client, .target = target};
	o->breakpoints = (struct breakpoint_lists){.client = client, .target = target};
	launched_program_init(&o->program, client);
	o->control = (struct observer_control){
		.client = client,
		.target = target,
		.scopes = &o->scopes,
		.custom = &o->custom,
		.breakpoints = &o->breakpoints,
	};
}

void observer_deinit(struct observer *o)
{
	custom_events_close(&o->custom);
	if (debuggee_is_open(&o->target))
		debuggee_close(&o->target);
	launched_program_close(&o->program);
	breakpoint_lists_deinit(&o->breakpoints);
	frame_scopes_deinit(&o->scopes);
	json_object_put(o->beginning);
}
