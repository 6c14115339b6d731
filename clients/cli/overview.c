/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses a snapshot's JSON, and draws the parts that all views share. */
#include "overview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static struct json_object *get_element(struct json_object *array, size_t i)
{
	return json_object_array_get_idx(array, i);
}

/* Return a map from handle to index. A json-c object serves as the hash table. */
static struct json_object *index_handles(struct json_object *array)
{
	struct json_object *map = json_object_new_object();

	for (size_t i = 0; i < get_length(array); i++) {
		const char *handle = format_string(format_member(get_element(array, i), "handle"));

		if (handle)
			json_object_object_add(map, handle, json_object_new_int64((int64_t)i));
	}
	return map;
}

static size_t find_index(struct json_object *map, struct json_object *object, const char *key)
{
	const char *handle = format_string(format_member(object, key));
	int64_t i = handle ? format_int(format_member(map, handle), -1) : -1;

	return i < 0 ? OVERVIEW_NONE : (size_t)i;
}

static size_t get_runtime(const struct overview *s, struct json_object *object)
{
	int64_t i = format_int(format_member(object, "runtime"), 0);

	return i < 0 || (size_t)i >= s->n_runtimes ? 0 : (size_t)i;
}

/* Write the key of a thread. A thread that several runtimes know has one entry per runtime. */
static void format_tid_key(char key[48], int64_t tid, size_t runtime)
{
	snprintf(key, 48, "%" PRId64 ":%zu", tid, runtime);
}

static size_t find_tid_index(struct json_object *map, struct json_object *tid, size_t runtime)
{
	char key[48];

	if (!json_object_is_type(tid, json_type_int))
		return OVERVIEW_NONE;
	format_tid_key(key, format_int(tid, 0), runtime);
	int64_t i = format_int(format_member(map, key), -1);
	return i < 0 ? OVERVIEW_NONE : (size_t)i;
}

static void init_threads(struct overview *s, struct json_object *parallels, struct json_object *tasks,
			 struct json_object *tids)
{
	struct json_object *array = format_member(s->json, "threads");

	s->n_threads = get_length(array);
	s->threads = text_calloc(s->n_threads, sizeof(*s->threads));
	for (size_t i = 0; i < s->n_threads; i++) {
		struct overview_thread *t = &s->threads[i];
		const char *comm;
		char key[48];

		t->json = get_element(array, i);
		t->runtime = get_runtime(s, t->json);
		t->tid = format_int(format_member(t->json, "tid"), 0);
		comm = format_string(format_member(t->json, "comm"));
		t->comm = comm ? comm : "";
		t->openmp = format_is_true(format_member(t->json, "openmp"));
		t->parallel = find_index(parallels, t->json, "parallel");
		t->task = find_index(tasks, t->json, "task");
		format_tid_key(key, t->tid, t->runtime);
		json_object_object_add(tids, key, json_object_new_int64((int64_t)i));
	}
}

static void init_parallels(struct overview *s, struct json_object *parallels, struct json_object *tids)
{
	struct json_object *array = format_member(s->json, "parallels");

	s->n_parallels = get_length(array);
	s->parallels = text_calloc(s->n_parallels, sizeof(*s->parallels));
	for (size_t i = 0; i < s->n_parallels; i++) {
		struct overview_parallel *p = &s->parallels[i];
		struct json_object *members;

		p->json = get_element(array, i);
		p->runtime = get_runtime(s, p->json);
		p->enclosing = find_index(parallels, p->json, "enclosing");
		members = format_member(p->json, "threads");
		p->members = text_calloc(get_length(members), sizeof(*p->members));
		for (size_t m = 0; m < get_length(members); m++) {
			size_t thread = find_tid_index(tids, get_element(members, m), p->runtime);

			if (thread != OVERVIEW_NONE)
				p->members[p->n_members++] = thread;
		}
	}
}

static void init_tasks(struct overview *s, struct json_object *parallels, struct json_object *tasks,
		       struct json_object *tids)
{
	struct json_object *array = format_member(s->json, "tasks");

	s->n_tasks = get_length(array);
	s->tasks = text_calloc(s->n_tasks, sizeof(*s->tasks));
	for (size_t i = 0; i < s->n_tasks; i++) {
		struct overview_task *t = &s->tasks[i];

		t->json = get_element(array, i);
		t->kind = format_string(format_member(t->json, "kind"));
		t->parallel = find_index(parallels, t->json, "parallel");
		t->generating = find_index(tasks, t->json, "generating");
		t->scheduling = find_index(tasks, t->json, "scheduling");
		t->thread = find_tid_index(tids, format_member(t->json, "thread"), get_runtime(s, t->json));
	}
}

void overview_init(struct overview *s, struct json_object *result, struct json_object *info)
{
	struct json_object *parallels = index_handles(format_member(result, "parallels"));
	struct json_object *tasks = index_handles(format_member(result, "tasks"));
	struct json_object *tids = json_object_new_object();

	*s = (struct overview){.json = json_object_get(result), .info = json_object_get(info)};
	s->runtimes = format_member(result, "runtimes");
	s->n_runtimes = get_length(s->runtimes);
	if (s->n_runtimes == 0 || s->n_runtimes > OVERVIEW_MAX_RUNTIMES)
		s->n_runtimes = 1;
	init_threads(s, parallels, tasks, tids);
	init_parallels(s, parallels, tids);
	init_tasks(s, parallels, tasks, tids);
	json_object_put(parallels);
	json_object_put(tasks);
	json_object_put(tids);
}

void overview_deinit(struct overview *s)
{
	for (size_t i = 0; i < s->n_parallels; i++)
		free(s->parallels[i].members);
	free(s->threads);
	free(s->parallels);
	free(s->tasks);
	json_object_put(s->json);
	json_object_put(s->info);
	*s = (struct overview){0};
}

char *overview_program(const struct overview *s, const struct style *style)
{
	const char *exe = format_string(format_member(s->info, "exe"));
	struct text t = {0};

	if (exe && *exe) {
		const char *slash = strrchr(exe, '/');

		text_add_safe(&t, slash && slash[1] ? slash + 1 : exe, style->utf8);
	} else if (s->n_threads) {
		text_add_safe(&t, s->threads[0].comm, style->utf8);
	}
	if (!t.len)
		text_add(&t, "process");
	return text_take(&t);
}

int overview_add_location(struct text *t, const struct style *style, struct json_object *location)
{
	const char *file = format_string(format_member(location, "file"));
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return 0;
	text_add_safe(t, slash ? slash + 1 : file, style->utf8);
	text_printf(t, ":%" PRId64, format_int(format_member(location, "line"), 0));
	return 1;
}

char *overview_function(const struct style *style, struct json_object *json)
{
	struct json_object *function = format_member(json, "function"), *location = format_member(json, "location");
	const char *symbol = format_string(format_member(function, "symbol"));
	struct text t = {0};

	if (!format_member(function, "address") || (symbol && *symbol))
		return format_value_string(style, function);
	/* A stripped program may still have the places of its constructs. */
	if (overview_add_location(&t, style, location))
		return text_take(&t);
	return format_value_string(style, format_member(function, "address"));
}

/* Append "barrier of solve._omp_fn.0", or for a region without a known function "barrier of level 2". Returns 0 if
 * it is not the barrier of a region. */
static int add_barrier(struct text *t, const struct overview *s, const struct style *style,
		       const struct overview_thread *thread)
{
	if (!format_string(format_member(format_member(thread->json, "wait_id"), "parallel")) ||
	    thread->parallel == OVERVIEW_NONE)
		return 0;
	struct json_object *region = s->parallels[thread->parallel].json;
	char *function = overview_function(style, region);

	text_add(t, "barrier of ");
	if (*function != '-') {
		text_add(t, function);
	} else {
		text_add(t, "level ");
		format_value(t, style, format_member(region, "level"));
	}
	free(function);
	return 1;
}

/* Append "pool+0x18". Returns 0 if the address is not in a variable. */
static int add_variable(struct text *t, const struct style *style, struct json_object *wait)
{
	const char *name = format_string(format_member(wait, "name"));

	if (!name || !*name)
		return 0;
	text_add_safe(t, name, style->utf8);
	return 1;
}

char *overview_wait(const struct overview *s, const struct style *style, const struct overview_thread *thread,
		    int with_what)
{
	struct json_object *wait = format_member(thread->json, "wait_id");
	const char *what = format_string(format_member(wait, "what"));
	struct text t = {0};
	int is_barrier = add_barrier(&t, s, style, thread);
	int is_named = is_barrier || add_variable(&t, style, wait);

	if (!is_named || style->verbose) {
		text_add(&t, is_named ? " at " : "");
		format_value(&t, style, format_member(wait, "value") ? format_member(wait, "value") : wait);
	}
	/* Show the kind of a lock only if it has no name. */
	if (what && *what && with_what && !is_named) {
		text_add(&t, " (");
		text_add_safe(&t, what, style->utf8);
		text_add(&t, ")");
	}
	return text_take(&t);
}

void overview_count(struct text *t, size_t n, const char *noun)
{
	text_printf(t, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

/* Append ", core file, SIGABRT in thread 4713". */
static void add_core(const struct overview *s, const struct style *style, struct text *out)
{
	struct json_object *core = format_member(s->info, "core");

	text_add(out, ", core file");
	if (!format_member(core, "signal"))
		return;
	text_add(out, ", ");
	if (format_string(format_member(core, "signal_name"))) {
		format_value(out, style, format_member(core, "signal_name"));
	} else {
		text_add(out, "signal ");
		format_value(out, style, format_member(core, "signal"));
	}
	text_add(out, " in thread ");
	format_value(out, style, format_member(core, "signal_tid"));
}

static void add_kind(struct json_object *runtime, const struct style *style, struct text *out)
{
	format_value(out, style, format_member(runtime, "kind"));
	if (format_string(format_member(runtime, "version"))) {
		text_add(out, " ");
		format_value(out, style, format_member(runtime, "version"));
	}
}

static void add_runtime(const struct overview *s, const struct style *style, struct text *out)
{
	struct json_object *runtime = format_member(s->json, "runtime");

	if (s->n_runtimes > 1) {
		text_printf(out, ", %zu OpenMP runtimes", s->n_runtimes);
	} else if (format_member(runtime, "kind")) {
		text_add(out, ", ");
		add_kind(runtime, style, out);
	}
}

void overview_runtime(const struct overview *s, const struct style *style, size_t i, struct text *out)
{
	struct json_object *runtime = get_element(s->runtimes, i);
	struct json_object *state = format_member(runtime, "state");

	add_kind(runtime, style, out);
	text_add(out, ", ");
	format_value(out, style, format_member(runtime, "path"));
	text_add(out, ", ");
	if (format_string(format_member(state, "message")))
		format_value(out, style, format_member(state, "message"));
	else if (state)
		format_value(out, style, state);
	else
		overview_count(out, (size_t)format_int(format_member(runtime, "n_threads"), 0), "thread");
}

void overview_view(const struct overview *s, const struct style *style, struct text *out)
{
	const char *consistency = format_string(format_member(s->json, "consistency"));

	if (consistency && !strcmp(consistency, "stopped")) {
		text_add(out, ", stopped for ");
		format_duration(out, style, format_int(format_member(s->json, "stopped_us"), 0));
	} else if (consistency && !strcmp(consistency, "racy")) {
		text_add(out, ", not stopped");
	} else if (consistency && !strcmp(consistency, "core")) {
		add_core(s, style, out);
	}
}

void overview_head(const struct overview *s, const struct style *style, struct text *out)
{
	char *program = overview_program(s, style);
	struct json_object *seen = json_object_new_object();
	size_t n = 0, openmp = 0;

	for (size_t i = 0; i < s->n_threads; i++) {
		char key[48];

		/* A thread that several runtimes know is listed once for each: find those runtimes. */
		format_tid_key(key, s->threads[i].tid, 0);
		if (s->n_runtimes > 1 && !json_object_object_get_ex(seen, key, NULL))
			json_object_object_add(seen, key, NULL);
		else if (s->n_runtimes > 1)
			continue;
		n++;
		openmp += s->threads[i].openmp != 0;
	}
	json_object_put(seen);
	text_add_coloured(out, style, COLOUR_BOLD, program);
	text_printf(out, " (pid %" PRId64 ")", format_int(format_member(s->json, "pid"), 0));
	add_runtime(s, style, out);
	text_add(out, ", ");
	overview_count(out, n, "thread");
	if (openmp != n)
		text_printf(out, " (%zu OpenMP)", openmp);
	overview_view(s, style, out);
	text_add(out, "\n");
	for (size_t i = 0; i < s->n_runtimes && s->n_runtimes > 1; i++) {
		text_printf(out, "runtime %zu: ", i);
		overview_runtime(s, style, i, out);
		text_add(out, "\n");
	}
	free(program);
}

void overview_foot(const struct overview *s, const struct style *style, struct text *out)
{
	struct json_object *warnings = format_member(s->json, "warnings");

	for (size_t i = 0; i < get_length(warnings); i++) {
		text_add_coloured(out, style, COLOUR_YELLOW, "warning:");
		text_add(out, " ");
		format_value(out, style, format_member(get_element(warnings, i), "message"));
		text_add(out, " [");
		format_value(out, style, format_member(get_element(warnings, i), "name"));
		text_add(out, "]\n");
	}
}
