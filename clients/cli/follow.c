/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for notifications of the daemon, printing each as it comes, and what is to be done before we go. */
#include "follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "format.h"
#include "hints.h"
#include "info.h"
#include "interrupt.h"
#include "snapshot.h"
#include "stacks.h"

struct follower {
	struct session *s;
	const struct style *style;
	follow_write *write;
	int gone; /* who read what is written */
	struct text out;
	const char *target; /* that is followed; NULL: all */
	int64_t breakpoints[ARGS_MAX_PLACES];
	size_t n_breakpoints;
	int64_t here; /* the breakpoint at which the program stands since its launch; 0: none */
	long n;
};

static struct failure *flush(struct follower *f)
{
	struct failure *failure = f->write(f->out.data ? f->out.data : "", f->out.len, &f->gone);

	text_deinit(&f->out);
	return failure;
}

static struct json_object *target_params(const struct follower *f)
{
	struct json_object *params = json_object_new_object();

	if (f->target)
		json_object_object_add(params, "target", json_object_new_string(f->target));
	return params;
}

static int is_one_of(struct json_object *event, const char *const *types)
{
	const char *type = format_string(format_member(event, "type"));

	for (; type && *types; types++) {
		if (!strcmp(type, *types))
			return 1;
	}
	return 0;
}

/* After these nothing more happens to a target. */
static int is_last(struct json_object *event)
{
	static const char *const types[] = {"exited", "detached", "plugin_failed", "worker_failed", NULL};

	return is_one_of(event, types);
}

/* The next event of the target. */
static struct failure *next_event(struct follower *f, struct json_object **ret)
{
	for (;;) {
		struct failure *failure = rpc_next_event(&f->s->rpc, ret);
		const char *target = failure ? NULL : format_string(format_member(*ret, "target"));

		if (failure || !f->target || !target || !strcmp(target, f->target))
			return failure;
		json_object_put(*ret);
	}
}

/* To the events of the target that the command line names, which must be there; else of all. */
static struct failure *subscribe(struct follower *f)
{
	struct json_object *params = json_object_new_object(), *result;

	if (f->target) {
		struct json_object *targets = json_object_new_array();

		json_object_array_add(targets, json_object_new_string(f->target));
		json_object_object_add(params, "targets", targets);
	}
	rpc_want_events(&f->s->rpc);
	/* HTTP has a way of its own, on which all events come; all that is left is whether the target is there. */
	const char *method = f->s->rpc.conn.is_http ? (f->target ? "target.info" : "daemon.info") : "event.subscribe";
	if (f->s->rpc.conn.is_http) {
		json_object_put(params);
		params = target_params(f);
	}
	struct failure *failure = session_call(f->s, method, params, &result);
	if (!failure)
		json_object_put(result);
	return failure;
}

/* Events */

static struct failure *follow_events(struct follower *f)
{
	for (int last = 0; !last;) {
		struct json_object *event;
		struct failure *failure = next_event(f, &event);

		if (failure)
			return failure;
		if (f->s->args->json)
			format_json(&f->out, event, f->s->args->pretty);
		else
			event_show(event, f->style, &f->out);
		last = (f->target && is_last(event)) || ++f->n == f->s->args->count;
		json_object_put(event);
		failure = flush(f);
		if (failure)
			return failure;
		last |= f->gone;
	}
	return NULL;
}

/* Breakpoints */

static struct json_object *place_params(const struct follower *f, const char *place)
{
	struct json_object *params = target_params(f);
	const char *colon = strrchr(place, ':');
	size_t n_digits = colon ? strspn(colon + 1, "0123456789") : 0;

	for (const char *const *event = command_events; *event; event++) {
		if (strcmp(place, *event))
			continue;
		json_object_object_add(params, "event", json_object_new_string(place));
		return params;
	}
	if (!strncmp(place, "0x", 2)) {
		json_object_object_add(params, "address", json_object_new_string(place));
	} else if (colon && colon > place && n_digits && n_digits < 10 && !colon[1 + n_digits]) {
		char *file = strndup(place, (size_t)(colon - place));

		json_object_object_add(params, "file", json_object_new_string(file));
		json_object_object_add(params, "line", json_object_new_int64(strtol(colon + 1, NULL, 10)));
		free(file);
	} else {
		json_object_object_add(params, "function", json_object_new_string(place));
	}
	return params;
}

/* Which of the process's runtimes the user means, by number or kind: if only one is of that kind. */
static struct failure *find_runtime(const struct follower *f, const char *name, int64_t *ret)
{
	struct json_object *runtimes = format_member(f->s->info, "runtimes");
	size_t n = json_object_is_type(runtimes, json_type_array) ? json_object_array_length(runtimes) : 0;
	unsigned n_found = 0;

	if (*name && strspn(name, "0123456789") == strlen(name) && strlen(name) < 10) {
		*ret = strtol(name, NULL, 10);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		const char *kind = format_string(format_member(json_object_array_get_idx(runtimes, i), "kind"));

		if (!kind || strcmp(kind, name))
			continue;
		*ret = (int64_t)i;
		n_found++;
	}
	if (n_found == 1)
		return NULL;
	return failure_create(EXIT_USAGE, "usage", "ompdctl info shows them; --runtime takes a number, too, from 0",
			      "%s of the process's runtimes is '%s'", n_found ? "more than one" : "none", name);
}

/* What of the command line says which hits count. */
static void add_conditions(const struct args *args, struct json_object *params)
{
	static const char *const members[] = {"thread_num", "level", "after", "every"};

	for (int i = 0; i < 4; i++) {
		if (args->conditions[i] >= 0)
			json_object_object_add(params, members[i], json_object_new_int64(args->conditions[i]));
	}
	if (args->region)
		json_object_object_add(params, "region", json_object_new_string(args->region));
}

/* "breakpoint 1, parallel_begin: 12 places" */
static void show_breakpoint(struct follower *f, const char *place, struct json_object *made)
{
	struct json_object *places = format_member(made, "places");

	text_printf(&f->out, "breakpoint %" PRId64 ", ", format_int(format_member(made, "breakpoint"), 0));
	text_add_safe(&f->out, place, f->style->utf8);
	text_add(&f->out, ": ");
	snapshot_count(&f->out, json_object_is_type(places, json_type_array) ? json_object_array_length(places) : 0,
		       "place");
	text_add(&f->out, "\n");
}

/* Whether a thread that stands at @address has come to a place of the breakpoint @made. */
static int is_at(struct json_object *made, const char *address)
{
	struct json_object *places = format_member(made, "places");
	size_t n = json_object_is_type(places, json_type_array) ? json_object_array_length(places) : 0;

	for (size_t i = 0; address && i < n; i++) {
		struct json_object *place = json_object_array_get_idx(places, i);
		const char *point = format_string(format_member(place, "point"));
		const char *at = format_string(format_member(place, "address"));

		if (point && at && !strcmp(point, "call") && !strcmp(at, address))
			return 1;
	}
	return 0;
}

static struct failure *set_breakpoints(struct follower *f)
{
	const struct args *args = f->s->args;
	const char *address = format_string(format_member(format_member(f->s->info, "stop"), "address"));
	const char *runtime = args->filters[OPT_RUNTIME - OPT_NAME];
	struct json_object *made;
	int64_t index = 0;
	struct failure *failure = runtime ? find_runtime(f, runtime, &index) : NULL;

	if (failure)
		return failure;
	for (size_t i = 0; i < args->n_places; i++) {
		struct json_object *params = place_params(f, args->places[i]);

		add_conditions(args, params);
		if (runtime)
			json_object_object_add(params, "runtime", json_object_new_int64(index));
		failure = session_call(f->s, "breakpoint.set", params, &made);
		if (failure) {
			hints_suggest_event(args->places[i], failure);
			return failure;
		}
		f->breakpoints[f->n_breakpoints++] = format_int(format_member(made, "breakpoint"), 0);
		if (!f->here && is_at(made, address))
			f->here = f->breakpoints[f->n_breakpoints - 1];
		if (!args->json)
			show_breakpoint(f, args->places[i], made);
		json_object_put(made);
	}
	return flush(f);
}

static int is_ours(const struct follower *f, struct json_object *event)
{
	static const char *const types[] = {"breakpoint", NULL};
	int64_t number = format_int(format_member(event, "breakpoint"), 0);

	for (size_t i = 0; i < f->n_breakpoints; i++) {
		if (f->breakpoints[i] == number)
			return is_one_of(event, types);
	}
	return 0;
}

/* ", level 1, thread 0 of 4, task work._omp_fn.1": from a snapshot of the moment, where there is OpenMP. */
static void add_openmp(struct follower *f, struct json_object *snapshot_json, int64_t tid)
{
	struct snapshot snapshot;

	snapshot_init(&snapshot, snapshot_json, NULL);
	for (size_t i = 0; i < snapshot.n_threads; i++) {
		const struct snapshot_thread *t = &snapshot.threads[i];

		if (t->tid != tid || !t->openmp)
			continue;
		text_add(&f->out, "  thread number ");
		format_value(&f->out, f->style, format_member(t->json, "thread_num"));
		if (t->parallel != SNAPSHOT_NONE) {
			struct json_object *parallel = snapshot.parallels[t->parallel].json;
			char *function = snapshot_function(f->style, parallel);

			text_add(&f->out, ", region level ");
			format_value(&f->out, f->style, format_member(parallel, "level"));
			text_add(&f->out, ", team of ");
			format_value(&f->out, f->style, format_member(parallel, "team_size"));
			if (strcmp(function, "-"))
				text_printf(&f->out, ", %s", function);
			free(function);
		}
		if (t->task != SNAPSHOT_NONE) {
			const struct snapshot_task *task = &snapshot.tasks[t->task];
			char *function = snapshot_function(f->style, task->json);

			text_printf(&f->out, "; %s task", task->kind ? task->kind : "unknown");
			if (strcmp(function, "-"))
				text_printf(&f->out, " %s", function);
			free(function);
		}
		text_add(&f->out, "\n");
	}
	snapshot_deinit(&snapshot);
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

/* Ask what is known of the hit, of which any part may be missing, and say it. */
static struct failure *on_hit(struct follower *f, struct json_object *event)
{
	static const char *const methods[] = {"target.info", "snapshot.get", "stack.get"};
	struct json_object *parts[3] = {0};
	struct failure *failure = NULL;

	for (int i = 0; i < 3 && !failure; i++) {
		struct json_object *params = target_params(f);

		if (i == 2) {
			json_object_object_add(params, "thread", json_object_get(format_member(event, "tid")));
			json_object_object_add(params, "logical", json_object_new_boolean(f->s->args->logical));
		}
		failure = session_call(f->s, methods[i], params, &parts[i]);
		/* Before its first region a process has no OpenMP state. */
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
	return failure ? failure : flush(f);
}

static struct failure *resume(struct follower *f)
{
	struct json_object *result;
	struct failure *failure = session_call(f->s, "target.resume", target_params(f), &result);

	if (!failure)
		json_object_put(result);
	return failure;
}

/* End with @method, whatever came of the rest; the first failure is the one to tell. */
static struct failure *call_last(struct follower *f, const char *method, struct failure *failure)
{
	struct json_object *result;
	struct failure *late = session_call(f->s, method, target_params(f), &result);

	if (!late)
		json_object_put(result);
	if (!failure)
		return late;
	failure_destroy(late);
	return failure;
}

static struct failure *take_hit(struct follower *f, struct json_object *event, long count)
{
	struct failure *failure = on_hit(f, event);

	/* The last stop ends with the connection. */
	return failure || ++f->n == count || f->gone ? failure : resume(f);
}

/* Who is told of a place at which the program stands already does not come there again: `break main`. */
static struct failure *take_launch(struct follower *f, long count)
{
	struct json_object *stop = format_member(f->s->info, "stop");
	struct json_object *event = target_params(f);

	json_object_object_add(event, "type", json_object_new_string("breakpoint"));
	json_object_object_add(event, "breakpoint", json_object_new_int64(f->here));
	json_object_object_add(event, "tid", json_object_get(format_member(stop, "tid")));
	json_object_object_add(event, "address", json_object_get(format_member(stop, "address")));
	struct failure *failure = take_hit(f, event, count);
	json_object_put(event);
	return failure;
}

/* Of a program that was launched for this, and runs on. */
static struct failure *say_runs_on(struct follower *f)
{
	if (!f->s->args->program || f->s->args->json)
		return NULL;
	format_value(&f->out, f->style, format_member(f->s->info, "pid"));
	text_add(&f->out, " runs on\n");
	return flush(f);
}

static struct failure *follow_breakpoints(struct follower *f)
{
	const struct args *args = f->s->args;
	long count = args->count ? args->count : 1;
	struct failure *failure = set_breakpoints(f);

	/* A launched program is already stopped in main(); if the breakpoint was a mistake, it is not run at all. */
	if (failure && args->program)
		return call_last(f, "target.kill", failure);
	if (!failure && format_member(f->s->info, "stop"))
		failure = f->here ? take_launch(f, count) : resume(f);
	for (int last = 0; !last && !failure && !f->gone && f->n < count;) {
		struct json_object *event;

		failure = next_event(f, &event);
		if (failure)
			break;
		last = is_last(event);
		if (is_ours(f, event)) {
			failure = take_hit(f, event, count);
		} else if (last && !args->json) {
			event_show(event, f->style, &f->out);
			failure = flush(f);
		}
		json_object_put(event);
	}
	return failure || f->n != count ? failure : say_runs_on(f);
}

/* Steps */

static struct failure *call_control(struct follower *f, const char *method, struct json_object *params)
{
	struct json_object *result;
	struct failure *failure = session_call(f->s, method, params, &result);

	if (!failure)
		json_object_put(result);
	return failure;
}

static struct failure *follow_step(struct follower *f)
{
	static const char *const ends[] = {"stopped", "breakpoint", NULL};
	const struct args *args = f->s->args;
	struct json_object *params = target_params(f);
	struct failure *failure = NULL;

	/* A launched program is already stopped, in main(). */
	if (!format_member(f->s->info, "stop"))
		failure = call_control(f, "target.stop", target_params(f));
	json_object_object_add(params, "kind", json_object_new_string(args->step));
	if (args->thread)
		json_object_object_add(params, "thread", json_object_new_int64(args->thread));
	if (failure)
		json_object_put(params);
	else
		failure = call_control(f, "target.step", params);
	if (failure && args->program)
		return call_last(f, "target.kill", failure);
	for (int last = 0; !last && !failure;) {
		struct json_object *event;

		failure = next_event(f, &event);
		if (failure)
			break;
		last = is_last(event);
		if (last && !args->json) {
			event_show(event, f->style, &f->out);
			failure = flush(f);
		} else if (is_one_of(event, ends) &&
			   (format_member(event, "reason") || format_member(event, "breakpoint"))) {
			last = 1;
			failure = on_hit(f, event);
			if (!failure)
				failure = say_runs_on(f);
		}
		json_object_put(event);
	}
	return failure;
}

/* Regions of one thread */

/* Until none is left, or nothing can be said of the target any more. */
static struct failure *await_serialized(struct follower *f, int64_t *left_ret)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	for (;;) {
		struct json_object *info;
		struct failure *failure = session_call(f->s, "target.info", target_params(f), &info);
		const char *state = failure ? NULL : format_string(format_member(info, "state"));

		*left_ret = failure ? 0 : format_int(format_member(format_member(info, "serialize"), "left"), 0);
		int is_over = failure || !*left_ret || (state && !strcmp(state, "exited"));
		if (!failure)
			json_object_put(info);
		if (is_over)
			return failure;
		nanosleep(&pause, NULL);
	}
}

static struct failure *follow_serialize(struct follower *f)
{
	const struct args *args = f->s->args;
	int64_t count = args->count ? args->count : 1, left = 0;
	struct json_object *params = target_params(f);

	json_object_object_add(params, "count", json_object_new_int64(count));
	struct failure *failure = call_control(f, "target.serialize", params);
	if (failure && args->program)
		return call_last(f, "target.kill", failure);
	if (!failure && format_member(f->s->info, "stop"))
		failure = resume(f);
	if (!failure)
		failure = await_serialized(f, &left);
	if (failure)
		return failure;
	if (args->json) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "serialized", json_object_new_int64(count - left));
		json_object_object_add(o, "left", json_object_new_int64(left));
		format_json(&f->out, o, args->pretty);
		json_object_put(o);
	} else {
		snapshot_count(&f->out, (size_t)(count - left), "region");
		text_add(&f->out, " had one thread\n");
	}
	failure = flush(f);
	return failure || left ? failure : say_runs_on(f);
}

static struct failure *follow_command(struct follower *f)
{
	switch ((int)f->s->args->command) {
	case COMMAND_BREAK:
		return follow_breakpoints(f);
	case COMMAND_STEP:
		return follow_step(f);
	case COMMAND_SERIALIZE:
		return follow_serialize(f);
	default:
		return follow_events(f);
	}
}

struct failure *follow(struct session *s, const struct style *style, follow_write *write)
{
	struct follower f = {.s = s, .style = style, .write = write, .target = s->args->target};
	int is_attached_for_this = s->args->pid && !args_is_private(s->args);
	struct conn *c = &s->rpc.conn;
	struct failure *failure = session_open(s);

	if (!failure)
		failure = subscribe(&f);
	if (!failure && is_attached_for_this)
		interrupt_catch(c);
	if (!failure && (s->args->pid || s->args->program)) {
		failure = session_attach(s);
		f.target = format_string(format_member(s->info, "target"));
	}
	if (!failure)
		failure = follow_command(&f);
	/* A target that was attached for this command is detached; a launched one stays a target of the daemon. */
	c->interrupted = NULL;
	if (is_attached_for_this)
		failure = session_detach(s, failure);
	interrupt_release(c);
	text_deinit(&f.out);
	return failure;
}
