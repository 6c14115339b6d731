/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's lists of breakpoints as ompdd's own, in mode stop. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "observer_internal.h"

/* A list that is being set. It is answered when each of its breakpoints is set. */
struct setting {
	struct observer *o;
	struct json_object *request; /* owned */
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

const struct observer_breakpoint *observer_breakpoint(const struct observer *o, int64_t number)
{
	for (size_t i = 0; i < o->n_breakpoints && number; i++) {
		if (o->breakpoints[i].number == number)
			return &o->breakpoints[i];
	}
	return NULL;
}

void observer_drop_breakpoints(struct observer *o)
{
	while (o->n_breakpoints)
		free(o->breakpoints[--o->n_breakpoints].list);
}

/* Delete the previous breakpoints of @list, which the new list replaces. */
static void delete_list(struct observer *o, const char *list)
{
	for (size_t i = o->n_breakpoints; i-- > 0;) {
		struct json_object *params;

		if (strcmp(o->breakpoints[i].list, list) != 0)
			continue;
		params = json_object_new_object();
		dap_message_put_int(params, "breakpoint", o->breakpoints[i].number);
		debuggee_call(&o->target, "breakpoint.delete", params, NULL, NULL);
		free(o->breakpoints[i].list);
		o->breakpoints[i] = o->breakpoints[--o->n_breakpoints];
	}
}

static void finish_setting(struct setting *setting)
{
	struct json_object *body;

	if (setting->waits)
		return;
	body = json_object_new_object();
	json_object_object_add(body, "breakpoints", setting->results);
	dap_session_answer(setting->o->s, setting->request, body);
	json_object_put(setting->request);
	free(setting->list);
	free(setting);
}

static void note_breakpoint(struct observer *o, int64_t number, const char *list, int event)
{
	if (o->n_breakpoints < OBSERVER_MAX_BREAKPOINTS)
		o->breakpoints[o->n_breakpoints++] = (struct observer_breakpoint){number, text_strdup(list), event};
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
	debuggee_call(&one->setting->o->target, "breakpoint.set", dap_message_copy(one->params), on_breakpoint_set,
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
	struct json_object *told;

	if (error && shorten_path(one, error)) {
		set_breakpoint(one);
		return;
	}
	if (result) {
		int64_t number = dap_message_int(result, "breakpoint", 0), line = dap_message_int(result, "line", 0);

		told = json_object_new_object();
		dap_message_put_int(told, "id", number);
		dap_message_put_bool(told, "verified", true);
		if (line)
			dap_message_put_int(told, "line", line);
		note_breakpoint(setting->o, number, setting->list, one->event);
	} else {
		char *why = service_error_text(error);

		told = create_unverified_breakpoint(why);
		free(why);
	}
	json_object_array_put_idx(setting->results, one->index, told);
	json_object_put(one->params);
	free(one);
	setting->waits--;
	finish_setting(setting);
}

/* Return the parameters of breakpoint.set for element @one of a list; NULL: unknown event. */
static struct json_object *create_params(const char *list, struct json_object *one, const char *path, int *event_ret)
{
	struct json_object *params;
	const char *name = format_string(one) ? format_string(one) : dap_message_string(one, "name");
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

void observer_set_breakpoints(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	bool is_filters = !strcmp(dap_message_name(request), "setExceptionBreakpoints");
	bool is_functions = !strcmp(dap_message_name(request), "setFunctionBreakpoints");
	struct json_object *list = dap_message_array(arguments, is_filters ? "filters" : "breakpoints");
	const char *path = dap_message_string(format_member(arguments, "source"), "path");
	struct setting *setting = text_calloc(1, sizeof(*setting));

	*setting = (struct setting){
		.o = o,
		.request = json_object_get(request),
		.results = json_object_new_array(),
		.list = text_strdup(is_filters	   ? "filters"
				    : is_functions ? "functions"
				    : path	   ? path
						   : ""),
		.waits = 1,
	};
	if (o->stops)
		delete_list(o, setting->list);
	for (size_t i = 0; i < dap_message_length(list); i++) {
		struct setting_one *one;
		int event;
		struct json_object *params =
			o->stops ? create_params(setting->list, json_object_array_get_idx(list, i), path, &event)
				 : NULL;

		json_object_array_put_idx(setting->results, i,
					  create_unverified_breakpoint(o->stops ? "there is no such OpenMP event"
										: "mode observe stops nothing"));
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
