/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers, names and order of a snapshot's regions and threads. */
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "function_names.h"
#include "message.h"
#include "rpc/json_read.h"
#include "view/value.h"

static int64_t get_level(const struct view *v, size_t parallel)
{
	return dap_message_int(v->s.parallels[parallel].json, "level", -1);
}

static bool is_initial(const struct view *v, size_t parallel)
{
	return get_level(v, parallel) <= 0;
}

struct thread_key {
	size_t region, place, thread;
};

static int compare_keys(const void *a, const void *b)
{
	const struct thread_key *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Sort: threads of initial regions, then by region and number, then idle ones, then the others in their order. */
static void sort_threads(struct view *v)
{
	struct thread_key *keys = text_calloc(v->s.n_threads, sizeof(*keys));

	for (size_t i = 0; i < v->s.n_threads; i++) {
		const struct facts_thread *t = &v->s.threads[i];
		int64_t number = dap_message_int(t->json, "thread_num", -1);

		keys[i] = (struct thread_key){.region = t->openmp ? SIZE_MAX - 1 : SIZE_MAX, .thread = i};
		if (t->openmp && t->parallel != FACTS_NONE) {
			keys[i].region = v->s.parallels[t->parallel].number;
			keys[i].place = number < 0 ? SIZE_MAX : (size_t)number;
		}
	}
	qsort(keys, v->s.n_threads, sizeof(*keys), compare_keys);
	v->order = text_calloc(v->s.n_threads, sizeof(*v->order));
	for (size_t i = 0; i < v->s.n_threads; i++)
		v->order[i] = keys[i].thread;
	free(keys);
}

static int compare_tids(const void *a, const void *b, void *arg)
{
	const struct view *v = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	bool in_x = view_in_region(v, x), in_y = view_in_region(v, y);

	if (v->s.threads[x].tid != v->s.threads[y].tid)
		return v->s.threads[x].tid < v->s.threads[y].tid ? -1 : 1;
	if (in_x != in_y)
		return in_x ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void index_tids(struct view *v)
{
	v->by_tid = text_calloc(v->s.n_threads, sizeof(*v->by_tid));
	for (size_t i = 0; i < v->s.n_threads; i++) {
		if (v->s.threads[i].openmp)
			v->by_tid[v->n_by_tid++] = i;
	}
	qsort_r(v->by_tid, v->n_by_tid, sizeof(*v->by_tid), compare_tids, v);
}

struct view *view_create(struct json_object *result, struct json_object *names)
{
	struct view *v = text_calloc(1, sizeof(*v));

	v->source = json_object_get(json_read_member(result, "raw"));
	struct error *err = facts_init(&v->s, v->source);
	/* Without memory nothing is known. */
	if (err) {
		error_destroy(err);
		facts_deinit(&v->s);
	}
	v->rows = json_object_get(dap_message_array(result, "rows"));
	v->names = json_object_get(names);
	v->functions = text_calloc(v->s.n_parallels, sizeof(*v->functions));
	facts_number_regions(&v->s);
	for (size_t i = 0; i < v->s.n_parallels; i++) {
		struct json_object *json = v->s.parallels[i].json;
		const char *symbol = json_read_string(dap_message_get(json, "function", "symbol", NULL));
		const char *around = json_read_string(dap_message_get(json, "location", "function", NULL));

		if (symbol)
			v->functions[i] = function_names_program_part(v->names, symbol);
		/* clang's function for a region has no name of its own, but its location names the enclosing
		 * function. */
		if (around)
			view_set_function(v, i, around);
	}
	sort_threads(v);
	index_tids(v);
	return v;
}

void view_destroy(struct view *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->s.n_parallels; i++)
		free(v->functions[i]);
	free(v->functions);
	free(v->order);
	free(v->by_tid);
	facts_deinit(&v->s);
	json_object_put(v->source);
	json_object_put(v->names);
	json_object_put(v->rows);
	free(v);
}

size_t view_thread(const struct view *v, int64_t tid)
{
	size_t low = 0, high = v->n_by_tid;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (v->s.threads[v->by_tid[middle]].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->n_by_tid && v->s.threads[v->by_tid[low]].tid == tid ? v->by_tid[low] : FACTS_NONE;
}

bool view_in_region(const struct view *v, size_t thread)
{
	const struct facts_thread *t = &v->s.threads[thread];

	return t->openmp && t->parallel != FACTS_NONE && !is_initial(v, t->parallel);
}

size_t view_region(const struct view *v, size_t number)
{
	for (size_t i = 0; i < v->s.n_parallels && number; i++) {
		if (v->s.parallels[i].number == number)
			return i;
	}
	return FACTS_NONE;
}

size_t view_encountering_thread(const struct view *v, size_t parallel)
{
	for (size_t i = 0; i < v->s.n_tasks; i++) {
		const struct facts_task *task = &v->s.tasks[i];

		if (task->parallel == parallel && task->kind && !strcmp(task->kind, "implicit") &&
		    task->generating != FACTS_NONE)
			return v->s.tasks[task->generating].thread;
	}
	return FACTS_NONE;
}

const char *view_thread_text(const struct view *v, size_t thread, const char *column)
{
	struct json_object *row =
		thread < dap_message_length(v->rows) ? json_object_array_get_idx(v->rows, thread) : NULL;
	const char *text = json_read_string(dap_message_get(row, "cells", column, "text", NULL));

	return text ? text : "-";
}

char *view_thread_name(const struct view *v, size_t thread)
{
	const struct facts_thread *t = &v->s.threads[thread];
	const char *state = view_thread_text(v, thread, "state");
	bool is_known = strcmp(state, "-") != 0;
	struct buf name = {0};

	if (t->parallel != FACTS_NONE) {
		int64_t number = dap_message_int(t->json, "thread_num", -1);

		text_printf(&name, "%zu.", v->s.parallels[t->parallel].number);
		if (number < 0)
			text_add(&name, "?");
		else
			text_printf(&name, "%" PRId64, number);
	}
	if (is_known) {
		text_add(&name, name.len ? " " : "");
		text_add_safe(&name, state, 1);
	}
	if (t->parallel != FACTS_NONE && v->functions[t->parallel]) {
		text_add(&name, is_known ? ", " : " ");
		text_add_safe(&name, v->functions[t->parallel], 1);
	}
	if (!name.len)
		text_add(&name, "OpenMP thread");
	return text_take(&name);
}

void view_add_region(const struct view *v, size_t parallel, struct buf *t)
{
	if (is_initial(v, parallel)) {
		text_add(t, "initial region");
		return;
	}
	text_printf(t, "parallel region %zu", v->s.parallels[parallel].number);
	if (v->functions[parallel]) {
		text_add(t, ", ");
		text_add_safe(t, v->functions[parallel], 1);
	}
	text_printf(t, " (level %" PRId64 ")", get_level(v, parallel));
}

void view_add_task(const struct view *v, size_t task, struct buf *t)
{
	struct buf function = {0};

	text_add(t, "explicit task");
	if (value_add_function(&function, v->s.tasks[task].json, 0)) {
		text_add(t, " ");
		text_add_safe(t, function.data, 1);
	}
	buf_deinit(&function);
}

struct json_object *view_icvs(const struct view *v, size_t task)
{
	struct json_object *icvs = json_read_member(v->s.tasks[task].json, "icvs");

	/* It is empty if the answer left it out. */
	return json_object_is_type(icvs, json_type_object) && json_object_object_length(icvs) > 0 ? icvs : NULL;
}

/* Return the number in a handle, which equal views have in common. */
static const char *get_task_number(struct json_object *task)
{
	const char *handle = dap_message_string(task, "handle"), *colon = handle ? strrchr(handle, ':') : NULL;

	return colon ? colon : "";
}

void view_take_icvs(struct view *v, struct json_object *result)
{
	struct json_object *tasks = dap_message_array(result, "tasks");

	for (size_t i = 0; i < v->s.n_tasks && dap_message_length(tasks) == v->s.n_tasks; i++) {
		struct json_object *own = v->s.tasks[i].json, *other = json_object_array_get_idx(tasks, i);
		struct json_object *icvs = json_read_member(other, "icvs");

		if (icvs && json_object_is_type(own, json_type_object) &&
		    !strcmp(get_task_number(own), get_task_number(other)) &&
		    json_object_equal(json_read_member(own, "thread"), json_read_member(other, "thread")) &&
		    json_object_equal(json_read_member(own, "kind"), json_read_member(other, "kind")))
			json_object_object_add(own, "icvs", json_object_get(icvs));
	}
}

void view_set_function(struct view *v, size_t parallel, const char *name)
{
	char *own = function_names_program_part(v->names, name);

	if (!own || v->functions[parallel]) {
		free(own);
		return;
	}
	v->functions[parallel] = own;
}

static bool is_kind(const struct facts_task *task, const char *kind)
{
	return task->kind && !strcmp(task->kind, kind);
}

/* Return the implicit task of @thread in @parallel. */
static size_t find_implicit_task(const struct view *v, size_t thread, size_t parallel)
{
	for (size_t i = 0; i < v->s.n_tasks && parallel != FACTS_NONE; i++) {
		const struct facts_task *task = &v->s.tasks[i];

		if (is_kind(task, "implicit") && task->thread == thread && task->parallel == parallel)
			return i;
	}
	return FACTS_NONE;
}

void view_chain_of(const struct view *v, size_t thread, struct view_chain *ret)
{
	size_t at = v->s.threads[thread].task;

	ret->n = 0;
	ret->is_whole = false;
	while (at != FACTS_NONE && ret->n < VIEW_MAX_STEPS) {
		const struct facts_task *task = &v->s.tasks[at];
		bool is_region = is_kind(task, "implicit");

		if (is_kind(task, "initial")) {
			ret->is_whole = true;
			return;
		}
		if (!is_region && !is_kind(task, "explicit"))
			return;
		struct view_step *step = &ret->steps[ret->n++];
		*step = (struct view_step){at, is_region, task->parallel, task->generating, false};
		if (!is_region) {
			at = task->scheduling != FACTS_NONE ? task->scheduling
							    : find_implicit_task(v, thread, task->parallel);
			continue;
		}
		at = task->generating;
		if (at != FACTS_NONE && v->s.tasks[at].thread != thread) {
			step->leaves = true;
			ret->is_whole = v->s.tasks[at].thread != FACTS_NONE;
			return;
		}
	}
}
