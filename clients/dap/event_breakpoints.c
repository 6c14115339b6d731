/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Function and exception breakpoints with OpenMP events among them. */
#include "event_breakpoints.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* The breakpoint in main() */

/* Return the list for the native adapter: the client's breakpoints, and main() while it is armed. The caller owns
 * it. */
static struct json_object *list_functions(const struct event_breakpoints *b)
{
	struct json_object *arguments = dap_message_copy(b->client_functions);
	struct json_object *list = dap_message_copy_array(arguments, "breakpoints");

	if (b->is_armed) {
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
	struct event_breakpoints *b = arg;
	struct json_object *list = dap_message_array(dap_message_get(response, "body", NULL), "breakpoints");
	size_t n = dap_message_length(list);

	(void)request;
	if (n && b->is_armed)
		b->main_id = dap_message_int(json_object_array_get_idx(list, n - 1), "id", 0);
}

/* Return @list, from the native adapter's answer, without main(). The caller owns it. */
static struct json_object *copy_without_main(const struct event_breakpoints *b, struct json_object *list)
{
	struct json_object *rest = json_object_new_array();

	for (size_t i = 0; i < dap_message_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!b->is_armed || dap_message_int(one, "id", 0) != b->main_id)
			json_object_array_add(rest, json_object_get(one));
	}
	return rest;
}

/* Return whether the client has a breakpoint in main(): adapters keep one breakpoint per name. */
static bool has_client_main(const struct event_breakpoints *b)
{
	struct json_object *list = dap_message_array(b->client_functions, "breakpoints");

	for (size_t i = 0; i < dap_message_length(list); i++) {
		const char *name = dap_message_string(json_object_array_get_idx(list, i), "name");

		if (name && !strcmp(name, "main"))
			return true;
	}
	return false;
}

void event_breakpoints_arm(struct event_breakpoints *b)
{
	if (!b->is_launch || b->is_armed || b->was_in_main || b->planted->n > 0 || !events_any_wanted(&b->wanted) ||
	    !planted_events_are_possible(b->planted) || !adapter_can(b->adapter, "supportsFunctionBreakpoints") ||
	    has_client_main(b))
		return;
	b->is_armed = true;
	adapter_ask(b->adapter, "setFunctionBreakpoints", list_functions(b), on_armed, b);
}

static void disarm_main(struct event_breakpoints *b)
{
	b->is_armed = false;
	b->main_id = 0;
}

/* Requests of clients */

/* Answer the client's list: native answers at the places of native breakpoints, ours between them. */
static void on_functions(void *arg, struct json_object *request, struct json_object *response)
{
	struct event_breakpoints *b = arg;
	struct json_object *requested = dap_message_array(dap_message_get(request, "arguments", NULL), "breakpoints");
	struct json_object *body = dap_message_get(response, "body", NULL), *native;
	struct json_object *list, *own;
	size_t next = 0;

	if (!dap_message_bool(response, "success")) {
		dap_client_pass(b->client, request, response);
		return;
	}
	native = copy_without_main(b, dap_message_array(body, "breakpoints"));
	list = json_object_new_array();
	for (size_t i = 0; i < dap_message_length(requested); i++) {
		bool is_ours;
		int event = events_of_function(dap_message_string(json_object_array_get_idx(requested, i), "name"),
					       &is_ours);

		if (is_ours)
			json_object_array_add(list, planted_events_describe(b->planted, EVENTS_BY_FUNCTION, event));
		else if (next < dap_message_length(native))
			json_object_array_add(list, json_object_get(json_object_array_get_idx(native, next++)));
		else
			break;
	}
	json_object_put(native);
	own = dap_message_copy(body);
	json_object_object_add(own, "breakpoints", list);
	dap_client_pass_changed(b->client, request, response, own);
	planted_events_update(b->planted);
}

void event_breakpoints_set_functions(struct event_breakpoints *b, struct json_object *request)
{
	json_object_put(b->client_functions);
	b->client_functions = events_take_functions(&b->wanted, dap_message_get(request, "arguments", NULL));
	if (has_client_main(b))
		disarm_main(b);
	if (adapter_can(b->adapter, "supportsFunctionBreakpoints")) {
		adapter_forward_changed(b->adapter, request, list_functions(b), on_functions, b);
		return;
	}
	struct json_object *response = dap_message_response(request, json_object_new_object());
	on_functions(b, request, response);
	json_object_put(response);
}

/* Append to @list the answer for each filter in @array, native ones from number *@next on. @key: of the filter's id
 * in an element; NULL: the element is the id. */
static void add_filters(struct event_breakpoints *b, struct json_object *array, const char *key,
			struct json_object *native, size_t *next, struct json_object *list)
{
	for (size_t i = 0; i < dap_message_length(array); i++) {
		struct json_object *one = json_object_array_get_idx(array, i), *answer;
		int event = events_of_filter(key ? dap_message_string(one, key) : json_read_string(one));

		if (event != EVENTS_NONE) {
			answer = planted_events_describe(b->planted, EVENTS_BY_FILTER, event);
		} else if (*next < dap_message_length(native)) {
			answer = json_object_get(json_object_array_get_idx(native, (*next)++));
		} else {
			/* The native adapter's answer may only say that it accepted the filters. */
			answer = json_object_new_object();
			dap_message_put_bool(answer, "verified", true);
		}
		json_object_array_add(list, answer);
	}
}

/* Return the body of the native answer with the state of our filters. The caller owns it. */
static struct json_object *create_filters_body(struct event_breakpoints *b, struct json_object *request,
					       struct json_object *response)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL),
			   *body = dap_message_get(response, "body", NULL);
	struct json_object *native = dap_message_array(body, "breakpoints");
	struct json_object *own = dap_message_copy(body), *list = json_object_new_array();
	size_t next = 0;

	add_filters(b, dap_message_array(arguments, "filters"), NULL, native, &next, list);
	add_filters(b, dap_message_array(arguments, "filterOptions"), "filterId", native, &next, list);
	while (next < dap_message_length(native))
		json_object_array_add(list, json_object_get(json_object_array_get_idx(native, next++)));
	json_object_object_add(own, "breakpoints", list);
	return own;
}

static void on_filters(void *arg, struct json_object *request, struct json_object *response)
{
	struct event_breakpoints *b = arg;

	if (events_any_filter(&b->wanted) && dap_message_bool(response, "success"))
		dap_client_pass_changed(b->client, request, response, create_filters_body(b, request, response));
	else
		dap_client_pass(b->client, request, response);
	planted_events_update(b->planted);
}

void event_breakpoints_set_exceptions(struct event_breakpoints *b, struct json_object *request)
{
	struct json_object *rest = events_take_filters(&b->wanted, dap_message_get(request, "arguments", NULL));

	if (dap_message_length(dap_message_array(b->adapter->capabilities, "exceptionBreakpointFilters"))) {
		adapter_forward_changed(b->adapter, request, rest, on_filters, b);
		return;
	}
	/* A native adapter without filters does not accept this request. */
	json_object_put(rest);
	struct json_object *response = dap_message_response(request, NULL);
	on_filters(b, request, response);
	json_object_put(response);
}

static bool is_main_stop(struct event_breakpoints *b, const int64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (b->main_id && ids[i] == b->main_id)
			return true;
	}
	return false;
}

static void describe_event(struct json_object *body, int event)
{
	struct buf t = {0};

	text_printf(&t, "%s (%s)", events_label(event), events_name(event));
	dap_message_put_string(body, "description", events_label(event));
	dap_message_put_string(body, "text", t.data);
	buf_deinit(&t);
}

bool event_breakpoints_take_stop(struct event_breakpoints *b, struct json_object *event)
{
	struct json_object *body = dap_message_get(event, "body", NULL);
	int64_t ids[16];
	size_t n = adapter_hit_breakpoints(body, ids, 16);

	for (size_t i = 0; i < n; i++) {
		const struct planted_event *planted = planted_events_find(b->planted, ids[i]);

		if (planted) {
			describe_event(body, planted->event);
			return false;
		}
	}
	if (!b->is_armed || !is_main_stop(b, ids, n))
		return false;
	disarm_main(b);
	b->was_in_main = true;
	adapter_ask(b->adapter, "setFunctionBreakpoints", list_functions(b), NULL, NULL);
	/* The client has a breakpoint there, too: report the stop. */
	if (n > 1)
		return false;
	planted_events_hold(b->planted, dap_message_int(body, "threadId", 0));
	return true;
}

void event_breakpoints_deinit(struct event_breakpoints *b)
{
	json_object_put(b->client_functions);
}
