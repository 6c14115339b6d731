/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Planting and removing the breakpoints of events. */
#include "planted_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "message.h"

#define MAX_PLACES 64

enum method { METHOD_NONE, METHOD_INSTRUCTION, METHOD_LLDB };

static enum method get_method(const struct planted_events *p)
{
	if (adapter_can(p->adapter, "supportsInstructionBreakpoints"))
		return METHOD_INSTRUCTION;
	return adapter_is_lldb(p->adapter) ? METHOD_LLDB : METHOD_NONE;
}

bool planted_events_are_possible(const struct planted_events *p)
{
	return get_method(p) != METHOD_NONE;
}

const struct planted_event *planted_events_find(const struct planted_events *p, int64_t id)
{
	for (size_t i = 0; i < p->n && id > 0; i++) {
		if (p->list[i].id == id)
			return &p->list[i];
	}
	return NULL;
}

static struct planted_event *find_place(struct planted_events *p, int event, uint64_t address)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].event == event && p->list[i].address == address)
			return &p->list[i];
	}
	return NULL;
}

/* Notifications to the client */

static bool is_planted(const struct planted_events *p, int event)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].event == event && p->list[i].id > 0)
			return true;
	}
	return false;
}

struct json_object *planted_events_describe(const struct planted_events *p, enum events_request by, int event)
{
	struct json_object *one = json_object_new_object();
	bool is_there = event != EVENTS_NONE && is_planted(p, event);
	const char *why = "waits for the OpenMP runtime";

	if (event == EVENTS_NONE)
		why = "unknown OpenMP event";
	else if (!planted_events_are_possible(p))
		why = "this native adapter does not accept breakpoints at addresses";
	else if (p->why[event])
		why = p->why[event];
	if (event != EVENTS_NONE)
		dap_message_put_int(one, "id", MESSAGE_OWN_IDS + by * EVENTS_N + event);
	dap_message_put_bool(one, "verified", is_there);
	if (!is_there)
		dap_message_put_string(one, "message", why);
	return one;
}

static void report_change(struct planted_events *p, enum events_request by, int event)
{
	struct json_object *body = json_object_new_object();

	dap_message_put_string(body, "reason", "changed");
	json_object_object_add(body, "breakpoint", planted_events_describe(p, by, event));
	dap_client_send_event(p->client, "breakpoint", body);
}

/* Notify the client of the state of @event: planted, or @why not. Each state is reported once. */
static void report_state(struct planted_events *p, int event, const char *why)
{
	char **before = &p->why[event];
	struct buf t = {0};

	if (why ? *before && !strcmp(*before, why) : p->is_reported[event])
		return;
	free(*before);
	*before = why ? text_strdup(why) : NULL;
	p->is_reported[event] = !why;
	if (events_is_function(p->wanted, event))
		report_change(p, EVENTS_BY_FUNCTION, event);
	if (p->wanted->by_filter[event])
		report_change(p, EVENTS_BY_FILTER, event);
	if (!why)
		return;
	/* Clients hardly show breakpoints that are not verified. */
	text_printf(&t, "cannot set a breakpoint at %s: %s\n", events_name(event), why);
	dap_client_print(p->client, "console", t.data);
	buf_deinit(&t);
}

static void report_failures(struct planted_events *p, const char *why)
{
	for (int i = 0; i < EVENTS_N; i++) {
		if (events_is_wanted(p->wanted, i) && !is_planted(p, i))
			report_state(p, i, why);
	}
}

/* Planting */

static void resume_program(struct planted_events *p)
{
	if (!p->holds || p->n_waits)
		return;
	p->holds = false;
	p->resumes(p->arg);
	adapter_continue(p->adapter, p->held_thread, NULL, NULL);
}

void planted_events_hold(struct planted_events *p, int64_t thread)
{
	p->holds = true;
	p->held_thread = thread;
}

/* Note the native adapter's answer for one planted breakpoint. */
static void count_answer(struct planted_events *p)
{
	p->n_waits--;
	resume_program(p);
}

static void remove_entry(struct planted_events *p, struct planted_event *one)
{
	int event = one->event;

	*one = p->list[--p->n];
	p->is_reported[event] = is_planted(p, event);
}

/* Note that the breakpoint has number @id, or failed if @id is 0: @said is the native adapter's reason. */
static void record_breakpoint(struct planted_events *p, struct planted_event *one, int64_t id, const char *said)
{
	int event = one->event;
	struct buf t = {0};

	one->id = id;
	if (id > 0) {
		report_state(p, event, NULL);
		return;
	}
	text_printf(&t, "the native adapter refuses address 0x%llx", (unsigned long long)one->address);
	remove_entry(p, one);
	if (said && *said)
		text_printf(&t, ": %.*s", (int)strcspn(said, "\n"), said);
	report_state(p, event, t.data);
	buf_deinit(&t);
}

static void delete_lldb_breakpoint(struct planted_events *p, int64_t id)
{
	char command[64];

	/* The backtick is the adapter's prefix of a command: otherwise it would evaluate an expression. */
	snprintf(command, sizeof(command), "`breakpoint delete %lld", (long long)id);
	adapter_evaluate(p->adapter, command, NULL, NULL);
}

/* A breakpoint requested from lldb, whose answer does not always have the address. */
struct lldb_request {
	struct planted_events *events;
	struct planted_event one;
};

/* Parse "Breakpoint 2: address = 0x…", or with a place: "Breakpoint 2: where = …, address = 0x…". */
static void on_lldb_breakpoint(void *arg, struct json_object *request, struct json_object *response)
{
	struct lldb_request *a = arg;
	struct planted_events *p = a->events;
	const char *text = adapter_printed(response);
	const char *said = text ? text : dap_message_string(response, "message");
	const char *number = text ? strstr(text, "Breakpoint ") : NULL;
	const char *address = number ? strstr(number, "address = 0x") : NULL;
	uint64_t at = address ? strtoull(address + strlen("address = "), NULL, 16) : 0;
	int64_t id = number && at == a->one.address ? strtoll(number + strlen("Breakpoint "), NULL, 10) : 0;
	struct planted_event *one = find_place(p, a->one.event, a->one.address);

	(void)request;
	if (one && !one->id && p->adapter->is_open)
		record_breakpoint(p, one, id, said);
	else if (id > 0 && !(one && one->id == id))
		/* It is no longer wanted. */
		delete_lldb_breakpoint(p, id);
	free(a);
	count_answer(p);
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
	struct planted_events *p = arg;
	struct json_object *list = dap_message_array(dap_message_get(response, "body", NULL), "breakpoints");
	size_t n_theirs = dap_message_length(dap_message_array(p->client_instructions, "breakpoints"));

	(void)request;
	/* Backwards: when an entry is removed, the last one takes its place. */
	for (size_t i = p->n; i-- > 0 && p->n_waits == 1 && p->adapter->is_open;) {
		struct json_object *one = find_answer(list, n_theirs + i, p->list[i].address);
		const char *said = dap_message_string(one ? one : response, "message");

		record_breakpoint(p, &p->list[i], dap_message_bool(one, "verified") ? dap_message_int(one, "id", 0) : 0,
				  said);
	}
	count_answer(p);
}

/* Return the client's list of breakpoints at addresses, followed by ours. The caller owns it. */
static struct json_object *list_instructions(const struct planted_events *p)
{
	struct json_object *arguments = dap_message_copy(p->client_instructions);
	struct json_object *list = dap_message_copy_array(arguments, "breakpoints");

	for (size_t i = 0; i < p->n; i++) {
		struct json_object *one = json_object_new_object();
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)p->list[i].address);
		dap_message_put_string(one, "instructionReference", address);
		json_object_array_add(list, one);
	}
	json_object_object_add(arguments, "breakpoints", list);
	return arguments;
}

static void send_instructions(struct planted_events *p)
{
	p->n_waits++;
	adapter_ask(p->adapter, "setInstructionBreakpoints", list_instructions(p), on_instructions_planted, p);
}

/* Answer the client, for its own breakpoints only. */
static void on_client_instructions(void *arg, struct json_object *request, struct json_object *response)
{
	struct planted_events *p = arg;
	struct json_object *body = dap_message_get(response, "body", NULL),
			   *native = dap_message_array(body, "breakpoints");
	size_t n = dap_message_length(dap_message_array(dap_message_get(request, "arguments", NULL), "breakpoints"));

	if (native) {
		struct json_object *own = dap_message_copy(body), *list = json_object_new_array();

		for (size_t i = 0; i < n && i < dap_message_length(native); i++)
			json_object_array_add(list, json_object_get(json_object_array_get_idx(native, i)));
		json_object_object_add(own, "breakpoints", list);
		dap_client_pass_changed(p->client, request, response, own);
	} else {
		dap_client_pass(p->client, request, response);
	}
	on_instructions_planted(p, request, response);
}

void planted_events_set_instructions(struct planted_events *p, struct json_object *request)
{
	json_object_put(p->client_instructions);
	p->client_instructions = json_object_get(dap_message_get(request, "arguments", NULL));
	if (adapter_forward_changed(p->adapter, request, list_instructions(p), on_client_instructions, p))
		p->n_waits++;
}

/* Remove the breakpoints that are no longer wanted. Returns whether any was removed. */
static bool remove_unwanted_breakpoints(struct planted_events *p)
{
	bool changed = false;

	for (size_t i = p->n; i-- > 0;) {
		struct planted_event one = p->list[i];

		if (events_is_wanted(p->wanted, one.event))
			continue;
		remove_entry(p, &p->list[i]);
		changed = true;
		if (get_method(p) == METHOD_LLDB && one.id > 0)
			delete_lldb_breakpoint(p, one.id);
	}
	return changed;
}

static void plant_lldb_breakpoint(struct planted_events *p, const struct planted_event *one)
{
	struct lldb_request *a = text_calloc(1, sizeof(*a));
	char command[64];

	*a = (struct lldb_request){p, *one};
	p->n_waits++;
	snprintf(command, sizeof(command), "`breakpoint set --address 0x%llx", (unsigned long long)one->address);
	adapter_evaluate(p->adapter, command, on_lldb_breakpoint, a);
}

static bool plant_event(struct planted_events *p, struct json_object *result, int event)
{
	uint64_t addresses[MAX_PLACES];
	char *why = NULL;
	size_t n = events_addresses(result, event, addresses, MAX_PLACES, &why);
	bool changed = false;

	for (size_t i = 0; i < n && p->n < PLANTED_EVENTS_MAX; i++) {
		const struct planted_event one = {event, addresses[i], 0};

		if (find_place(p, event, addresses[i]))
			continue;
		p->list[p->n++] = one;
		if (get_method(p) == METHOD_LLDB)
			plant_lldb_breakpoint(p, &one);
		changed = true;
	}
	if (why)
		report_state(p, event, why);
	free(why);
	return changed;
}

/* Handle missing addresses. If the process has called exec() or exited, attach again and repeat the request. */
static void handle_missing_addresses(struct planted_events *p, struct json_object *error)
{
	bool is_held = p->target->is_stopped || p->holds;
	char *why;

	if (is_held && debuggee_attach_anew(p->target, error))
		return;
	why = service_error_text(error);
	/* A program that has exited needs no breakpoints. */
	if (is_held || !debuggee_is_gone(error))
		report_failures(p, why);
	free(why);
	resume_program(p);
}

static void on_addresses(void *arg, struct json_object *result, struct json_object *error)
{
	struct planted_events *p = arg;
	bool changed = false;

	p->is_requested = false;
	/* The answer is outdated: the process has stopped or the client has changed its request meanwhile. */
	if (p->is_outdated) {
		planted_events_update(p);
		return;
	}
	if (error) {
		handle_missing_addresses(p, error);
		return;
	}
	if (events_lack_runtime(result)) {
		/* The runtime is not loaded yet: wait for it. */
		p->waits_for_runtime(p->arg);
		resume_program(p);
		return;
	}
	for (int i = 0; i < EVENTS_N; i++)
		changed |= events_is_wanted(p->wanted, i) && plant_event(p, result, i);
	if (changed && get_method(p) == METHOD_INSTRUCTION)
		send_instructions(p);
	resume_program(p);
}

/* Return whether attaching is in progress, so that planting must wait for it. */
static bool is_attaching(struct planted_events *p)
{
	if (p->target->state == DEBUGGEE_ATTACHING)
		return true;
	/* The first attempt may have been too early: try again while the program is stopped in main(). */
	if (p->target->state != DEBUGGEE_FAILED || !p->holds || p->was_retried)
		return false;
	p->was_retried = true;
	return debuggee_attach_anew(p->target, NULL);
}

void planted_events_update(struct planted_events *p)
{
	p->is_outdated = false;
	if (remove_unwanted_breakpoints(p) && get_method(p) == METHOD_INSTRUCTION)
		send_instructions(p);
	if (p->is_requested) {
		p->is_outdated = true;
		return;
	}
	if (!events_any_wanted(p->wanted) || get_method(p) == METHOD_NONE) {
		resume_program(p);
		return;
	}
	if (is_attaching(p))
		return;
	if (p->target->state != DEBUGGEE_READY) {
		if (p->target->state == DEBUGGEE_FAILED)
			report_failures(p, p->target->why);
		else if (p->holds)
			report_failures(p, "the native adapter has not reported the process id");
		resume_program(p);
		return;
	}
	p->is_requested = true;
	debuggee_call(p->target, "breakpoint.addresses", json_object_new_object(), on_addresses, p);
}

void planted_events_deinit(struct planted_events *p)
{
	for (int i = 0; i < EVENTS_N; i++)
		free(p->why[i]);
	json_object_put(p->client_instructions);
}
