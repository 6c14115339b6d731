/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl break`: sets the breakpoints of the command line, and prints their hits one after the other. */
#include "follow_break.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/number.h"
#include "format.h"
#include "hints.h"
#include "hit.h"
#include "info.h"

static struct json_object *create_place_params(const struct follower *f, const char *place)
{
	struct json_object *params = follower_params(f);
	const char *colon = strrchr(place, ':');
	int64_t line;

	for (const char *const *event = command_events; *event; event++) {
		if (strcmp(place, *event))
			continue;
		json_object_object_add(params, "event", json_object_new_string(place));
		return params;
	}
	if (!strncmp(place, "0x", 2)) {
		json_object_object_add(params, "address", json_object_new_string(place));
	} else if (colon && colon > place && number_parse(colon + 1, 0, INT_MAX, &line)) {
		char *file = strndup(place, (size_t)(colon - place));

		json_object_object_add(params, "file", json_object_new_string(file));
		json_object_object_add(params, "line", json_object_new_int64(line));
		free(file);
	} else {
		json_object_object_add(params, "function", json_object_new_string(place));
	}
	return params;
}

/* Find the runtime that the user names by number, or by kind if only one runtime is of that kind. */
static struct error *find_runtime(const struct follower *f, const char *name, int64_t *ret)
{
	struct json_object *runtimes = json_read_member(f->s->info, "runtimes");
	size_t n = json_object_is_type(runtimes, json_type_array) ? json_object_array_length(runtimes) : 0;
	unsigned n_found = 0;

	if (number_parse(name, 0, INT_MAX, ret))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *kind = json_read_string(json_read_member(json_object_array_get_idx(runtimes, i), "kind"));

		if (!kind || strcmp(kind, name))
			continue;
		*ret = (int64_t)i;
		n_found++;
	}
	if (n_found == 1)
		return NULL;
	return failure_usage("ompdctl info lists them; --runtime also accepts their number, from 0",
			     "%s of the process's runtimes is '%s'", n_found ? "more than one" : "none", name);
}

/* Add the conditions of the command line. */
static void add_conditions(const struct args *args, struct json_object *params)
{
	static const char *const members[] = {"thread_num", "level", "after", "every", "device"};

	for (int i = 0; i < 5; i++) {
		if (args->conditions[i] >= 0)
			json_object_object_add(params, members[i], json_object_new_int64(args->conditions[i]));
	}
	if (args->region)
		json_object_object_add(params, "region", json_object_new_string(args->region));
}

/* Append "breakpoint 1, parallel_begin: 12 places". */
static void show_breakpoint(struct follower *f, const char *place, struct json_object *made)
{
	struct json_object *places = json_read_member(made, "places");

	follower_name_process(f);
	text_printf(&f->out, "breakpoint %" PRId64 ", ", json_read_int(json_read_member(made, "breakpoint"), 0));
	text_add_safe(&f->out, place, f->style->utf8);
	text_add(&f->out, ": ");
	text_add_count(&f->out, json_object_is_type(places, json_type_array) ? json_object_array_length(places) : 0,
		       "place");
	text_add(&f->out, "\n");
}

/* Return whether a thread that is stopped at @address has hit the breakpoint @made. */
static int is_at_address(struct json_object *made, const char *address)
{
	struct json_object *places = json_read_member(made, "places");
	size_t n = json_object_is_type(places, json_type_array) ? json_object_array_length(places) : 0;

	for (size_t i = 0; address && i < n; i++) {
		struct json_object *place = json_object_array_get_idx(places, i);
		const char *point = json_read_string(json_read_member(place, "point"));
		const char *at = json_read_string(json_read_member(place, "address"));

		if (point && at && !strcmp(point, "call") && !strcmp(at, address))
			return 1;
	}
	return 0;
}

struct error *break_set(struct follower *f, struct breakpoints *ret)
{
	const struct args *args = f->s->args;
	const char *address = json_read_string(json_read_member(json_read_member(f->s->info, "stop"), "address"));
	const char *runtime = args_filter(args, OPT_RUNTIME);
	struct json_object *made;
	int64_t index = 0;
	struct error *failure = runtime ? find_runtime(f, runtime, &index) : NULL;

	if (failure)
		return failure;
	for (size_t i = 0; i < args->n_places; i++) {
		struct json_object *params = create_place_params(f, args->places[i]);

		add_conditions(args, params);
		if (runtime)
			json_object_object_add(params, "runtime", json_object_new_int64(index));
		failure = conversation_call(f->s, "breakpoint.set", params, &made);
		if (failure) {
			hints_suggest_event(args->places[i], failure);
			return failure;
		}
		ret->numbers[ret->n++] = json_read_int(json_read_member(made, "breakpoint"), 0);
		if (!ret->here && is_at_address(made, address))
			ret->here = ret->numbers[ret->n - 1];
		if (!args->json)
			show_breakpoint(f, args->places[i], made);
		json_object_put(made);
	}
	return follower_flush(f);
}

static int has_hit(const struct breakpoints *points, struct json_object *event)
{
	static const char *const types[] = {"breakpoint", NULL};
	int64_t number = json_read_int(json_read_member(event, "breakpoint"), 0);

	for (size_t i = 0; i < points->n; i++) {
		if (points->numbers[i] == number)
			return follower_is_one_of(event, types);
	}
	return 0;
}

long break_count(const struct follower *f)
{
	return f->s->args->count ? f->s->args->count : 1;
}

static struct error *take_hit(struct follower *f, struct json_object *event)
{
	struct error *failure = hit_report(f, event);

	/* Closing the connection ends the last stop. */
	return failure || ++f->n == break_count(f) || f->gone ? failure : follower_resume(f);
}

/* Report a hit at the place where the launched program is already stopped (`break main`): it will not get there
 * again. */
static struct error *take_launch(struct follower *f, int64_t number)
{
	struct json_object *stop = json_read_member(f->s->info, "stop");
	struct json_object *event = follower_params(f);

	json_object_object_add(event, "type", json_object_new_string("breakpoint"));
	json_object_object_add(event, "breakpoint", json_object_new_int64(number));
	json_object_object_add(event, "tid", json_object_get(json_read_member(stop, "tid")));
	json_object_object_add(event, "address", json_object_get(json_read_member(stop, "address")));
	struct error *failure = take_hit(f, event);
	json_object_put(event);
	return failure;
}

struct error *break_start(struct follower *f, const struct breakpoints *points)
{
	if (!json_read_member(f->s->info, "stop"))
		return NULL;
	return points->here ? take_launch(f, points->here) : follower_resume(f);
}

int break_is_over(struct json_object *event)
{
	static const char *const types[] = {"exec", NULL};

	return follower_is_last(event) || follower_is_one_of(event, types);
}

struct error *break_take(struct follower *f, const struct breakpoints *points, struct json_object *event)
{
	if (has_hit(points, event))
		return take_hit(f, event);
	if (!break_is_over(event) || f->s->args->json)
		return NULL;
	follower_name_process(f);
	event_show(event, f->style, &f->out);
	return follower_flush(f);
}

struct error *follow_breakpoints(struct follower *f)
{
	struct breakpoints points = {.n = 0};
	struct error *failure = break_set(f, &points);

	/* A launched program is already stopped in main(). Kill it there if the breakpoint cannot be set. */
	if (failure && f->s->args->program)
		return follower_call_last(f, "target.kill", failure);
	if (!failure)
		failure = break_start(f, &points);
	for (int last = 0; !last && !failure && !f->gone && f->n < break_count(f);) {
		struct json_object *event;

		failure = follower_next_event(f, &event);
		if (failure)
			break;
		last = break_is_over(event);
		failure = break_take(f, &points, event);
		json_object_put(event);
	}
	return failure || f->n != break_count(f) ? failure : follower_say_runs_on(f);
}
