/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's stops, its target, and the handlers of the client's requests. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "custom.h"
#include "format.h"
#include "message.h"

/* The answer does not wait for names if the client can be notified of them later. */
#define PATIENCE_TOLD_MS 0

bool companion_native_can(const struct companion *c, const char *what)
{
	return dap_message_bool(c->capabilities, what);
}

int companion_patience(const struct companion *c)
{
	return dap_session_client_can(c->s, "supportsInvalidatedEvent") ? PATIENCE_TOLD_MS : c->s->options->patience_ms;
}

/* Stops */

void companion_ran(struct companion *c)
{
	if (c->is_stopped)
		custom_events_ran(c->s);
	c->is_stopped = false;
	c->stop++;
	debuggee_forget(&c->target);
	companion_forget_stacks(c);
}

/* Return whether the program runs after this request. */
static bool is_resuming(const char *command)
{
	static const char *const names[] = {
		"continue",	     "next",	"stepIn",      "stepOut", "stepBack", "reverseContinue", "goto",
		"configurationDone", "restart", "restartFrame"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(command, names[i]))
			return true;
	}
	return false;
}

void companion_stopped(struct companion *c, struct json_object *event)
{
	/* lldb's adapter reports every thread that has a reason to stop: together they are one stop. */
	bool is_new = !c->is_stopped;

	if (steps_take_stop(c, event))
		return;
	if (is_new)
		companion_ran(c);
	c->is_stopped = true;
	if (is_new) {
		companion_forget_ids(c);
		companion_ask_ids(c);
	}
	if (is_new && c->has_target)
		debuggee_look(&c->target);
	struct json_object *told = dap_message_copy(event),
			   *body = dap_message_copy(dap_message_get(event, "body", NULL));
	json_object_object_add(told, "body", body);
	if (!companion_is_own_stop(c, told))
		dap_session_send(c->s, json_object_get(told));
	json_object_put(told);
	if (is_new || c->events.resumes)
		companion_plant(c);
}

/* The target */

static void on_sample(void *arg)
{
	struct companion *c = arg;

	companion_name_regions(c);
}

static void on_attached(void *arg)
{
	struct companion *c = arg;
	struct text t = {0};

	if (c->target.state == DEBUGGEE_READY) {
		if (c->is_stopped)
			debuggee_look(&c->target);
		companion_plant(c);
		return;
	}
	/* It may have been too early: try again when the program is stopped in main(). */
	if (c->events.is_armed && !c->events.was_tried_again)
		return;
	text_printf(&t, "ompdd cannot look at process %lld, so nothing of OpenMP is shown: %s\n", (long long)c->pid,
		    c->target.why);
	dap_session_say(c->s, "console", t.data);
	text_deinit(&t);
	companion_name_regions(c);
	companion_plant(c);
}

static int64_t get_client_id(void *arg, int64_t tid)
{
	return companion_id(arg, tid);
}

void companion_found_process(struct companion *c, int64_t pid)
{
	struct json_object *params;

	if (pid <= 0 || pid > INT32_MAX || c->pid == pid)
		return;
	c->pid = pid;
	if (!c->has_target) {
		c->has_target = true;
		c->target.looked = on_sample;
		c->target.attached = on_attached;
		c->target.client_id = get_client_id;
		c->target.is_lean = true;
		c->target.arg = c;
		debuggee_init(&c->target, &c->s->loop, c->s->options->uri, c->s->options->token_file);
	}
	params = json_object_new_object();
	dap_message_put_int(params, "pid", pid);
	dap_message_put_string(params, "mode", "observe");
	debuggee_attach(&c->target, "target.attach", params);
}

/* Requests of the client */

static const char *get_native_failure(const struct companion *c)
{
	return c->native_why ? c->native_why : "nothing is debugged yet: launch or attach comes first";
}

static void on_begun(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	int64_t pid = dap_message_int(dap_message_get(request, "arguments", NULL), "pid", 0);

	/* Not every adapter reports the process id. */
	if (dap_message_bool(response, "success") && !strcmp(dap_message_name(request), "attach") && !c->pid)
		companion_found_process(c, pid);
	companion_pass(c, request, response);
}

void companion_begin(struct companion *c, struct json_object *request)
{
	static const char *const ours[] = {"mode", "nativeAdapter", "connect", "tokenFile"};
	struct json_object *arguments = dap_message_copy(dap_message_get(request, "arguments", NULL));

	if (!c->has_native) {
		dap_session_refuse(c->s, request, get_native_failure(c));
		json_object_put(arguments);
		return;
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		json_object_object_del(arguments, ours[i]);
	c->is_launch = !strcmp(dap_message_name(request), "launch");
	companion_forward_changed(c, request, arguments, on_begun);
}

static void on_disconnected(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;

	c->has_left = dap_message_bool(response, "success");
	companion_pass(c, request, response);
}

/* Requests that are ours, or changed before they are forwarded. */
static const struct {
	const char *command;
	void (*handle)(struct companion *c, struct json_object *request);
} handlers[] = {
	{"threads", companion_threads},
	{"stackTrace", companion_stack_trace},
	{"scopes", companion_scopes},
	{"variables", companion_variables},
	{"setFunctionBreakpoints", companion_set_function_breakpoints},
	{"setExceptionBreakpoints", companion_set_exception_breakpoints},
};

void companion_request(struct companion *c, struct json_object *request)
{
	const char *command = dap_message_name(request);
	const char *needs = capabilities_needed(command);
	struct json_object *frame = dap_message_get(request, "arguments", "frameId", NULL);

	c->asked_ms = loop_now_ms();
	if (custom_handles(command)) {
		custom_request(c->s, &c->target, c->has_target, request);
		return;
	}
	if (!strcmp(command, "ompdd/step") || steps_is_target(request)) {
		steps_request(c, request);
		return;
	}
	if (!c->has_native) {
		dap_session_refuse(c->s, request, get_native_failure(c));
		return;
	}
	if (!strcmp(command, "pause") && steps_take_pause(c, request))
		return;
	if (!strcmp(command, "stepInTargets") && steps_are_offered(c)) {
		steps_targets(c, request);
		return;
	}
	if (!strcmp(command, "setInstructionBreakpoints") && companion_native_can(c, needs)) {
		companion_set_instruction_breakpoints(c, request);
		return;
	}
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (!strcmp(command, handlers[i].command)) {
			handlers[i].handle(c, request);
			return;
		}
	}
	if (needs && !companion_native_can(c, needs)) {
		struct text t = {0};

		text_printf(&t, "%s: the native adapter %s does not offer that", command, c->native.name);
		dap_session_refuse(c->s, request, t.data);
		text_deinit(&t);
		return;
	}
	if (frame && companion_label(c, format_int(frame, 0))) {
		dap_session_refuse(c->s, request,
				   "this is a label between frames: it has no code and no variables of its own");
		return;
	}
	if (is_resuming(command)) {
		steps_give_way(c);
		companion_arm(c);
		companion_ran(c);
	}
	companion_forward(c, request, strcmp(command, "disconnect") != 0 ? NULL : on_disconnected);
}

void companion_init(struct companion *c, struct dap_session *s)
{
	c->s = s;
}

void companion_deinit(struct companion *c)
{
	custom_events_close(c->s);
	/* An adapter that no longer holds a program can be ended, even if it hangs. */
	if (c->has_native && c->has_left)
		native_replace(&c->native);
	c->has_native = false;
	if (c->has_target)
		debuggee_close(&c->target);
	companion_drop_jobs(c);
	companion_drop_held(c);
	json_object_put(c->begins);
	json_object_put(c->early);
	c->begins = c->early = NULL;
	native_deinit(&c->native);
	companion_drop_questions(c);
	json_object_put(c->capabilities);
	free(c->native_why);
	companion_forget_stacks(c);
	free(c->frames);
	free(c->labels);
	events_deinit(&c->events);
	steps_deinit(c);
	companion_forget_ids(c);
}
