/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints a hit: the place, the thread's OpenMP state, its stack. */
#include "hit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "overview.h"
#include "stacks.h"

/*
 * Add the OpenMP state from a snapshot of the hit, if there is one. Example: "thread number 0, region level 1, team of
 * 4, work._omp_fn.0; explicit task work._omp_fn.1". An implicit task has the function of its region, which is not
 * repeated.
 */
static void add_openmp(struct follower *f, struct json_object *overview_json, int64_t tid)
{
	struct overview snapshot;

	overview_init(&snapshot, overview_json, NULL);
	for (size_t i = 0; i < snapshot.n_threads; i++) {
		const struct overview_thread *t = &snapshot.threads[i];
		char *region = NULL;

		if (t->tid != tid || !t->openmp)
			continue;
		text_add(&f->out, "  thread number ");
		format_value(&f->out, f->style, format_member(t->json, "thread_num"));
		if (t->parallel != OVERVIEW_NONE) {
			struct json_object *parallel = snapshot.parallels[t->parallel].json;

			region = overview_function(f->style, parallel);
			text_add(&f->out, ", region level ");
			format_value(&f->out, f->style, format_member(parallel, "level"));
			text_add(&f->out, ", team of ");
			format_value(&f->out, f->style, format_member(parallel, "team_size"));
			if (strcmp(region, "-"))
				text_printf(&f->out, ", %s", region);
		}
		if (t->task != OVERVIEW_NONE) {
			const struct overview_task *task = &snapshot.tasks[t->task];
			char *function = overview_function(f->style, task->json);

			text_printf(&f->out, "; %s task", task->kind ? task->kind : "unknown");
			if (strcmp(function, "-") && (!region || strcmp(function, region)))
				text_printf(&f->out, " %s", function);
			free(function);
		}
		text_add(&f->out, "\n");
		free(region);
	}
	overview_deinit(&snapshot);
}

static void show_hit(struct follower *f, struct json_object *event, struct json_object *stop,
		     struct json_object *snapshot, struct json_object *stack)
{
	int64_t tid = format_int(format_member(event, "tid"), 0);

	if (format_member(event, "breakpoint"))
		text_printf(&f->out, "breakpoint %" PRId64 ", ", format_int(format_member(event, "breakpoint"), 0));
	else
		text_printf(&f->out, "step %s, ", f->s->args->step);
	if (format_member(event, "event")) {
		format_value(&f->out, f->style, format_member(event, "event"));
		text_add(&f->out, ", ");
	}
	text_printf(&f->out, "thread %" PRId64 " in ", tid);
	format_value(&f->out, f->style,
		     format_member(stop, "function") ? format_member(stop, "function")
						     : format_member(event, "address"));
	text_add(&f->out, "\n");
	add_openmp(f, snapshot, tid);
	stacks_show_frames(stack, f->style, &f->out);
}

struct failure *hit_tell(struct follower *f, struct json_object *event)
{
	static const char *const methods[] = {"target.info", "snapshot.get", "stack.get"};
	struct json_object *parts[3] = {0};
	struct failure *failure = NULL;

	for (int i = 0; i < 3 && !failure; i++) {
		struct json_object *params = follower_params(f);

		if (i == 2) {
			json_object_object_add(params, "thread", json_object_get(format_member(event, "tid")));
			json_object_object_add(params, "logical", json_object_new_boolean(f->s->args->logical));
		}
		failure = conversation_call(f->s, methods[i], params, &parts[i]);
		/* A process has no OpenMP state before its first region. */
		if (failure && failure->code == EXIT_ANSWER) {
			failure_destroy(failure);
			failure = NULL;
		}
	}
	struct json_object *stop = format_member(parts[0], "stop");
	if (!failure && f->s->args->json) {
		struct json_object *o = json_object_new_object();

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
