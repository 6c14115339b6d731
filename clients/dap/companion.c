/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The composition of the companion: requests of the client and events of the native adapter to its parts. */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "capabilities.h"
#include "custom.h"
#include "format.h"
#include "lldb_python.h"
#include "message.h"
#include "step_start.h"

/* Stops */

static void on_resume(void *arg)
{
	struct companion *c = arg;

	if (c->target.is_stopped)
		custom_events_ran(&c->custom);
	debuggee_ran(&c->target);
	native_stacks_forget(&c->stacks);
	frame_scopes_forget(&c->scopes);
}

static void on_stop(void *arg, struct json_object *event)
{
	struct companion *c = arg;
	/* lldb's adapter reports every thread that has a reason to stop: together they are one stop. */
	bool is_new = !c->target.is_stopped;

	if (steps_take_stop(&c->steps, event))
		return;
	if (is_new) {
		on_resume(c);
		thread_ids_request(&c->ids);
		debuggee_stopped(&c->target);
	}
	struct json_object *copy = dap_message_copy(event);
	json_object_object_add(copy, "body", dap_message_copy(dap_message_get(event, "body", NULL)));
	if (event_breakpoints_take_stop(&c->breakpoints, copy))
		json_object_put(copy);
	else
		dap_client_send(c->client, copy);
	if (is_new || c->planted.holds)
		planted_events_update(&c->planted);
}

/* The target */

static void on_sample(void *arg)
{
	struct companion *c = arg;

	thread_lists_update(&c->lists);
}

static void on_attached(void *arg)
{
	struct companion *c = arg;
	struct buf t = {0};

	if (c->target.state == DEBUGGEE_READY) {
		if (c->target.is_stopped)
			debuggee_sample(&c->target);
		planted_events_update(&c->planted);
		return;
	}
	/* It may have been too early: try again when the program is stopped in main(). */
	if (c->breakpoints.is_armed && !c->planted.was_retried)
		return;
	text_printf(&t, "cannot show the OpenMP state of process %lld: %s\n", (long long)c->target.pid, c->target.why);
	dap_client_print(c->client, "console", t.data);
	buf_deinit(&t);
	thread_lists_update(&c->lists);
	planted_events_update(&c->planted);
}

/* The debugged process is known: it becomes the target. */
static void attach_target(struct companion *c, int64_t pid)
{
	const struct options *options = c->client->options;
	struct json_object *params;

	if (pid <= 0 || pid > INT32_MAX || c->target.pid == pid)
		return;
	c->target.pid = pid;
	if (!debuggee_is_open(&c->target))
		debuggee_init(&c->target, &c->client->loop, options->uri, options->token_file);
	params = json_object_new_object();
	dap_message_put_int(params, "pid", pid);
	dap_message_put_string(params, "mode", "observe");
	debuggee_attach(&c->target, "target.attach", params);
}

/* The parts */

static void on_ids(void *arg)
{
	struct companion *c = arg;

	stack_traces_ids_known(&c->traces);
	thread_lists_update(&c->lists);
}

static void on_native_stack(void *arg)
{
	struct companion *c = arg;

	stack_traces_continue(&c->traces);
	thread_lists_stack_arrived(&c->lists);
}

static void on_missing_runtime(void *arg)
{
	struct companion *c = arg;

	event_breakpoints_arm(&c->breakpoints);
}

static void on_adapter_event(void *arg, struct json_object *event)
{
	struct companion *c = arg;
	const char *name = dap_message_name(event);
	struct json_object *body = dap_message_get(event, "body", NULL);
	bool is_remote = json_read_member(body, "isLocalProcess") && !dap_message_bool(body, "isLocalProcess");

	if (!strcmp(name, "stopped")) {
		on_stop(c, event);
		return;
	}
	if (!strcmp(name, "exited") || !strcmp(name, "terminated"))
		steps_forget(&c->steps);
	else if (!strcmp(name, "continued"))
		on_resume(c);
	else if (!strcmp(name, "process") && !is_remote)
		attach_target(c, dap_message_int(body, "systemProcessId", 0));
	dap_client_send(c->client, dap_message_copy(event));
}

static void on_adapter_end(void *arg, const char *words)
{
	struct companion *c = arg;
	struct buf t = {0};

	steps_forget(&c->steps);
	text_printf(&t, "%s\n", words);
	dap_client_print(c->client, "stderr", t.data);
	buf_deinit(&t);
	dap_client_send_event(c->client, "terminated", NULL);
	on_resume(c);
	c->ended(c->arg);
}

/* Start */

static const char *get_failure(const struct companion *c)
{
	return c->adapter.why ? c->adapter.why : "no program is debugged yet: launch or attach comes first";
}

static void on_begun(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	int64_t pid = dap_message_int(dap_message_get(request, "arguments", NULL), "pid", 0);

	/* Not every adapter reports the process id. */
	if (dap_message_bool(response, "success") && !strcmp(dap_message_name(request), "attach") && !c->target.pid)
		attach_target(c, pid);
	dap_client_pass(c->client, request, response);
}

/* The program gets our PYTHONPATH, not the one that lldb needs. */
static void restore_python_path(struct companion *c)
{
	char *command = lldb_python_restore_command();

	adapter_evaluate(&c->adapter, command, NULL, NULL);
	free(command);
}

/* Forward the client's `launch` or `attach`, without our own settings. */
static void forward_begin(struct companion *c, struct json_object *request)
{
	static const char *const ours[] = {"mode", "nativeAdapter", "connect", "tokenFile"};
	struct json_object *arguments = dap_message_copy(dap_message_get(request, "arguments", NULL));

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		json_object_object_del(arguments, ours[i]);
	c->breakpoints.is_launch = !strcmp(dap_message_name(request), "launch");
	if (c->breakpoints.is_launch && c->adapter.process.has_python_path)
		restore_python_path(c);
	adapter_forward_changed(&c->adapter, request, arguments, on_begun, c);
}

/* Refuse @request with the reason, and end the session. */
static void refuse_begin(struct companion *c, struct json_object *request, const char *why)
{
	dap_client_refuse(c->client, request, why);
	dap_client_send_event(c->client, "terminated", NULL);
}

/* Report the native adapter's capabilities to the client, then forward the client's launch or attach. */
static void on_initialized(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *begins = c->begins, *body = dap_message_get(response, "body", NULL);
	const char *why = dap_message_string(response, "message");

	(void)request;
	/* The session is ending. */
	if (!begins)
		return;
	c->begins = NULL;
	if (dap_message_bool(response, "success")) {
		c->adapter.capabilities = json_object_get(body);
		capabilities_announce(c->client, capabilities_with_ours(body, adapter_is_lldb(&c->adapter)));
		forward_begin(c, begins);
	} else if (c->adapter.is_open) {
		refuse_begin(c, begins, why ? why : "cannot start: the native adapter refuses the session");
	} else {
		/* The adapter has died: on_adapter_end() reports it, and ends the session. */
		dap_client_refuse(c->client, begins, get_failure(c));
	}
	json_object_put(begins);
	c->started(c->arg);
}

void companion_begin(struct companion *c, struct json_object *choice, struct json_object *request)
{
	/* A fuzzer opens the native adapter itself. */
	if (!c->adapter.is_open && !adapter_open(&c->adapter, choice)) {
		refuse_begin(c, request, c->adapter.why);
		return;
	}
	c->begins = json_object_get(request);
	adapter_ask(&c->adapter, "initialize", json_object_get(c->client->initialize), on_initialized, c);
}

bool companion_is_starting(const struct companion *c)
{
	return c->begins != NULL;
}

/* Requests of the client */

static void request_scopes(struct companion *c, struct json_object *request)
{
	scope_requests_answer(&c->scope_requests, request);
}

static void request_variables(struct companion *c, struct json_object *request)
{
	int64_t reference = dap_message_int(dap_message_get(request, "arguments", NULL), "variablesReference", 0);

	if (reference < MESSAGE_OWN_IDS)
		adapter_forward(&c->adapter, request, NULL, NULL);
	else
		frame_scopes_answer(&c->scopes, request);
}

static void request_threads(struct companion *c, struct json_object *request)
{
	thread_lists_request(&c->lists, request);
}

static void request_stack(struct companion *c, struct json_object *request)
{
	stack_traces_request(&c->traces, request);
}

static void set_functions(struct companion *c, struct json_object *request)
{
	event_breakpoints_set_functions(&c->breakpoints, request);
}

static void set_exceptions(struct companion *c, struct json_object *request)
{
	event_breakpoints_set_exceptions(&c->breakpoints, request);
}

static void on_disconnected(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;

	c->adapter.has_left = dap_message_bool(response, "success");
	dap_client_pass(c->client, request, response);
	if (c->adapter.has_left) {
		native_leave(&c->adapter.process);
		dap_client_leave_later(c->client);
	}
}

static void disconnect(struct companion *c, struct json_object *request)
{
	adapter_forward(&c->adapter, request, on_disconnected, c);
}

/* Requests that are ours, or changed before they are forwarded. */
static const struct {
	const char *command;
	void (*handle)(struct companion *c, struct json_object *request);
} handlers[] = {
	{"disconnect", disconnect},
	{"scopes", request_scopes},
	{"setExceptionBreakpoints", set_exceptions},
	{"setFunctionBreakpoints", set_functions},
	{"stackTrace", request_stack},
	{"threads", request_threads},
	{"variables", request_variables},
};

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

/* Forward a request that only the native adapter answers. */
static void forward_request(struct companion *c, struct json_object *request)
{
	const char *command = dap_message_name(request), *needs = capabilities_needed(command);
	struct buf t = {0};

	if (needs && !adapter_can(&c->adapter, needs)) {
		text_printf(&t, "%s: the native adapter %s does not offer it", command, c->adapter.process.name);
		dap_client_refuse(c->client, request, t.data);
		buf_deinit(&t);
		return;
	}
	if (scope_requests_is_own(&c->scope_requests, request)) {
		dap_client_refuse(c->client, request,
				  "cannot use this frame: it is a label between frames, without code and variables");
		return;
	}
	if (is_resuming(command)) {
		steps_give_way(&c->steps);
		event_breakpoints_arm(&c->breakpoints);
		on_resume(c);
	}
	adapter_forward(&c->adapter, request, NULL, NULL);
}

static void list_step_targets(struct companion *c, struct json_object *request)
{
	bool is_native = adapter_can(&c->adapter, capabilities_needed("stepInTargets")) &&
			 !scope_requests_is_own(&c->scope_requests, request);

	step_start_list_targets(&c->steps, request, is_native);
}

void companion_request(struct companion *c, struct json_object *request)
{
	const char *command = dap_message_name(request);

	thread_lists_note_request(&c->lists);
	if (custom_handles(command)) {
		custom_request(&c->custom, &c->ids, request);
	} else if (step_start_handles(request)) {
		step_start_request(&c->steps, request);
	} else if (!c->adapter.is_open) {
		dap_client_refuse(c->client, request, get_failure(c));
	} else if (!strcmp(command, "pause") && steps_take_pause(&c->steps, request)) {
		return;
	} else if (!strcmp(command, "stepInTargets") && adapter_is_lldb(&c->adapter)) {
		list_step_targets(c, request);
	} else if (!strcmp(command, "setInstructionBreakpoints") &&
		   adapter_can(&c->adapter, capabilities_needed(command))) {
		planted_events_set_instructions(&c->planted, request);
	} else {
		for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
			if (!strcmp(command, handlers[i].command)) {
				handlers[i].handle(c, request);
				return;
			}
		}
		forward_request(c, request);
	}
}

void companion_init(struct companion *c, struct dap_client *client)
{
	struct adapter *adapter = &c->adapter;
	struct debuggee *target = &c->target;

	*c = (struct companion){.client = client};
	c->adapter = (struct adapter){.client = client, .event = on_adapter_event, .ended = on_adapter_end, .arg = c};
	c->target = (struct debuggee){.sampled = on_sample, .attached = on_attached, .arg = c};
	c->ids = (struct thread_ids){.adapter = adapter, .known = on_ids, .arg = c};
	c->stacks = (struct native_stacks){.ids = &c->ids, .arrived = on_native_stack, .arg = c};
	c->scopes = (struct frame_scopes){.client = client, .target = target};
	c->traces = (struct stack_traces){client, adapter, target, &c->ids, &c->stacks, &c->scopes, NULL};
	c->scope_requests = (struct scope_requests){client, adapter, target, &c->scopes};
	c->custom = (struct custom_events){.client = client, .target = target};
	c->lists = (struct thread_lists){
		.client = client,
		.adapter = adapter,
		.target = target,
		.ids = &c->ids,
		.stacks = &c->stacks,
		.custom = &c->custom,
	};
	c->planted = (struct planted_events){
		.client = client,
		.adapter = adapter,
		.target = target,
		.wanted = &c->breakpoints.wanted,
		.resumes = on_resume,
		.waits_for_runtime = on_missing_runtime,
		.arg = c,
	};
	c->breakpoints = (struct event_breakpoints){.client = client, .adapter = adapter, .planted = &c->planted};
	c->steps = (struct steps){
		.client = client,
		.script = {.adapter = adapter, .target = target, .arg = &c->steps},
		.stopped = on_stop,
		.resumes = on_resume,
		.arg = c,
	};
}

void companion_deinit(struct companion *c)
{
	custom_events_close(&c->custom);
	adapter_close(&c->adapter);
	if (debuggee_is_open(&c->target))
		debuggee_close(&c->target);
	stack_traces_drop(&c->traces);
	thread_lists_release(&c->lists);
	json_object_put(c->begins);
	c->begins = NULL;
	adapter_deinit(&c->adapter);
	native_stacks_forget(&c->stacks);
	frame_scopes_deinit(&c->scopes);
	planted_events_deinit(&c->planted);
	event_breakpoints_deinit(&c->breakpoints);
	steps_deinit(&c->steps);
	thread_ids_deinit(&c->ids);
}
