/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The observer's requests. */
#include "observer.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "custom.h"
#include "format.h"
#include "message.h"
#include "observer_internal.h"

struct observer *observer_create(void)
{
	struct observer *o = text_calloc(1, sizeof(*o));

	o->output.fd = o->output_write = -1;
	return o;
}

struct observer_asked *observer_ask(struct observer *o, struct json_object *request)
{
	struct observer_asked *a = text_calloc(1, sizeof(*a));

	*a = (struct observer_asked){o, json_object_get(request)};
	return a;
}

void observer_asked_destroy(struct observer_asked *a)
{
	json_object_put(a->request);
	free(a);
}

void observer_done(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_asked *a = arg;

	if (result) {
		dap_session_answer(a->o->s, a->request, NULL);
	} else {
		char *why = service_error_text(error);

		dap_session_refuse(a->o->s, a->request, why);
		free(why);
	}
	observer_asked_destroy(a);
}

void observer_init(struct observer *o, struct dap_session *s)
{
	o->s = s;
}

void observer_forget(struct observer *o)
{
	variables_clear(&o->variables);
	o->n_frames = 0;
}

void observer_destroy(struct observer *o)
{
	custom_events_close(o->s);
	if (o->has_target)
		debuggee_close(&o->target);
	observer_close_output(o);
	observer_drop_breakpoints(o);
	observer_forget(o);
	free(o->frames);
	json_object_put(o->beginning);
	free(o);
}

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
		dap_session_refuse(o->s, request, o->target.why);
		dap_session_event(o->s, "terminated", NULL);
	} else {
		struct json_object *body = json_object_new_object();
		const char *exe = dap_message_string(o->target.info, "exe");

		dap_message_put_string(body, "name", exe ? exe : "");
		dap_message_put_int(body, "systemProcessId", dap_message_int(o->target.info, "pid", 0));
		dap_message_put_bool(body, "isLocalProcess", !o->s->options->uri);
		dap_message_put_string(body, "startMethod", o->is_launch ? "launch" : "attach");
		dap_session_event(o->s, "process", body);
		/* A worker alone sends events to its creator without a subscription. */
		if (o->stops && !o->target.service.is_private)
			service_call(&o->target.service, "event.subscribe", json_object_new_object(), NULL, NULL);
		dap_session_event(o->s, "initialized", NULL);
		dap_session_answer(o->s, request, NULL);
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
		dap_session_refuse(o->s, request, "which process? \"pid\" or \"coreFile\" says it");
		return NULL;
	}
	params = json_object_new_object();
	dap_message_put_int(params, "pid", pid);
	dap_message_put_string(params, "mode", o->stops ? "stop" : "observe");
	return params;
}

void observer_begin(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL), *params;
	const char *core = dap_message_string(arguments, "coreFile"), *uri = dap_message_string(arguments, "connect");
	const char *token_file = dap_message_string(arguments, "tokenFile");
	const char *method = "target.attach";
	int64_t pid = dap_message_int(arguments, "pid", 0);

	o->stops = observer_stops(request);
	o->is_core = core != NULL;
	o->is_launch = !strcmp(dap_message_name(request), "launch");
	o->stop_on_entry = dap_message_bool(arguments, "stopOnEntry");
	if (core) {
		params = create_core_params(arguments, core);
		method = "target.open_core";
	} else if (o->is_launch) {
		params = observer_launch_params(o, request);
		method = "target.launch";
	} else {
		params = create_attach_params(o, request, pid);
	}
	if (!params) {
		dap_session_event(o->s, "terminated", NULL);
		return;
	}
	o->beginning = json_object_get(request);
	o->has_target = true;
	o->target.attached = on_attached;
	o->target.arg = o;
	o->target.stacks = "regions";
	o->target.service.event = observer_event;
	o->target.service.arg = o;
	debuggee_init(&o->target, &o->s->loop, uri ? uri : o->s->options->uri,
		      token_file ? token_file : o->s->options->token_file);
	debuggee_attach(&o->target, method, params);
}

/* Samples */

struct showing {
	struct observer *o;
	struct json_object *body; /* owned */
};

static void on_view(void *arg)
{
	struct showing *showing = arg;

	showing->o->is_shown = true;
	dap_session_event(showing->o->s, "stopped", showing->body);
	custom_events_looked(showing->o->s, &showing->o->target);
	free(showing);
}

struct json_object *observer_stopped_body(const char *reason, const char *description, int64_t tid)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "reason", reason);
	if (description)
		dap_message_put_string(body, "description", description);
	dap_message_put_int(body, "threadId", tid);
	dap_message_put_bool(body, "allThreadsStopped", true);
	return body;
}

void observer_show(struct observer *o, struct json_object *body)
{
	struct showing *showing = text_calloc(1, sizeof(*showing));

	*showing = (struct showing){o, body};
	observer_forget(o);
	custom_events_ran(o->s);
	debuggee_look(&o->target);
	debuggee_wait(&o->target, SERVICE_PATIENCE_MS, on_view, showing);
}

static void answer_configuration_done(struct observer *o, struct json_object *request)
{
	struct json_object *core = format_member(o->target.info, "core");
	int64_t pid = dap_message_int(o->target.info, "pid", 0);
	const char *signal = dap_message_string(core, "signal_name");

	o->is_configured = true;
	dap_session_answer(o->s, request, NULL);
	if (o->is_core)
		observer_show(o, observer_stopped_body("exception", signal ? signal : "core file",
						       dap_message_int(core, "signal_tid", pid)));
	else if (o->is_launch)
		observer_launched(o);
	else if (!o->stops)
		/* A sample is shown until the client resumes, but no thread is stopped for it. */
		observer_show(o, observer_stopped_body("pause", "observed: the process runs on", pid));
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
	struct observer_asked *a = arg;
	struct observer *o = a->o;
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	const struct view *v = o->target.view;

	for (size_t i = 0; v && i < v->s.n_threads; i++) {
		const struct overview_thread *t = &v->s.threads[v->order[i]];
		char *name = t->openmp ? view_thread_name(v, v->order[i]) : NULL;
		struct text safe = {0};

		/* A thread that several runtimes know is listed once. */
		if (t->openmp && view_thread(v, t->tid) != v->order[i]) {
			free(name);
			continue;
		}
		text_add_safe(&safe, name ? name : t->comm, 1);
		text_add(&safe, "");
		add_thread(list, t->tid, safe.data);
		text_deinit(&safe);
		free(name);
	}
	/* The list must not be empty. */
	if (!dap_message_length(list))
		add_thread(list, dap_message_int(o->target.info, "pid", 1), "process");
	json_object_object_add(body, "threads", list);
	dap_session_answer(o->s, a->request, body);
	observer_asked_destroy(a);
}

static void answer_threads(struct observer *o, struct json_object *request)
{
	/* The last sample of an exited process is kept. */
	if (!o->is_shown && !o->is_over)
		debuggee_look(&o->target);
	debuggee_wait(&o->target, SERVICE_PATIENCE_MS, on_threads, observer_ask(o, request));
}

static void on_detached(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_asked *a = arg;

	(void)result;
	(void)error;
	dap_session_answer(a->o->s, a->request, NULL);
	dap_session_event(a->o->s, "terminated", NULL);
	dap_session_leave(a->o->s);
	observer_asked_destroy(a);
}

/* End a launched program with the session unless the client says otherwise. Never end a process that existed before. */
static void answer_disconnect(struct observer *o, struct json_object *request)
{
	struct json_object *wish = dap_message_get(request, "arguments", "terminateDebuggee", NULL);
	bool kills = o->is_launch && !o->is_over && (!wish || format_is_true(wish));
	struct observer_asked *a = observer_ask(o, request);

	if (kills && o->target.state == DEBUGGEE_READY)
		debuggee_call(&o->target, "target.kill", json_object_new_object(), on_detached, a);
	else
		on_detached(a, NULL, NULL);
}

static const struct {
	const char *command;
	void (*handle)(struct observer *o, struct json_object *request);
} handlers[] = {
	{"configurationDone", answer_configuration_done},
	{"continue", observer_continue},
	{"disconnect", answer_disconnect},
	{"next", observer_step},
	{"ompdd/step", observer_step},
	{"pause", observer_pause},
	{"scopes", observer_scopes},
	{"setBreakpoints", observer_set_breakpoints},
	{"setExceptionBreakpoints", observer_set_breakpoints},
	{"setFunctionBreakpoints", observer_set_breakpoints},
	{"stackTrace", observer_stack_trace},
	{"stepIn", observer_step},
	{"stepInTargets", observer_step_in_targets},
	{"stepOut", observer_step},
	{"threads", answer_threads},
	{"variables", observer_variables},
};

void observer_request(struct observer *o, struct json_object *request)
{
	const char *command = dap_message_name(request);

	if (custom_handles(command)) {
		custom_request(o->s, &o->target, o->has_target, request);
		return;
	}
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (!strcmp(command, handlers[i].command) && o->has_target) {
			handlers[i].handle(o, request);
			return;
		}
	}
	if (!strcmp(command, "disconnect")) {
		answer_disconnect(o, request);
		return;
	}
	struct text t = {0};
	text_printf(&t, "%s: %s", command,
		    o->has_target ? "ompdd alone does not do that; a native debugger does (\"mode\": \"companion\")"
				  : "no process is attached");
	dap_session_refuse(o->s, request, t.data);
	text_deinit(&t);
}
