/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Setting lists of breakpoints, and their stops. */
#include "breakpoint_lists.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "events.h"
#include "format.h"
#include "message.h"
#include "reply.h"

/* A list that is being set. It is answered when each of its breakpoints is set. */
struct setting {
	struct breakpoint_lists *lists;
	struct dap_reply *reply;
	struct json_object *results; /* array, owned */
	char *list;
	size_t waits;
};

struct setting_one {
	struct setting *setting;
	size_t index;
	int event;
	struct json_object *params; /* owned */
};

static const struct listed_breakpoint *find_breakpoint(const struct breakpoint_lists *b, int64_t number)
{
	for (size_t i = 0; i < b->n && number; i++) {
		if (b->breakpoints[i].number == number)
			return &b->breakpoints[i];
	}
	return NULL;
}

/* Delete the previous breakpoints of @list, which the new list replaces. */
static void delete_list(struct breakpoint_lists *b, const char *list)
{
	for (size_t i = b->n; i-- > 0;) {
		struct json_object *params;

		if (strcmp(b->breakpoints[i].list, list) != 0)
			continue;
		params = json_object_new_object();
		dap_message_put_int(params, "breakpoint", b->breakpoints[i].number);
		debuggee_call(b->target, "breakpoint.delete", params, NULL, NULL);
		free(b->breakpoints[i].list);
		b->breakpoints[i] = b->breakpoints[--b->n];
	}
}

static void finish_setting(struct setting *setting)
{
	struct json_object *body;

	if (setting->waits)
		return;
	body = json_object_new_object();
	json_object_object_add(body, "breakpoints", setting->results);
	dap_reply_send(setting->reply, body);
	free(setting->list);
	free(setting);
}

static void note_breakpoint(struct breakpoint_lists *b, int64_t number, const char *list, int event)
{
	if (b->n < BREAKPOINT_LISTS_MAX)
		b->breakpoints[b->n++] = (struct listed_breakpoint){number, text_strdup(list), event};
}

static struct json_object *create_unverified_breakpoint(const char *why)
{
	struct json_object *one = json_object_new_object();

	dap_message_put_bool(one, "verified", false);
	dap_message_put_string(one, "message", why);
	return one;
}

static void on_breakpoint_set(void *arg, struct json_object *result, struct json_object *error);

static void set_breakpoint(struct setting_one *one)
{
	debuggee_call(one->setting->lists->target, "breakpoint.set", dap_message_copy(one->params), on_breakpoint_set,
		      one);
}

/*
 * Shorten the path of a source. Clients use absolute paths, compilers often get only a part: use the longest suffix
 * that a file of the program has. Returns false if there is no shorter suffix.
 */
static bool shorten_path(struct setting_one *one, struct json_object *error)
{
	const char *file = dap_message_string(one->params, "file");
	const char *slash = file ? strchr(file + 1, '/') : NULL;

	/* The error has `path` only if no file of the program has this path. */
	if (!slash || !slash[1] || !dap_message_get(error, "data", "path", NULL))
		return false;
	char *rest = text_strdup(slash + 1);
	dap_message_put_string(one->params, "file", rest);
	free(rest);
	return true;
}

static void on_breakpoint_set(void *arg, struct json_object *result, struct json_object *error)
{
	struct setting_one *one = arg;
	struct setting *setting = one->setting;
	struct json_object *answer;

	if (error && shorten_path(one, error)) {
		set_breakpoint(one);
		return;
	}
	if (result) {
		int64_t number = dap_message_int(result, "breakpoint", 0), line = dap_message_int(result, "line", 0);

		answer = json_object_new_object();
		dap_message_put_int(answer, "id", number);
		dap_message_put_bool(answer, "verified", true);
		if (line)
			dap_message_put_int(answer, "line", line);
		note_breakpoint(setting->lists, number, setting->list, one->event);
	} else {
		char *why = service_error_text(error);

		answer = create_unverified_breakpoint(why);
		free(why);
	}
	json_object_array_put_idx(setting->results, one->index, answer);
	json_object_put(one->params);
	free(one);
	setting->waits--;
	finish_setting(setting);
}

/* Return the parameters of breakpoint.set for element @one of a list; NULL: unknown event. */
static struct json_object *create_params(const char *list, struct json_object *one, const char *path, int *event_ret)
{
	struct json_object *params;
	const char *name = json_read_string(one) ? json_read_string(one) : dap_message_string(one, "name");
	bool is_ours = true;

	*event_ret = EVENTS_NONE;
	if (!strcmp(list, "filters"))
		*event_ret = events_of_filter(name);
	else if (!strcmp(list, "functions"))
		*event_ret = events_of_function(name, &is_ours);
	if (*event_ret == EVENTS_NONE && !path && (is_ours || !name))
		return NULL;
	params = json_object_new_object();
	if (path) {
		dap_message_put_string(params, "file", path);
		dap_message_put_int(params, "line", dap_message_int(one, "line", 1));
	} else if (*event_ret != EVENTS_NONE) {
		dap_message_put_string(params, "event", events_name(*event_ret));
	} else {
		dap_message_put_string(params, "function", name);
	}
	return params;
}

void breakpoint_lists_set(struct breakpoint_lists *b, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	bool is_filters = !strcmp(dap_message_name(request), "setExceptionBreakpoints");
	bool is_functions = !strcmp(dap_message_name(request), "setFunctionBreakpoints");
	struct json_object *list = dap_message_array(arguments, is_filters ? "filters" : "breakpoints");
	const char *path = dap_message_string(json_read_member(arguments, "source"), "path");
	struct setting *setting = text_calloc(1, sizeof(*setting));

	*setting = (struct setting){
		.lists = b,
		.reply = dap_reply_create(b->client, request, NULL),
		.results = json_object_new_array(),
		.list = text_strdup(is_filters	   ? "filters"
				    : is_functions ? "functions"
				    : path	   ? path
						   : ""),
		.waits = 1,
	};
	if (b->are_possible)
		delete_list(b, setting->list);
	for (size_t i = 0; i < dap_message_length(list); i++) {
		struct setting_one *one;
		int event;
		struct json_object *params =
			b->are_possible ? create_params(setting->list, json_object_array_get_idx(list, i), path, &event)
					: NULL;

		json_object_array_put_idx(
			setting->results, i,
			create_unverified_breakpoint(b->are_possible
							     ? "unknown OpenMP event"
							     : "mode observe stops nothing; use \"mode\": \"stop\""));
		if (!params)
			continue;
		one = text_calloc(1, sizeof(*one));
		*one = (struct setting_one){setting, i, event, params};
		setting->waits++;
		set_breakpoint(one);
	}
	setting->waits--;
	finish_setting(setting);
}

struct json_object *breakpoint_lists_stopped_body(const struct breakpoint_lists *b, int64_t number, int64_t tid)
{
	const struct listed_breakpoint *one = find_breakpoint(b, number);
	bool is_event = one && one->event != EVENTS_NONE;
	bool is_line = one && !is_event && strcmp(one->list, "functions") != 0;
	struct json_object *body = dap_message_stopped_body(is_line ? "breakpoint" : "function breakpoint",
							    is_event ? events_label(one->event) : NULL, tid);

	if (one) {
		struct json_object *hit = json_object_new_array();

		json_object_array_add(hit, json_object_new_int64(one->number));
		json_object_object_add(body, "hitBreakpointIds", hit);
	}
	return body;
}

void breakpoint_lists_deinit(struct breakpoint_lists *b)
{
	while (b->n)
		free(b->breakpoints[--b->n].list);
}
