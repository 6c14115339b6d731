/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON values as texts for readers. */
#include "view/value.h"

#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "rpc/json_read.h"
#include "view/facts.h"
#include "view/number_set.h"
#include "view/phrase.h"

static void add_missing(struct buf *p, const char *reason, int verbose)
{
	if (reason && verbose)
		phrase_printf(p, "- (%s)", reason);
	else
		phrase_add(p, "-");
}

static void add_object(struct buf *p, struct json_object *value, int verbose)
{
	static const char *const keys[] = {"symbol", "name", "value", "address"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct json_object *member = json_read_member(value, keys[i]);

		if (!member)
			continue;
		if (json_object_is_type(member, json_type_object))
			break;
		value_add(p, member, verbose);
		return;
	}
	phrase_add(p, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void add_array(struct buf *p, struct json_object *value, int verbose)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		phrase_add(p, i ? ", " : "");
		value_add(p, json_object_array_get_idx(value, i), verbose);
	}
	if (!n)
		phrase_add(p, "none");
}

void value_add(struct buf *p, struct json_object *value, int verbose)
{
	const char *reason = json_read_reason(value);

	if (!value || reason)
		add_missing(p, reason, verbose);
	else if (json_object_is_type(value, json_type_boolean))
		phrase_add(p, json_read_bool(value) ? "yes" : "no");
	else if (json_object_is_type(value, json_type_object))
		add_object(p, value, verbose);
	else if (json_object_is_type(value, json_type_array))
		add_array(p, value, verbose);
	else
		phrase_add(p, json_object_get_string(value));
}

void value_add_duration(struct buf *p, int64_t microseconds)
{
	double us = (double)microseconds;

	if (microseconds < 10000)
		phrase_printf(p, "%" PRId64 " µs", microseconds);
	else if (microseconds < 1000000)
		phrase_printf(p, "%.1f ms", us / 1e3);
	else
		phrase_printf(p, "%.1f s", us / 1e6);
}

void value_add_count(struct buf *p, size_t n, const char *noun)
{
	phrase_printf(p, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

int value_add_location(struct buf *p, struct json_object *location)
{
	const char *file = json_read_string(json_read_member(location, "file"));

	if (!file)
		return 0;
	phrase_printf(p, "%s:%" PRId64, path_file_name(file), json_read_int(json_read_member(location, "line"), 0));
	return 1;
}

int value_add_function(struct buf *p, struct json_object *json, int verbose)
{
	struct json_object *function = json_read_member(json, "function");
	struct json_object *address = json_read_member(function, "address");

	if (address && *json_read_text(function, "symbol")) {
		phrase_add(p, json_read_text(function, "symbol"));
		return 1;
	}
	/* A stripped program may still have the places of its constructs. */
	if (value_add_location(p, json_read_member(json, "location")))
		return 1;
	value_add(p, address ? address : function, verbose);
	return address != NULL;
}

/* Append "barrier of solve._omp_fn.0", or for a region without a known function "barrier of level 2". Returns 0 if
 * it is not the barrier of a region. */
static int add_barrier(struct buf *p, const struct facts *s, const struct facts_thread *thread, int verbose)
{
	struct json_object *region = facts_region(s, thread->parallel);
	struct buf function = {0};

	if (!region || !json_read_string(json_read_member(json_read_member(thread->json, "wait_id"), "parallel")))
		return 0;
	phrase_add(p, "barrier of ");
	if (value_add_function(&function, region, verbose)) {
		phrase_add(p, phrase_text(&function));
	} else {
		phrase_add(p, "level ");
		value_add(p, json_read_member(region, "level"), verbose);
	}
	buf_deinit(&function);
	return 1;
}

int value_add_wait(struct buf *p, const struct facts *s, const struct facts_thread *thread, int with_what, int verbose)
{
	struct json_object *wait = json_read_member(thread->json, "wait_id");
	struct json_object *value = json_read_member(wait, "value"), *id = value ? value : wait;
	const char *what = json_read_text(wait, "what"), *name = json_read_text(wait, "name");
	struct json_object *device = json_read_member(thread->json, "device");

	if (device) {
		phrase_printf(p, "device %" PRId64, json_read_int(device, 0));
		return 1;
	}
	int is_barrier = add_barrier(p, s, thread, verbose), is_named = is_barrier || *name;

	if (!is_barrier)
		phrase_add(p, name);
	if (!is_named || verbose) {
		phrase_add(p, is_named ? " at " : "");
		value_add(p, id, verbose);
	}
	/* Show the kind of a lock only if it has no name. */
	if (*what && with_what && !is_named)
		phrase_printf(p, " (%s)", what);
	return is_named || (id && !json_read_reason(id));
}

void value_add_place(struct buf *p, struct json_object *thread)
{
	struct json_object *place = json_read_member(thread, "place"), *wait = json_read_member(thread, "location");
	struct json_object *location = json_read_member(place, "location");
	const char *function = json_read_string(json_read_member(place, "function"));

	/* Without debug information, the runtime may know where the thread waits. */
	if (!json_read_string(json_read_member(location, "file")) && wait) {
		location = wait;
		function = function ? function : json_read_string(json_read_member(wait, "function"));
	}
	phrase_add(p, function ? function : "");
	phrase_add(p, function && json_read_string(json_read_member(location, "file")) ? " " : "");
	if (!value_add_location(p, location) && !function && place)
		phrase_add(p, "-");
}

struct json_object *value_take_cell(struct buf *text, struct json_object *value)
{
	struct json_object *cell = json_object_new_object();
	const char *reason = json_read_reason(value);

	json_object_object_add(cell, "text", phrase_take_json(text));
	if (reason)
		json_object_object_add(cell, "reason", json_object_new_string(reason));
	return cell;
}

struct json_object *value_cell(struct json_object *value, int verbose)
{
	struct buf text = {0};

	value_add(&text, value, verbose);
	return value_take_cell(&text, value);
}

struct json_object *value_text_cell(const char *text)
{
	struct buf phrase = {0};

	phrase_add(&phrase, text);
	return value_take_cell(&phrase, NULL);
}

struct json_object *value_function_cell(struct json_object *json, int verbose)
{
	struct buf text = {0};

	value_add_function(&text, json, verbose);
	return value_take_cell(&text, json_read_member(json, "function"));
}

struct json_object *value_set_cell(struct number_set *set)
{
	struct buf text = {0};

	number_set_format(set, &text);
	phrase_add(&text, text.len ? "" : "-");
	return value_take_cell(&text, NULL);
}
