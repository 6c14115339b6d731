/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops of the observed process, and the requests and events that change them. */
#include "observer_control.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "reply.h"
#include "step_start.h"

/* Targets of stepInTargets. */
#define STEP_INTO_PARALLEL 1

static void forget_stop(struct observer_control *c)
{
	c->is_shown = c->is_held = false;
	frame_scopes_forget(c->scopes);
	debuggee_ran(c->target);
}

/* Samples */

struct showing {
	struct observer_control *control;
	struct json_object *body; /* owned */
};

static void on_view(void *arg)
{
	struct showing *showing = arg;
	struct observer_control *c = showing->control;

	c->is_shown = true;
	dap_client_send_event(c->client, "stopped", showing->body);
	custom_events_sampled(c->custom);
	free(showing);
}

/* Sample the process, and then report to the client that it is stopped, with @body. Takes ownership of @body. */
static void show_sample(struct observer_control *c, struct json_object *body)
{
	struct showing *showing = text_calloc(1, sizeof(*showing));

	*showing = (struct showing){c, body};
	frame_scopes_forget(c->scopes);
	custom_events_ran(c->custom);
	debuggee_sample(c->target);
	debuggee_wait(c->target, SERVICE_PATIENCE_MS, on_view, showing);
}

static int64_t get_pid(const struct observer_control *c)
{
	return dap_message_int(c->target->info, "pid", 0);
}

/* Show a sample until the client resumes, but stop no thread for it. */
static void show_running(struct observer_control *c)
{
	show_sample(c, dap_message_stopped_body("pause", "observed: the process runs on", get_pid(c)));
}

void observer_control_show_first(struct observer_control *c)
{
	struct json_object *core = json_read_member(c->target->info, "core");
	const char *signal = dap_message_string(core, "signal_name");

	if (c->is_core)
		show_sample(c, dap_message_stopped_body("exception", signal ? signal : "core file",
							dap_message_int(core, "signal_tid", get_pid(c))));
	else if (!c->stops)
		show_running(c);
}

static void on_resumed(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_control *c = arg;

	(void)result;
	if (error) {
		char *why = service_error_text(error);

		dap_client_print(c->client, "stderr", why);
		free(why);
	}
}

void observer_control_launched(struct observer_control *c, bool stop_on_entry)
{
	c->is_held = stop_on_entry;
	if (stop_on_entry)
		show_sample(c, dap_message_stopped_body("entry", NULL, get_pid(c)));
	else
		debuggee_call(c->target, "target.resume", json_object_new_object(), on_resumed, c);
}

/* Requests of the client */

void observer_control_pause(struct observer_control *c, struct json_object *request)
{
	if (c->is_over) {
		dap_client_refuse(c->client, request, "cannot pause: the process has exited");
	} else if (c->stops) {
		/* The event reports the stop. */
		debuggee_call(c->target, "target.stop", json_object_new_object(), dap_reply_done,
			      dap_reply_create(c->client, request, c));
	} else {
		dap_client_answer(c->client, request, NULL);
		show_running(c);
	}
}

static struct json_object *create_continued_body(void)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_bool(body, "allThreadsContinued", true);
	return body;
}

static void on_continued(void *arg, struct json_object *result, struct json_object *error)
{
	if (result)
		dap_reply_send(arg, create_continued_body());
	else
		dap_reply_fail(arg, error);
}

void observer_control_continue(struct observer_control *c, struct json_object *request)
{
	bool was_held = c->is_held;

	if (c->is_core || c->is_over) {
		dap_client_refuse(c->client, request,
				  c->is_core ? "cannot continue: a core file does not run"
					     : "cannot continue: the process has exited");
		return;
	}
	forget_stop(c);
	if (was_held)
		debuggee_call(c->target, "target.resume", json_object_new_object(), on_continued,
			      dap_reply_create(c->client, request, NULL));
	else
		dap_client_answer(c->client, request, create_continued_body());
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
	struct dap_reply *reply = arg;
	struct observer_control *c = reply->arg;

	c->stepping = dap_message_int(result, "thread", 0);
	dap_reply_done(reply, result, error);
}

void observer_control_step(struct observer_control *c, struct json_object *request)
{
	struct json_object *params;
	const char *kind = get_kind(request);
	int64_t thread = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", 0);

	if (!c->is_held) {
		dap_client_refuse(c->client, request,
				  c->stops ? "cannot step: the process runs; pause it first"
					   : "cannot step: mode observe stops nothing; use \"mode\": \"stop\"");
		return;
	}
	if (!kind) {
		dap_client_refuse(c->client, request, "ompdd/step: \"kind\" must be one of into, out, over");
		return;
	}
	params = json_object_new_object();
	dap_message_put_string(params, "kind", kind);
	if (thread > 0 && thread <= INT32_MAX)
		dap_message_put_int(params, "thread", thread);
	forget_stop(c);
	c->is_held = true;
	debuggee_call(c->target, "target.step", params, on_step, dap_reply_create(c->client, request, c));
}

void observer_control_list_step_targets(struct observer_control *c, struct json_object *request)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();

	json_object_array_add(list, step_start_create_target(STEP_INTO_PARALLEL));
	json_object_object_add(body, "targets", list);
	dap_client_answer(c->client, request, body);
}

/* Events */

static void on_stopped(struct observer_control *c, struct json_object *event)
{
	bool is_breakpoint = !strcmp(dap_message_string(event, "type"), "breakpoint");
	int64_t tid = dap_message_int(event, "tid", get_pid(c));

	c->is_held = true;
	c->stepping = 0;
	if (!c->is_configured)
		return;
	if (is_breakpoint)
		show_sample(
			c, breakpoint_lists_stopped_body(c->breakpoints, dap_message_int(event, "breakpoint", 0), tid));
	else
		show_sample(
			c, dap_message_stopped_body(dap_message_string(event, "reason") ? "step" : "pause", NULL, tid));
}

static void on_ended(struct observer_control *c, struct json_object *event)
{
	struct json_object *exit = json_read_member(event, "exit"), *body;
	int64_t status = dap_message_int(exit, "status", -1), signal = dap_message_int(exit, "signal", 0);

	if (c->is_over)
		return;
	c->is_over = true;
	if (status >= 0 || signal) {
		body = json_object_new_object();
		dap_message_put_int(body, "exitCode", status >= 0 ? status : 128 + signal);
		dap_client_send_event(c->client, "exited", body);
	}
	dap_client_send_event(c->client, "terminated", NULL);
}

static void on_thread_changed(struct observer_control *c, struct json_object *event, const char *reason)
{
	struct json_object *body = json_object_new_object();
	int64_t tid = dap_message_int(event, "tid", 0);

	dap_message_put_string(body, "reason", reason);
	dap_message_put_int(body, "threadId", tid);
	dap_client_send_event(c->client, "thread", body);
	if (strcmp(reason, "exited") != 0 || !tid || tid != c->stepping)
		return;
	/* The step cannot finish: stop the process, so that the client sees the other threads. */
	c->stepping = 0;
	dap_client_print(c->client, "console", "the thread has exited before its step was finished\n");
	debuggee_call(c->target, "target.stop", json_object_new_object(), NULL, NULL);
}

void observer_control_event(void *arg, struct json_object *params)
{
	struct observer_control *c = arg;
	const char *type = dap_message_string(params, "type"), *target = dap_message_string(params, "target");
	const char *message = dap_message_string(params, "message");

	/* A daemon also sends events of the user's other targets; a worker has one target. */
	if (!type || (target && c->target->id && strcmp(target, c->target->id) != 0))
		return;
	if (!strcmp(type, "stopped") || !strcmp(type, "breakpoint"))
		on_stopped(c, params);
	else if (!strcmp(type, "exited"))
		on_ended(c, params);
	else if (!strcmp(type, "thread_started") || !strcmp(type, "thread_exited"))
		on_thread_changed(c, params, !strcmp(type, "thread_started") ? "started" : "exited");
	else if (!strcmp(type, "tracer_lost") || !strcmp(type, "worker_failed"))
		dap_client_print(c->client, "stderr",
				 message ? message : "breakpoints and steps are lost: the tracer has exited\n");
}
