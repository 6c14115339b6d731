/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenMP's events as breakpoints of the native adapter, by address if it supports that, otherwise by lldb's own
 * command. A stop for that purpose ends when the native adapter has answered for each breakpoint.
 */
#include "companion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

#define MAX_PLACES 64

enum method { METHOD_NONE, METHOD_INSTRUCTION, METHOD_LLDB };

static enum method get_method(const struct companion *c)
{
	if (companion_native_can(c, "supportsInstructionBreakpoints"))
		return METHOD_INSTRUCTION;
	return c->native.kind == NATIVE_LLDB ? METHOD_LLDB : METHOD_NONE;
}

bool companion_can_plant(const struct companion *c)
{
	return get_method(c) != METHOD_NONE;
}

/* Notifications to the client */

static bool is_planted(const struct companion *c, int event)
{
	for (size_t i = 0; i < c->events.n_planted; i++) {
		if (c->events.planted[i].event == event && c->events.planted[i].id > 0)
			return true;
	}
	return false;
}

struct json_object *companion_breakpoint_of(const struct companion *c, enum events_wish wish, int event)
{
	struct json_object *one = json_object_new_object();
	bool is_there = event != EVENTS_NONE && is_planted(c, event);
	const char *why = "waits for the OpenMP runtime";

	if (event == EVENTS_NONE)
		why = "there is no such OpenMP event";
	else if (!companion_can_plant(c))
		why = "this native adapter takes no addresses";
	else if (c->events.why[event])
		why = c->events.why[event];
	if (event != EVENTS_NONE)
		dap_message_put_int(one, "id", MESSAGE_OWN_IDS + wish * EVENTS_N + event);
	dap_message_put_bool(one, "verified", is_there);
	if (!is_there)
		dap_message_put_string(one, "message", why);
	return one;
}

static void report_change(struct companion *c, enum events_wish wish, int event)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "reason", "changed");
	json_object_object_add(body, "breakpoint", companion_breakpoint_of(c, wish, event));
	dap_session_event(c->s, "breakpoint", body);
}

/* Notify the client of the state of @event: planted, or @why not. Each state is reported once. */
static void report_state(struct companion *c, int event, const char *why)
{
	char **before = &c->events.why[event];
	struct text t = {0};

	if (why ? *before && !strcmp(*before, why) : c->events.is_told[event])
		return;
	free(*before);
	*before = why ? text_strdup(why) : NULL;
	c->events.is_told[event] = !why;
	if (events_is_function(&c->events, event))
		report_change(c, EVENTS_BY_FUNCTION, event);
	if (c->events.by_filter[event])
		report_change(c, EVENTS_BY_FILTER, event);
	if (!why)
		return;
	/* Clients hardly show breakpoints that are not verified. */
	text_printf(&t, "no breakpoint for %s: %s\n", events_name(event), why);
	dap_session_say(c->s, "console", t.data);
	text_deinit(&t);
}

static void report_failures(struct companion *c, const char *why)
{
	for (int i = 0; i < EVENTS_N; i++) {
		if (events_is_wanted(&c->events, i) && !is_planted(c, i))
			report_state(c, i, why);
	}
}

/* Planting */

static void resume_program(struct companion *c)
{
	struct json_object *arguments;

	if (!c->events.resumes || c->events.n_waits)
		return;
	c->events.resumes = false;
	companion_ran(c);
	arguments = json_object_new_object();
	dap_message_put_int(arguments, "threadId", c->events.resume_thread);
	companion_ask(c, "continue", arguments, NULL, NULL);
}

/* Note the native adapter's answer for one planted breakpoint. */
static void count_answer(struct companion *c)
{
	c->events.n_waits--;
	resume_program(c);
}

static void remove_entry(struct companion *c, struct events_planted *one)
{
	int event = one->event;

	*one = c->events.planted[--c->events.n_planted];
	c->events.is_told[event] = is_planted(c, event);
}

/* Note that the breakpoint has number @id, or failed if @id is 0: @said is the native adapter's reason. */
static void record_breakpoint(struct companion *c, struct events_planted *one, int64_t id, const char *said)
{
	int event = one->event;
	struct text t = {0};

	one->id = id;
	if (id > 0) {
		report_state(c, event, NULL);
		return;
	}
	text_printf(&t, "the native adapter did not take address 0x%llx", (unsigned long long)one->address);
	remove_entry(c, one);
	if (said && *said)
		text_printf(&t, ": %.*s", (int)strcspn(said, "\n"), said);
	report_state(c, event, t.data);
	text_deinit(&t);
}

static void send_lldb_command(struct companion *c, relay_fn *done, void *arg, const char *format, uint64_t value)
{
	struct json_object *arguments = json_object_new_object();
	struct text t = {0};

	/* The adapter's prefix of a command: otherwise it would evaluate an expression. */
	text_add(&t, "`");
	text_printf(&t, "%s", format);
	text_printf(&t, strstr(format, "delete") ? "%llu" : "0x%llx", (unsigned long long)value);
	dap_message_put_string(arguments, "expression", t.data);
	dap_message_put_string(arguments, "context", "repl");
	text_deinit(&t);
	companion_ask(c, "evaluate", arguments, done, arg);
}

/* A breakpoint requested from lldb, whose answer does not always have the address. */
struct lldb_request {
	struct companion *companion;
	struct events_planted one;
};

/* Parse "Breakpoint 2: address = 0x…", or with a place: "Breakpoint 2: where = …, address = 0x…". */
static void on_lldb_breakpoint(void *arg, struct json_object *request, struct json_object *response)
{
	struct lldb_request *a = arg;
	struct companion *c = a->companion;
	const char *text = format_string(dap_message_get(response, "body", "result", NULL));
	const char *said = text ? text : dap_message_string(response, "message");
	const char *number = text ? strstr(text, "Breakpoint ") : NULL;
	const char *address = number ? strstr(number, "address = 0x") : NULL;
	uint64_t at = address ? strtoull(address + strlen("address = "), NULL, 16) : 0;
	int64_t id = number && at == a->one.address ? strtoll(number + strlen("Breakpoint "), NULL, 10) : 0;
	struct events_planted *one = events_at(&c->events, a->one.event, a->one.address);

	(void)request;
	if (one && !one->id && c->has_native)
		record_breakpoint(c, one, id, said);
	else if (id > 0 && !(one && one->id == id))
		/* It is no longer wanted. */
		send_lldb_command(c, NULL, NULL, "breakpoint delete ", (uint64_t)id);
	free(a);
	count_answer(c);
}

/* Return the answer for @address, number @index of the request: most adapters include the address. NULL: no answer. */
static struct json_object *find_answer(struct json_object *list, size_t index, uint64_t address)
{
	for (size_t i = dap_message_length(list); i-- > 0;) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const char *at = dap_message_string(one, "instructionReference");

		if (at && strtoull(at, NULL, 16) == address)
			return one;
	}
	return index < dap_message_length(list) ? json_object_array_get_idx(list, index) : NULL;
}

/* Process the answers, in the order of the request: the client's, then ours. A later change is sent again. */
static void on_instructions_planted(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *list = dap_message_array(dap_message_get(response, "body", NULL), "breakpoints");
	size_t n_theirs = dap_message_length(dap_message_array(c->events.client_instructions, "breakpoints"));

	(void)request;
	/* Backwards: when an entry is removed, the last one takes its place. */
	for (size_t i = c->events.n_planted; i-- > 0 && c->events.n_waits == 1 && c->has_native;) {
		struct json_object *one = find_answer(list, n_theirs + i, c->events.planted[i].address);
		const char *said = dap_message_string(one ? one : response, "message");

		record_breakpoint(c, &c->events.planted[i],
				  dap_message_bool(one, "verified") ? dap_message_int(one, "id", 0) : 0, said);
	}
	count_answer(c);
}

/* Return the client's list of breakpoints at addresses, followed by ours. The caller owns it. */
static struct json_object *list_instructions(const struct companion *c)
{
	struct json_object *arguments = dap_message_copy(c->events.client_instructions);
	struct json_object *list = dap_message_copy_array(arguments, "breakpoints");

	for (size_t i = 0; i < c->events.n_planted; i++) {
		struct json_object *one = json_object_new_object();
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)c->events.planted[i].address);
		dap_message_put_string(one, "instructionReference", address);
		json_object_array_add(list, one);
	}
	json_object_object_add(arguments, "breakpoints", list);
	return arguments;
}

static void send_instructions(struct companion *c)
{
	c->events.n_waits++;
	companion_ask(c, "setInstructionBreakpoints", list_instructions(c), on_instructions_planted, c);
}

/* Answer the client, for its own breakpoints only. */
static void on_client_instructions(void *arg, struct json_object *request, struct json_object *response)
{
	struct json_object *body = dap_message_get(response, "body", NULL),
			   *native = dap_message_array(body, "breakpoints");
	size_t n = dap_message_length(dap_message_array(dap_message_get(request, "arguments", NULL), "breakpoints"));
	struct json_object *changed = dap_message_copy(response), *own = dap_message_copy(body);
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n && i < dap_message_length(native); i++)
		json_object_array_add(list, json_object_get(json_object_array_get_idx(native, i)));
	json_object_object_add(own, "breakpoints", list);
	if (native)
		json_object_object_add(changed, "body", json_object_get(own));
	companion_pass(arg, request, changed);
	json_object_put(own);
	json_object_put(changed);
	on_instructions_planted(arg, request, response);
}

void companion_set_instruction_breakpoints(struct companion *c, struct json_object *request)
{
	json_object_put(c->events.client_instructions);
	c->events.client_instructions = json_object_get(dap_message_get(request, "arguments", NULL));
	if (companion_forward_changed(c, request, list_instructions(c), on_client_instructions))
		c->events.n_waits++;
}

/* Remove the breakpoints that are no longer wanted. Returns whether any was removed. */
static bool remove_unwanted_breakpoints(struct companion *c)
{
	struct events *e = &c->events;
	bool changed = false;

	for (size_t i = e->n_planted; i-- > 0;) {
		struct events_planted one = e->planted[i];

		if (events_is_wanted(e, one.event))
			continue;
		remove_entry(c, &e->planted[i]);
		changed = true;
		if (get_method(c) == METHOD_LLDB && one.id > 0)
			send_lldb_command(c, NULL, NULL, "breakpoint delete ", (uint64_t)one.id);
	}
	return changed;
}

static void plant_lldb_breakpoint(struct companion *c, const struct events_planted *one)
{
	struct lldb_request *a = text_calloc(1, sizeof(*a));

	*a = (struct lldb_request){c, *one};
	c->events.n_waits++;
	send_lldb_command(c, on_lldb_breakpoint, a, "breakpoint set --address ", one->address);
}

static bool plant_event(struct companion *c, struct json_object *result, int event)
{
	uint64_t addresses[MAX_PLACES];
	char *why = NULL;
	size_t n = events_addresses(result, event, addresses, MAX_PLACES, &why);
	bool changed = false;

	for (size_t i = 0; i < n && c->events.n_planted < EVENTS_MAX_PLANTED; i++) {
		const struct events_planted one = {event, addresses[i], 0};

		if (events_at(&c->events, event, addresses[i]))
			continue;
		c->events.planted[c->events.n_planted++] = one;
		if (get_method(c) == METHOD_LLDB)
			plant_lldb_breakpoint(c, &one);
		changed = true;
	}
	if (why)
		report_state(c, event, why);
	free(why);
	return changed;
}

/* Handle missing addresses. If the process has called exec() or exited, attach again and repeat the request. */
static void handle_missing_addresses(struct companion *c, struct json_object *error)
{
	bool is_held = c->is_stopped || c->events.resumes;
	char *why;

	if (is_held && debuggee_attach_anew(&c->target, error))
		return;
	why = service_error_text(error);
	/* A program that has exited needs no breakpoints. */
	if (is_held || !debuggee_is_gone(error))
		report_failures(c, why);
	free(why);
	resume_program(c);
}

static void on_addresses(void *arg, struct json_object *result, struct json_object *error)
{
	struct companion *c = arg;
	bool changed = false;

	c->events.is_planting = false;
	/* The answer is outdated: the process has stopped or the client has changed its request meanwhile. */
	if (c->events.wants_planting) {
		companion_plant(c);
		return;
	}
	if (error) {
		handle_missing_addresses(c, error);
		return;
	}
	if (events_lack_runtime(result)) {
		/* The runtime is not loaded yet: wait for it. */
		companion_arm(c);
		resume_program(c);
		return;
	}
	for (int i = 0; i < EVENTS_N; i++)
		changed |= events_is_wanted(&c->events, i) && plant_event(c, result, i);
	if (changed && get_method(c) == METHOD_INSTRUCTION)
		send_instructions(c);
	resume_program(c);
}

/* Return whether attaching is in progress, so that planting must wait for it. */
static bool is_attaching(struct companion *c)
{
	if (c->has_target && c->target.state == DEBUGGEE_ATTACHING)
		return true;
	/* The first attempt may have been too early: try again while the program is stopped in main(). */
	if (!c->has_target || c->target.state != DEBUGGEE_FAILED || !c->events.resumes || c->events.was_tried_again)
		return false;
	c->events.was_tried_again = true;
	return debuggee_attach_anew(&c->target, NULL);
}

void companion_plant(struct companion *c)
{
	c->events.wants_planting = false;
	if (remove_unwanted_breakpoints(c) && get_method(c) == METHOD_INSTRUCTION)
		send_instructions(c);
	if (c->events.is_planting) {
		c->events.wants_planting = true;
		return;
	}
	if (!events_any_wanted(&c->events) || get_method(c) == METHOD_NONE) {
		resume_program(c);
		return;
	}
	if (is_attaching(c))
		return;
	if (!c->has_target || c->target.state != DEBUGGEE_READY) {
		if (c->has_target && c->target.state == DEBUGGEE_FAILED)
			report_failures(c, c->target.why);
		else if (c->events.resumes)
			report_failures(c, "the native adapter has not told which process it debugs");
		resume_program(c);
		return;
	}
	c->events.is_planting = true;
	debuggee_call(&c->target, "breakpoint.addresses", json_object_new_object(), on_addresses, c);
}
