/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenMP's events as breakpoints of the native adapter's: at addresses where it takes some, else by lldb's own command.
 * A program that is only being started has no runtime yet: it is stopped in main() for that, unseen.
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

static enum method method_of(const struct companion *c)
{
	if (companion_native_can(c, "supportsInstructionBreakpoints"))
		return METHOD_INSTRUCTION;
	return c->native.kind == NATIVE_LLDB ? METHOD_LLDB : METHOD_NONE;
}

/* Told to the client */

static int64_t own_id(int event)
{
	return MESSAGE_OWN_IDS + event;
}

static struct json_object *breakpoint_of(struct companion *c, int event, const char *why)
{
	struct json_object *one = json_object_new_object();
	bool is_there = false;

	for (size_t i = 0; i < c->events.n_planted; i++)
		is_there |= event != EVENTS_NONE && c->events.planted[i].event == event;
	if (event != EVENTS_NONE)
		message_put_int(one, "id", own_id(event));
	message_put_bool(one, "verified", is_there);
	if (why)
		message_put_string(one, "message", why);
	return one;
}

static void tell(struct companion *c, int event, const char *why)
{
	struct json_object *body;
	bool is_function = false;

	for (size_t i = 0; i < c->events.n_functions; i++)
		is_function |= c->events.functions[i] == event;
	if (is_function) {
		body = json_object_new_object();
		message_put_string(body, "reason", "changed");
		json_object_object_add(body, "breakpoint", breakpoint_of(c, event, why));
		session_event(c->s, "breakpoint", body);
	} else if (why) {
		struct text t = {0};

		text_printf(&t, "no breakpoint for %s: %s\n", events_name(event), why);
		session_say(c->s, "console", t.data);
		text_deinit(&t);
	}
}

/* Planting */

static void go_on(struct companion *c)
{
	struct json_object *arguments;

	if (!c->events.resumes)
		return;
	c->events.resumes = false;
	companion_ran(c);
	arguments = json_object_new_object();
	message_put_int(arguments, "threadId", c->events.resume_thread);
	companion_ask(c, "continue", arguments, NULL, NULL);
}

/* "Breakpoint 2: address = 0x…" */
static void lldb_planted(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	const char *text = format_string(message_get(response, "body", "result", NULL));
	const char *number = text ? strstr(text, "Breakpoint ") : NULL;
	const char *address = number ? strstr(number, "address = 0x") : NULL;
	uint64_t at = address ? strtoull(address + strlen("address = "), NULL, 16) : 0;

	(void)request;
	for (size_t i = 0; i < c->events.n_planted && at; i++) {
		if (c->events.planted[i].address == at && !c->events.planted[i].id)
			c->events.planted[i].id = strtoll(number + strlen("Breakpoint "), NULL, 10);
	}
}

static void lldb_command(struct companion *c, relay_fn *done, const char *format, uint64_t value)
{
	struct json_object *arguments = json_object_new_object();
	struct text t = {0};

	/* The adapter's mark of a command, where an expression would be taken. */
	text_add(&t, "`");
	text_printf(&t, "%s", format);
	text_printf(&t, strstr(format, "delete") ? "%llu" : "0x%llx", (unsigned long long)value);
	message_put_string(arguments, "expression", t.data);
	message_put_string(arguments, "context", "repl");
	text_deinit(&t);
	companion_ask(c, "evaluate", arguments, done, c);
}

/* The answers stand in the order of what was asked: the client's, then ours. What has changed since is sent again. */
static void instructions_planted(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *list = message_array(message_get(response, "body", NULL), "breakpoints");
	size_t n_theirs = message_length(message_array(c->events.client_instructions, "breakpoints"));

	(void)request;
	if (message_length(list) != n_theirs + c->events.n_planted)
		return;
	for (size_t i = 0; i < c->events.n_planted; i++)
		c->events.planted[i].id = message_int(json_object_array_get_idx(list, n_theirs + i), "id", 0);
}

/* The client's list of breakpoints at addresses, with ours behind; the caller owns it. */
static struct json_object *all_instructions(const struct companion *c)
{
	struct json_object *arguments = message_copy(c->events.client_instructions), *list = json_object_new_array();
	struct json_object *theirs = message_array(c->events.client_instructions, "breakpoints");

	for (size_t i = 0; i < message_length(theirs); i++)
		json_object_array_add(list, json_object_get(json_object_array_get_idx(theirs, i)));
	for (size_t i = 0; i < c->events.n_planted; i++) {
		struct json_object *one = json_object_new_object();
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)c->events.planted[i].address);
		message_put_string(one, "instructionReference", address);
		json_object_array_add(list, one);
	}
	json_object_object_add(arguments, "breakpoints", list);
	return arguments;
}

static void send_instructions(struct companion *c)
{
	companion_ask(c, "setInstructionBreakpoints", all_instructions(c), instructions_planted, c);
}

/* The client is told of its own. */
static void instructions_came(void *arg, struct json_object *request, struct json_object *response)
{
	struct json_object *body = message_get(response, "body", NULL), *native = message_array(body, "breakpoints");
	size_t n = message_length(message_array(message_get(request, "arguments", NULL), "breakpoints"));
	struct json_object *changed = message_copy(response), *own = message_copy(body);
	struct json_object *list = json_object_new_array();

	instructions_planted(arg, request, response);
	for (size_t i = 0; i < n && i < message_length(native); i++)
		json_object_array_add(list, json_object_get(json_object_array_get_idx(native, i)));
	json_object_object_add(own, "breakpoints", list);
	if (native)
		json_object_object_add(changed, "body", json_object_get(own));
	companion_pass(arg, request, changed);
	json_object_put(own);
	json_object_put(changed);
}

void companion_set_instruction_breakpoints(struct companion *c, struct json_object *request)
{
	json_object_put(c->events.client_instructions);
	c->events.client_instructions = json_object_get(message_get(request, "arguments", NULL));
	companion_forward_changed(c, request, all_instructions(c), instructions_came);
}

/* Take away those that nobody wants any more. */
static bool uproot(struct companion *c)
{
	struct events *e = &c->events;
	bool changed = false;

	for (size_t i = e->n_planted; i-- > 0;) {
		struct events_planted one = e->planted[i];

		if (events_is_wanted(e, one.event))
			continue;
		e->planted[i] = e->planted[--e->n_planted];
		changed = true;
		if (method_of(c) == METHOD_LLDB && one.id > 0)
			lldb_command(c, NULL, "breakpoint delete ", (uint64_t)one.id);
	}
	return changed;
}

static bool plant_event(struct companion *c, struct json_object *result, int event)
{
	uint64_t addresses[MAX_PLACES];
	char *why = NULL;
	size_t n = events_addresses(result, event, addresses, MAX_PLACES, &why);
	bool changed = false;

	for (size_t i = 0; i < n && c->events.n_planted < EVENTS_MAX_PLANTED; i++) {
		if (events_at(&c->events, event, addresses[i]))
			continue;
		c->events.planted[c->events.n_planted++] = (struct events_planted){event, addresses[i], 0};
		if (method_of(c) == METHOD_LLDB)
			lldb_command(c, lldb_planted, "breakpoint set --address ", addresses[i]);
		changed = true;
	}
	if (changed || why)
		tell(c, event, why);
	free(why);
	return changed;
}

static void addresses_came(void *arg, struct json_object *result, struct json_object *error)
{
	struct companion *c = arg;
	bool changed = false;

	(void)error;
	c->events.is_planting = false;
	/* It will come when the program has loaded it. */
	if (events_lack_runtime(result))
		result = NULL;
	for (int i = 0; i < EVENTS_N && result; i++)
		changed |= events_is_wanted(&c->events, i) && plant_event(c, result, i);
	if (changed && method_of(c) == METHOD_INSTRUCTION)
		send_instructions(c);
	go_on(c);
}

void companion_plant(struct companion *c)
{
	if (uproot(c) && method_of(c) == METHOD_INSTRUCTION)
		send_instructions(c);
	if (c->events.is_planting)
		return;
	if (!events_any_wanted(&c->events) || !c->has_target || c->target.state != TARGET_READY ||
	    method_of(c) == METHOD_NONE) {
		if (!c->has_target || c->target.state != TARGET_ATTACHING)
			go_on(c);
		return;
	}
	c->events.is_planting = true;
	target_call(&c->target, "breakpoint.addresses", json_object_new_object(), addresses_came, c);
}

/* What clients ask for */

/* The answer to the client's list: natives' answers in the places of its own, ours between them. */
static void functions_came(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *asked = message_array(message_get(request, "arguments", NULL), "breakpoints");
	struct json_object *body = message_get(response, "body", NULL), *native = message_array(body, "breakpoints");
	struct json_object *list, *changed, *own;
	size_t next = 0;

	if (!message_bool(response, "success")) {
		companion_pass(c, request, response);
		return;
	}
	list = json_object_new_array();
	for (size_t i = 0; i < message_length(asked); i++) {
		bool is_ours;
		int event = events_of_function(message_string(json_object_array_get_idx(asked, i), "name"), &is_ours);

		if (!is_ours && next < message_length(native))
			json_object_array_add(list, json_object_get(json_object_array_get_idx(native, next++)));
		else if (!is_ours)
			break;
		else if (event == EVENTS_NONE)
			json_object_array_add(list, breakpoint_of(c, event, "there is no such OpenMP event"));
		else if (method_of(c) == METHOD_NONE)
			json_object_array_add(list, breakpoint_of(c, event, "this native adapter takes no addresses"));
		else
			json_object_array_add(list, breakpoint_of(c, event, "waits for the OpenMP runtime"));
	}
	changed = message_copy(response);
	own = message_copy(body);
	json_object_object_add(own, "breakpoints", list);
	json_object_object_add(changed, "body", own);
	companion_pass(c, request, changed);
	json_object_put(changed);
	companion_plant(c);
}

void companion_set_function_breakpoints(struct companion *c, struct json_object *request)
{
	struct json_object *rest = events_take_functions(&c->events, message_get(request, "arguments", NULL));

	json_object_put(c->events.client_functions);
	c->events.client_functions = json_object_get(rest);
	if (companion_native_can(c, "supportsFunctionBreakpoints")) {
		companion_forward_changed(c, request, rest, functions_came);
		return;
	}
	json_object_put(rest);
	struct json_object *response = message_response(request, json_object_new_object());
	functions_came(c, request, response);
	json_object_put(response);
}

static void filters_came(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;

	companion_pass(c, request, response);
	companion_plant(c);
}

void companion_set_exception_breakpoints(struct companion *c, struct json_object *request)
{
	struct json_object *rest = events_take_filters(&c->events, message_get(request, "arguments", NULL));

	if (message_length(message_array(c->capabilities, "exceptionBreakpointFilters"))) {
		companion_forward_changed(c, request, rest, filters_came);
		return;
	}
	/* One without filters takes no such request. */
	json_object_put(rest);
	session_answer(c->s, request, NULL);
	companion_plant(c);
}

/* The breakpoint in main() */

static void send_functions(struct companion *c, bool with_main, relay_fn *done)
{
	struct json_object *arguments = message_copy(c->events.client_functions), *list = json_object_new_array();
	struct json_object *theirs = message_array(c->events.client_functions, "breakpoints");

	for (size_t i = 0; i < message_length(theirs); i++)
		json_object_array_add(list, json_object_get(json_object_array_get_idx(theirs, i)));
	if (with_main) {
		struct json_object *one = json_object_new_object();

		message_put_string(one, "name", "main");
		json_object_array_add(list, one);
	}
	json_object_object_add(arguments, "breakpoints", list);
	companion_ask(c, "setFunctionBreakpoints", arguments, done, c);
}

static void armed(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *list = message_array(message_get(response, "body", NULL), "breakpoints");
	size_t n = message_length(list);

	(void)request;
	if (n)
		c->events.arm_id = message_int(json_object_array_get_idx(list, n - 1), "id", 0);
}

/* Whether the client stops there itself: adapters keep one breakpoint for a name. */
static bool client_has_main(const struct companion *c)
{
	struct json_object *list = message_array(c->events.client_functions, "breakpoints");

	for (size_t i = 0; i < message_length(list); i++) {
		const char *name = message_string(json_object_array_get_idx(list, i), "name");

		if (name && !strcmp(name, "main"))
			return true;
	}
	return false;
}

void companion_arm(struct companion *c)
{
	if (!c->is_launch || c->events.is_armed || c->events.n_planted > 0 || !events_any_wanted(&c->events) ||
	    method_of(c) == METHOD_NONE || !companion_native_can(c, "supportsFunctionBreakpoints") ||
	    client_has_main(c))
		return;
	c->events.is_armed = true;
	send_functions(c, true, armed);
}

/* The numbers of the breakpoints that were hit: as the adapter lists them, or as lldb describes them, "breakpoint 2.1".
 */
size_t companion_hit_ids(struct json_object *body, int64_t *ids, size_t max)
{
	struct json_object *listed = message_array(body, "hitBreakpointIds");
	const char *at = message_string(body, "description");
	size_t n = 0;

	for (size_t i = 0; i < message_length(listed) && n < max; i++)
		ids[n++] = format_int(json_object_array_get_idx(listed, i), 0);
	if (n || !at || strncmp(at, "breakpoint ", 11) != 0)
		return n;
	for (at += 11; *at && n < max;) {
		char *end;
		int64_t id = strtoll(at, &end, 10);

		if (end == at)
			break;
		ids[n++] = id;
		at = end + strspn(end, ".0123456789");
		at += strspn(at, " ");
	}
	return n;
}

static bool is_main_stop(struct companion *c, const int64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c->events.arm_id && ids[i] == c->events.arm_id)
			return true;
	}
	return false;
}

static void say_event(struct json_object *body, int event)
{
	struct text t = {0};

	text_printf(&t, "%s (%s)", events_label(event), events_name(event));
	message_put_string(body, "description", events_label(event));
	message_put_string(body, "text", t.data);
	text_deinit(&t);
}

bool companion_is_own_stop(struct companion *c, struct json_object *event)
{
	struct json_object *body = message_get(event, "body", NULL);
	int64_t ids[16];
	size_t n = companion_hit_ids(body, ids, 16);

	for (size_t i = 0; i < n; i++) {
		struct events_planted *planted = events_by_id(&c->events, ids[i]);

		if (planted) {
			say_event(body, planted->event);
			return false;
		}
	}
	if (!c->events.is_armed || !is_main_stop(c, ids, n))
		return false;
	c->events.is_armed = false;
	c->events.arm_id = 0;
	send_functions(c, false, NULL);
	/* Who has a breakpoint there, too, is told. */
	if (n > 1)
		return false;
	c->events.resumes = true;
	c->events.resume_thread = message_int(body, "threadId", 0);
	return true;
}
