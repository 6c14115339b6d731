/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pausing, resuming and stepping, by ompdd itself in mode stop. In mode observe a pause is a sample. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "observer_internal.h"

/* Targets of stepInTargets. */
#define STEP_INTO_PARALLEL 1

static void forget_stop(struct observer *o)
{
	o->is_shown = o->is_held = false;
	observer_forget(o);
	debuggee_forget(&o->target);
}

void observer_pause(struct observer *o, struct json_object *request)
{
	if (o->is_over) {
		dap_session_refuse(o->s, request, "the process has ended");
	} else if (o->stops) {
		/* The event reports the stop. */
		debuggee_call(&o->target, "target.stop", json_object_new_object(), observer_done,
			      observer_ask(o, request));
	} else {
		dap_session_answer(o->s, request, NULL);
		observer_show(o, observer_stopped_body("pause", "observed: the process runs on",
						       dap_message_int(o->target.info, "pid", 0)));
	}
}

static void on_continued(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_asked *a = arg;

	if (!result) {
		observer_done(arg, result, error);
		return;
	}
	struct json_object *body = json_object_new_object();
	dap_message_put_bool(body, "allThreadsContinued", true);
	dap_session_answer(a->o->s, a->request, body);
	observer_asked_destroy(a);
}

void observer_continue(struct observer *o, struct json_object *request)
{
	bool was_held = o->is_held;

	if (o->is_core || o->is_over) {
		dap_session_refuse(o->s, request, o->is_core ? "a core file does not run" : "the process has ended");
		return;
	}
	forget_stop(o);
	if (was_held) {
		debuggee_call(&o->target, "target.resume", json_object_new_object(), on_continued,
			      observer_ask(o, request));
		return;
	}
	struct json_object *body = json_object_new_object();
	dap_message_put_bool(body, "allThreadsContinued", true);
	dap_session_answer(o->s, request, body);
}

/* Return ompdd's kind of step for a request; NULL: not a step. */
static const char *get_kind(struct json_object *request)
{
	const char *command = dap_message_name(request);
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	const char *granularity = dap_message_string(arguments, "granularity"),
		   *kind = dap_message_string(arguments, "kind");

	if (!strcmp(command, "ompdd/step")) {
		if (kind && !strcmp(kind, "into"))
			return "into_parallel";
		return kind && !strcmp(kind, "out")    ? "out_of_parallel"
		       : kind && !strcmp(kind, "over") ? "over_parallel"
						       : NULL;
	}
	if (granularity && !strcmp(granularity, "instruction") && strcmp(command, "stepOut") != 0)
		return "instruction";
	if (!strcmp(command, "stepIn"))
		return "into_parallel";
	return !strcmp(command, "stepOut") ? "out_of_parallel" : "over_parallel";
}

static void on_step(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_asked *a = arg;

	a->o->stepping = dap_message_int(result, "thread", 0);
	observer_done(arg, result, error);
}

void observer_step(struct observer *o, struct json_object *request)
{
	struct json_object *params;
	const char *kind = get_kind(request);
	int64_t thread = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", 0);

	if (!o->is_held) {
		dap_session_refuse(o->s, request,
				   o->stops ? "the process runs: pause it first"
					    : "mode observe stops nothing: \"mode\": \"stop\" steps");
		return;
	}
	if (!kind) {
		dap_session_refuse(o->s, request, "ompdd/step: \"kind\" is one of into, out, over");
		return;
	}
	params = json_object_new_object();
	dap_message_put_string(params, "kind", kind);
	if (thread > 0 && thread <= INT32_MAX)
		dap_message_put_int(params, "thread", thread);
	forget_stop(o);
	o->is_held = true;
	debuggee_call(&o->target, "target.step", params, on_step, observer_ask(o, request));
}

void observer_step_in_targets(struct observer *o, struct json_object *request)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	struct json_object *one = json_object_new_object();

	dap_message_put_int(one, "id", STEP_INTO_PARALLEL);
	dap_message_put_string(one, "label", "the next parallel region: all members come to its first line");
	json_object_array_add(list, one);
	json_object_object_add(body, "targets", list);
	dap_session_answer(o->s, request, body);
}

/* Events */

static void on_stopped(struct observer *o, struct json_object *event)
{
	const char *type = dap_message_string(event, "type"), *reason = dap_message_string(event, "reason");
	int64_t tid = dap_message_int(event, "tid", dap_message_int(o->target.info, "pid", 0));
	const struct observer_breakpoint *b = observer_breakpoint(o, dap_message_int(event, "breakpoint", 0));
	struct json_object *body;

	o->is_held = true;
	o->stepping = 0;
	if (!o->is_configured)
		return;
	if (strcmp(type, "breakpoint") != 0) {
		observer_show(o, observer_stopped_body(reason ? "step" : "pause", NULL, tid));
		return;
	}
	body = observer_stopped_body(b && b->event == EVENTS_NONE && strcmp(b->list, "functions") != 0
					     ? "breakpoint"
					     : "function breakpoint",
				     b && b->event != EVENTS_NONE ? events_label(b->event) : NULL, tid);
	if (b) {
		struct json_object *hit = json_object_new_array();

		json_object_array_add(hit, json_object_new_int64(b->number));
		json_object_object_add(body, "hitBreakpointIds", hit);
	}
	observer_show(o, body);
}

static void on_ended(struct observer *o, struct json_object *event)
{
	struct json_object *exit = format_member(event, "exit"), *body;
	int64_t status = dap_message_int(exit, "status", -1), signal = dap_message_int(exit, "signal", 0);

	if (o->is_over)
		return;
	o->is_over = true;
	if (status >= 0 || signal) {
		body = json_object_new_object();
		dap_message_put_int(body, "exitCode", status >= 0 ? status : 128 + signal);
		dap_session_event(o->s, "exited", body);
	}
	dap_session_event(o->s, "terminated", NULL);
}

static void on_thread_changed(struct observer *o, struct json_object *event, const char *reason)
{
	struct json_object *body = json_object_new_object();
	int64_t tid = dap_message_int(event, "tid", 0);

	dap_message_put_string(body, "reason", reason);
	dap_message_put_int(body, "threadId", tid);
	dap_session_event(o->s, "thread", body);
	if (strcmp(reason, "exited") != 0 || !tid || tid != o->stepping)
		return;
	/* The step cannot finish: stop the process, so that the client sees the other threads. */
	o->stepping = 0;
	dap_session_say(o->s, "console", "the thread has ended before its step did\n");
	debuggee_call(&o->target, "target.stop", json_object_new_object(), NULL, NULL);
}

void observer_event(void *arg, struct json_object *params)
{
	struct observer *o = arg;
	const char *type = dap_message_string(params, "type"), *target = dap_message_string(params, "target");
	const char *message = dap_message_string(params, "message");

	/* A daemon also sends events of the user's other targets; a worker has one target. */
	if (!type || (target && o->target.id && strcmp(target, o->target.id) != 0))
		return;
	if (!strcmp(type, "stopped") || !strcmp(type, "breakpoint"))
		on_stopped(o, params);
	else if (!strcmp(type, "exited"))
		on_ended(o, params);
	else if (!strcmp(type, "thread_started") || !strcmp(type, "thread_exited"))
		on_thread_changed(o, params, !strcmp(type, "thread_started") ? "started" : "exited");
	else if (!strcmp(type, "tracer_lost") || !strcmp(type, "worker_failed"))
		dap_session_say(o->s, "stderr", message ? message : "breakpoints, holds and steps are gone\n");
}
