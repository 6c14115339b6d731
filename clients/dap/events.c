/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of events, and the events that the client requests. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* The names are those of the protocol (openmp_event). Filters are offered for the events in `offered`. */
static const struct {
	const char *name, *label;
	bool is_offered;
} table[EVENTS_N] = {
	{"parallel_begin", "OpenMP: a parallel region begins", true},
	{"parallel_end", "OpenMP: a parallel region ends", true},
	{"task_begin", "OpenMP: an explicit task begins", true},
	{"task_end", "OpenMP: an explicit task ends", true},
	{"task_create", "OpenMP: a task is generated", true},
	{"thread_begin", "OpenMP: a thread begins", true},
	{"thread_end", "OpenMP: a thread ends", false},
	{"teams_begin", "OpenMP: a league of teams begins", false},
	{"teams_end", "OpenMP: a league of teams ends", false},
	{"target_begin", "OpenMP: a target region begins", false},
	{"target_end", "OpenMP: a target region ends", false},
	{"device_begin", "OpenMP: a device is initialized", false},
	{"device_end", "OpenMP: a device is finalized", false},
	{"ompd_dll_locations_valid", "OpenMP: the runtime has named its OMPD library", false},
	{"barrier_enter", "OpenMP: a thread reaches a barrier", true},
	{"barrier_exit", "OpenMP: a thread has passed a barrier", false},
	{"barrier_all_entered", "OpenMP: all threads have arrived at a barrier", false},
	{"implicit_barrier_enter", "OpenMP: a thread reaches an implicit barrier", false},
	{"implicit_barrier_exit", "OpenMP: a thread has passed an implicit barrier", false},
	{"taskwait_enter", "OpenMP: a thread reaches a taskwait", true},
	{"taskwait_exit", "OpenMP: a thread has passed a taskwait", false},
	{"ordered_acquire", "OpenMP: a thread reaches an ordered region", false},
	{"ordered_acquired", "OpenMP: a thread enters an ordered region", false},
	{"ordered_release", "OpenMP: a thread leaves an ordered region", false},
	{"critical_acquire", "OpenMP: a thread reaches a critical section", true},
	{"critical_acquired", "OpenMP: a thread enters a critical section", false},
	{"critical_release", "OpenMP: a thread leaves a critical section", false},
	{"atomic_acquire", "OpenMP: a thread reaches an atomic construct", false},
	{"atomic_acquired", "OpenMP: a thread enters an atomic construct", false},
	{"atomic_release", "OpenMP: a thread leaves an atomic construct", false},
	{"lock_acquire", "OpenMP: a thread requests a lock", true},
	{"lock_acquired", "OpenMP: a thread has acquired a lock", false},
	{"lock_release", "OpenMP: a thread releases a lock", false},
	{"single_enter", "OpenMP: a thread reaches a single region", true},
	{"single_begin", "OpenMP: a single region begins", false},
	{"target_data", "OpenMP: data of a device is mapped or copied", false},
	{"target_data_end", "OpenMP: data of a device has been mapped or copied", false},
	{"target_submit", "OpenMP: a target region is passed to a device", false},
};

static const char filter_prefix[] = "omp_", function_prefix[] = "omp:";

int events_number(const char *name)
{
	for (int i = 0; name && i < EVENTS_N; i++) {
		if (!strcmp(table[i].name, name))
			return i;
	}
	return EVENTS_NONE;
}

const char *events_name(int event)
{
	return table[event].name;
}

const char *events_label(int event)
{
	return table[event].label;
}

int events_of_filter(const char *filter)
{
	if (!filter || strncmp(filter, filter_prefix, strlen(filter_prefix)) != 0)
		return EVENTS_NONE;
	return events_number(filter + strlen(filter_prefix));
}

int events_of_function(const char *name, bool *is_ours_ret)
{
	*is_ours_ret = name && !strncmp(name, function_prefix, strlen(function_prefix));
	return *is_ours_ret ? events_number(name + strlen(function_prefix)) : EVENTS_NONE;
}

void events_add_filters(struct json_object *filters)
{
	for (int i = 0; i < EVENTS_N; i++) {
		struct json_object *filter;
		char id[64];

		if (!table[i].is_offered)
			continue;
		filter = json_object_new_object();
		snprintf(id, sizeof(id), "%s%s", filter_prefix, table[i].name);
		dap_message_put_string(filter, "filter", id);
		dap_message_put_string(filter, "label", table[i].label);
		dap_message_put_bool(filter, "default", false);
		json_object_array_add(filters, filter);
	}
}

/* Return the elements of @array that are not ours, and note ours. @key: of the filter's id in an element; NULL: the
 * element is the id. */
static struct json_object *take_filters(struct events *e, struct json_object *array, const char *key)
{
	struct json_object *rest = json_object_new_array();

	for (size_t i = 0; i < dap_message_length(array); i++) {
		struct json_object *one = json_object_array_get_idx(array, i);
		int event = events_of_filter(key ? dap_message_string(one, key) : json_read_string(one));

		if (event != EVENTS_NONE)
			e->by_filter[event] = true;
		else
			json_object_array_add(rest, json_object_get(one));
	}
	return rest;
}

struct json_object *events_take_filters(struct events *e, struct json_object *arguments)
{
	struct json_object *rest = dap_message_copy(arguments);

	memset(e->by_filter, 0, sizeof(e->by_filter));
	json_object_object_add(rest, "filters", take_filters(e, dap_message_array(arguments, "filters"), NULL));
	if (dap_message_array(arguments, "filterOptions"))
		json_object_object_add(rest, "filterOptions",
				       take_filters(e, dap_message_array(arguments, "filterOptions"), "filterId"));
	return rest;
}

struct json_object *events_take_functions(struct events *e, struct json_object *arguments)
{
	struct json_object *rest = dap_message_copy(arguments), *others = json_object_new_array();
	struct json_object *all = dap_message_array(arguments, "breakpoints");

	e->n_functions = 0;
	for (size_t i = 0; i < dap_message_length(all); i++) {
		struct json_object *one = json_object_array_get_idx(all, i);
		bool is_ours;
		int event = events_of_function(dap_message_string(one, "name"), &is_ours);

		if (!is_ours)
			json_object_array_add(others, json_object_get(one));
		else if (event != EVENTS_NONE && e->n_functions < EVENTS_MAX_FUNCTIONS)
			e->functions[e->n_functions++] = event;
	}
	json_object_object_add(rest, "breakpoints", others);
	return rest;
}

bool events_is_function(const struct events *e, int event)
{
	for (size_t i = 0; i < e->n_functions; i++) {
		if (e->functions[i] == event)
			return true;
	}
	return false;
}

bool events_is_wanted(const struct events *e, int event)
{
	return e->by_filter[event] || events_is_function(e, event);
}

bool events_any_wanted(const struct events *e)
{
	for (int i = 0; i < EVENTS_N; i++) {
		if (events_is_wanted(e, i))
			return true;
	}
	return false;
}

bool events_any_filter(const struct events *e)
{
	for (int i = 0; i < EVENTS_N; i++) {
		if (e->by_filter[i])
			return true;
	}
	return false;
}

struct json_object *events_places(struct json_object *result, int event)
{
	struct json_object *all = dap_message_array(result, "events");

	for (size_t i = 0; i < dap_message_length(all); i++) {
		struct json_object *one = json_object_array_get_idx(all, i);
		const char *name = dap_message_string(one, "event");

		if (name && !strcmp(name, events_name(event)))
			return json_read_member(one, "places");
	}
	return NULL;
}

size_t events_addresses(struct json_object *result, int event, uint64_t *ret, size_t max, char **why_ret)
{
	struct json_object *places = events_places(result, event);
	size_t n = 0;

	for (size_t i = 0; i < dap_message_length(places) && n < max; i++) {
		struct json_object *place = json_object_array_get_idx(places, i);
		const char *point = dap_message_string(place, "point"), *address = dap_message_string(place, "address");

		if (point && address && !strcmp(point, "call"))
			ret[n++] = strtoull(address, NULL, 16);
	}
	if (n)
		return n;
	const char *message = dap_message_string(places, "message");
	*why_ret = text_strdup(message ? message
				       : "this event has no address of its own in this runtime; \"mode\": \"stop\" can "
					 "stop at it");
	return 0;
}

bool events_lack_runtime(struct json_object *result)
{
	struct json_object *all = dap_message_array(result, "events");
	struct json_object *first = dap_message_length(all) ? json_object_array_get_idx(all, 0) : NULL;
	const char *name = json_read_string(dap_message_get(first, "places", "name", NULL));

	/* A stripped program may load a runtime, too. */
	return name && (!strcmp(name, "no_openmp_runtime") || !strcmp(name, "program_stripped"));
}
