/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenMP events that clients request, and the stop in main(). A program that is being started has no runtime yet.
 * The stop in main(), which the client does not see, lasts until the requested events are planted.
 */
#include "companion.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* The breakpoint in main() */

/* Return the list for the native adapter: the client's breakpoints, and main() while it is armed. The caller owns
 * it. */
static struct json_object *list_functions(const struct companion *c)
{
	struct json_object *arguments = dap_message_copy(c->events.client_functions);
	struct json_object *list = dap_message_copy_array(arguments, "breakpoints");

	if (c->events.is_armed) {
		struct json_object *one = json_object_new_object();

		dap_message_put_string(one, "name", "main");
		json_object_array_add(list, one);
	}
	json_object_object_add(arguments, "breakpoints", list);
	return arguments;
}

/* Find the number of the new breakpoint in the answer. Whatever the order of the request, lldb's adapter lists new
 * breakpoints after existing ones. */
static void on_armed(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *list = dap_message_array(dap_message_get(response, "body", NULL), "breakpoints");
	size_t n = dap_message_length(list);

	(void)request;
	if (n && c->events.is_armed)
		c->events.arm_id = dap_message_int(json_object_array_get_idx(list, n - 1), "id", 0);
}

/* Return @list, from the native adapter's answer, without main(). The caller owns it. */
static struct json_object *copy_without_main(const struct companion *c, struct json_object *list)
{
	struct json_object *rest = json_object_new_array();

	for (size_t i = 0; i < dap_message_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!c->events.is_armed || dap_message_int(one, "id", 0) != c->events.arm_id)
			json_object_array_add(rest, json_object_get(one));
	}
	return rest;
}

/* Return whether the client has a breakpoint in main(): adapters keep one breakpoint per name. */
static bool has_client_main(const struct companion *c)
{
	struct json_object *list = dap_message_array(c->events.client_functions, "breakpoints");

	for (size_t i = 0; i < dap_message_length(list); i++) {
		const char *name = dap_message_string(json_object_array_get_idx(list, i), "name");

		if (name && !strcmp(name, "main"))
			return true;
	}
	return false;
}

void companion_arm(struct companion *c)
{
	if (!c->is_launch || c->events.is_armed || c->events.was_in_main || c->events.n_planted > 0 ||
	    !events_any_wanted(&c->events) || !companion_can_plant(c) ||
	    !companion_native_can(c, "supportsFunctionBreakpoints") || has_client_main(c))
		return;
	c->events.is_armed = true;
	companion_ask(c, "setFunctionBreakpoints", list_functions(c), on_armed, c);
}

static void disarm_main(struct companion *c)
{
	c->events.is_armed = false;
	c->events.arm_id = 0;
}

/* Requests of clients */

/* Answer the client's list: native answers at the places of native breakpoints, ours between them. */
static void on_functions(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	struct json_object *asked = dap_message_array(dap_message_get(request, "arguments", NULL), "breakpoints");
	struct json_object *body = dap_message_get(response, "body", NULL), *native;
	struct json_object *list, *changed, *own;
	size_t next = 0;

	if (!dap_message_bool(response, "success")) {
		companion_pass(c, request, response);
		return;
	}
	native = copy_without_main(c, dap_message_array(body, "breakpoints"));
	list = json_object_new_array();
	for (size_t i = 0; i < dap_message_length(asked); i++) {
		bool is_ours;
		int event =
			events_of_function(dap_message_string(json_object_array_get_idx(asked, i), "name"), &is_ours);

		if (is_ours)
			json_object_array_add(list, companion_breakpoint_of(c, EVENTS_BY_FUNCTION, event));
		else if (next < dap_message_length(native))
			json_object_array_add(list, json_object_get(json_object_array_get_idx(native, next++)));
		else
			break;
	}
	json_object_put(native);
	changed = dap_message_copy(response);
	own = dap_message_copy(body);
	json_object_object_add(own, "breakpoints", list);
	json_object_object_add(changed, "body", own);
	companion_pass(c, request, changed);
	json_object_put(changed);
	companion_plant(c);
}

void companion_set_function_breakpoints(struct companion *c, struct json_object *request)
{
	json_object_put(c->events.client_functions);
	c->events.client_functions = events_take_functions(&c->events, dap_message_get(request, "arguments", NULL));
	if (has_client_main(c))
		disarm_main(c);
	if (companion_native_can(c, "supportsFunctionBreakpoints")) {
		companion_forward_changed(c, request, list_functions(c), on_functions);
		return;
	}
	struct json_object *response = dap_message_response(request, json_object_new_object());
	on_functions(c, request, response);
	json_object_put(response);
}

/* Append to @list the answer for each filter in @array, native ones from number *@next on. @key: of the filter's id
 * in an element; NULL: the element is the id. */
static void add_filters(struct companion *c, struct json_object *array, const char *key, struct json_object *native,
			size_t *next, struct json_object *list)
{
	for (size_t i = 0; i < dap_message_length(array); i++) {
		struct json_object *one = json_object_array_get_idx(array, i), *told;
		int event = events_of_filter(key ? dap_message_string(one, key) : format_string(one));

		if (event != EVENTS_NONE) {
			told = companion_breakpoint_of(c, EVENTS_BY_FILTER, event);
		} else if (*next < dap_message_length(native)) {
			told = json_object_get(json_object_array_get_idx(native, (*next)++));
		} else {
			/* The native adapter's answer may only say that it accepted the filters. */
			told = json_object_new_object();
			dap_message_put_bool(told, "verified", true);
		}
		json_object_array_add(list, told);
	}
}

/* Return the native answer, with the state of our filters if there are any. The caller owns it. */
static struct json_object *create_filters_answer(struct companion *c, struct json_object *request,
						 struct json_object *response)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL),
			   *body = dap_message_get(response, "body", NULL);
	struct json_object *native = dap_message_array(body, "breakpoints");
	struct json_object *changed = dap_message_copy(response), *own = dap_message_copy(body),
			   *list = json_object_new_array();
	size_t next = 0;

	add_filters(c, dap_message_array(arguments, "filters"), NULL, native, &next, list);
	add_filters(c, dap_message_array(arguments, "filterOptions"), "filterId", native, &next, list);
	while (next < dap_message_length(native))
		json_object_array_add(list, json_object_get(json_object_array_get_idx(native, next++)));
	json_object_object_add(own, "breakpoints", list);
	json_object_object_add(changed, "body", own);
	return changed;
}

static void on_filters(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	bool is_ours = false;

	for (int i = 0; i < EVENTS_N; i++)
		is_ours |= c->events.by_filter[i];
	if (is_ours && dap_message_bool(response, "success")) {
		struct json_object *changed = create_filters_answer(c, request, response);

		companion_pass(c, request, changed);
		json_object_put(changed);
	} else {
		companion_pass(c, request, response);
	}
	companion_plant(c);
}

void companion_set_exception_breakpoints(struct companion *c, struct json_object *request)
{
	struct json_object *rest = events_take_filters(&c->events, dap_message_get(request, "arguments", NULL));

	if (dap_message_length(dap_message_array(c->capabilities, "exceptionBreakpointFilters"))) {
		companion_forward_changed(c, request, rest, on_filters);
		return;
	}
	/* A native adapter without filters does not accept this request. */
	json_object_put(rest);
	struct json_object *response = dap_message_response(request, NULL);
	on_filters(c, request, response);
	json_object_put(response);
}

/* The adapter lists the numbers, or lldb's description contains them: "breakpoint 2.1". */
size_t companion_hit_ids(struct json_object *body, int64_t *ids, size_t max)
{
	struct json_object *listed = dap_message_array(body, "hitBreakpointIds");
	const char *at = dap_message_string(body, "description");
	size_t n = 0;

	for (size_t i = 0; i < dap_message_length(listed) && n < max; i++)
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

static void describe_event(struct json_object *body, int event)
{
	struct text t = {0};

	text_printf(&t, "%s (%s)", events_label(event), events_name(event));
	dap_message_put_string(body, "description", events_label(event));
	dap_message_put_string(body, "text", t.data);
	text_deinit(&t);
}

bool companion_is_own_stop(struct companion *c, struct json_object *event)
{
	struct json_object *body = dap_message_get(event, "body", NULL);
	int64_t ids[16];
	size_t n = companion_hit_ids(body, ids, 16);

	for (size_t i = 0; i < n; i++) {
		struct events_planted *planted = events_by_id(&c->events, ids[i]);

		if (planted) {
			describe_event(body, planted->event);
			return false;
		}
	}
	if (!c->events.is_armed || !is_main_stop(c, ids, n))
		return false;
	disarm_main(c);
	c->events.was_in_main = true;
	companion_ask(c, "setFunctionBreakpoints", list_functions(c), NULL, NULL);
	/* The client has a breakpoint there, too: report the stop. */
	if (n > 1)
		return false;
	c->events.resumes = true;
	c->events.resume_thread = dap_message_int(body, "threadId", 0);
	return true;
}
