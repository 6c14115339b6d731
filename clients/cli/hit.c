/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints a hit: the place, the thread's OpenMP state, its stack. */
#include "hit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "draw.h"
#include "format.h"
#include "rpc/json_read.h"

static const char *get_text(struct json_object *cells, const char *key)
{
	return json_read_string(json_read_member(json_read_member(cells, key), "text")) ?: "-";
}

/*
 * Add the OpenMP state from a table of threads, if there is one. Example: "thread number 0, region level 1, team of
 * 4, work._omp_fn.0; explicit task work._omp_fn.1". An implicit task has the function of its region.
 */
static void add_openmp(struct follower *f, struct json_object *view, int64_t tid)
{
	struct json_object *rows = json_read_member(view, "rows");

	for (size_t i = 0; i < json_read_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i), *cells = json_read_member(row, "cells");
		struct json_object *threads = json_read_member(row, "threads");
		const char *region = get_text(cells, "region"), *task = get_text(cells, "task");
		const char *kind = json_read_string(json_read_member(json_read_member(cells, "task"), "value"));
		struct buf line = {0};

		if (!json_read_length(threads) || json_read_int(json_object_array_get_idx(threads, 0), 0) != tid ||
		    !strcmp(json_read_text(json_read_member(json_read_member(cells, "state"), "state"), "key"),
			    "outside"))
			continue;
		text_printf(&line, "thread number %s", get_text(cells, "num"));
		if (strcmp(get_text(cells, "level"), "-"))
			text_printf(&line, ", region level %s, team of %s", get_text(cells, "level"),
				    get_text(cells, "team"));
		if (strcmp(region, "-"))
			text_printf(&line, ", %s", region);
		if (kind)
			text_printf(&line, "; %s task", kind);
		if (strcmp(task, "-"))
			text_printf(&line, " %s", task);
		text_add(&f->out, "  ");
		text_add_safe(&f->out, line.data, f->style->utf8);
		text_add(&f->out, "\n");
		buf_deinit(&line);
	}
}

static void show_hit(struct follower *f, struct json_object *event, struct json_object *stop,
		     struct json_object *threads, struct json_object *stack)
{
	int64_t tid = json_read_int(json_read_member(event, "tid"), 0);

	follower_name_process(f);
	if (json_read_member(event, "breakpoint"))
		text_printf(&f->out, "breakpoint %" PRId64 ", ",
			    json_read_int(json_read_member(event, "breakpoint"), 0));
	else
		text_printf(&f->out, "step %s, ", f->s->args->step);
	if (json_read_member(event, "event")) {
		format_value(&f->out, f->style, json_read_member(event, "event"));
		text_add(&f->out, ", ");
	}
	text_printf(&f->out, "thread %" PRId64 " in ", tid);
	format_value(&f->out, f->style,
		     json_read_member(stop, "function") ? json_read_member(stop, "function")
							: json_read_member(event, "address"));
	text_add(&f->out, "\n");
	add_openmp(f, threads, tid);
	draw_stacks(json_read_member(stack, "nodes"), f->style, 0, &f->out);
}

/* Get part @i of a report: how it stopped, its threads (not for JSON), the stack of the thread. */
static struct error *request_part(struct follower *f, int i, struct json_object *event, struct json_object **ret)
{
	static const char *const views[] = {NULL, "threads", "stacks"};
	int is_json = f->s->args->json;

	if (i == 1 && is_json)
		return NULL;
	struct json_object *params = follower_params(f);
	const char *method = !i ? "target.info" : is_json ? "stack.get" : "view.get";
	if (i && !is_json) {
		json_object_object_add(params, "view", json_object_new_string(views[i]));
		json_object_object_add(params, "fold", json_object_new_boolean(0));
		json_object_object_add(params, "verbose", json_object_new_boolean(f->style->verbose));
	}
	if (i == 2) {
		json_object_object_add(params, "thread", json_object_get(json_read_member(event, "tid")));
		json_object_object_add(params, "logical", json_object_new_boolean(f->s->args->logical));
	}
	return conversation_call(f->s, method, params, ret);
}

struct error *hit_report(struct follower *f, struct json_object *event)
{
	struct json_object *parts[3] = {0};
	struct error *failure = NULL;

	for (int i = 0; i < 3 && !failure; i++) {
		failure = request_part(f, i, event, &parts[i]);
		/* A process has no OpenMP state before its first region. */
		if (failure && failure->code == ERR_ANSWER) {
			error_destroy(failure);
			failure = NULL;
		}
	}
	struct json_object *stop = json_read_member(parts[0], "stop");
	if (!failure && f->s->args->json) {
		struct json_object *o = json_object_new_object();

		if (f->pid)
			json_object_object_add(o, "pid", json_object_new_int64(f->pid));
		json_object_object_add(o, "event", json_object_get(event));
		json_object_object_add(o, "stop", json_object_get(stop));
		json_object_object_add(o, "stack", json_object_get(parts[2]));
		format_json(&f->out, o, f->s->args->pretty);
		json_object_put(o);
	} else if (!failure) {
		show_hit(f, event, stop, parts[1], parts[2]);
	}
	for (int i = 0; i < 3; i++)
		json_object_put(parts[i]);
	return failure ? failure : follower_flush(f);
}
