/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers, names and order of a snapshot's regions and threads. */
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "names.h"

static const struct style plain = {.utf8 = 1};

static int64_t get_level(const struct view *v, size_t parallel)
{
	return dap_message_int(v->s.parallels[parallel].json, "level", -1);
}

static bool is_initial(const struct view *v, size_t parallel)
{
	return get_level(v, parallel) <= 0;
}

/* Number the regions within @outer, each followed by the regions inside it. @depth, the nesting level of these
 * regions, is limited. */
static void number_regions(struct view *v, size_t outer, size_t depth, size_t *last)
{
	for (size_t i = 0; i < v->s.n_parallels && depth < VIEW_MAX_STEPS; i++) {
		if (v->s.parallels[i].enclosing != outer || i == outer || v->numbers[i])
			continue;
		if (!is_initial(v, i))
			v->numbers[i] = ++*last;
		number_regions(v, i, depth + 1, last);
	}
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
		const struct overview_thread *t = &v->s.threads[i];
		int64_t number = dap_message_int(t->json, "thread_num", -1);

		keys[i] = (struct thread_key){.region = t->openmp ? SIZE_MAX - 1 : SIZE_MAX, .thread = i};
		if (t->openmp && t->parallel != OVERVIEW_NONE) {
			keys[i].region = v->numbers[t->parallel];
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

struct view *view_create(struct json_object *result, struct json_object *info)
{
	struct view *v = text_calloc(1, sizeof(*v));
	size_t last = 0;

	overview_init(&v->s, result, info);
	v->numbers = text_calloc(v->s.n_parallels, sizeof(*v->numbers));
	v->functions = text_calloc(v->s.n_parallels, sizeof(*v->functions));
	number_regions(v, OVERVIEW_NONE, 0, &last);
	for (size_t i = 0; i < v->s.n_parallels; i++) {
		struct json_object *json = v->s.parallels[i].json;
		const char *symbol = format_string(dap_message_get(json, "function", "symbol", NULL));
		const char *around = format_string(dap_message_get(json, "location", "function", NULL));

		/* Enclosing regions may form a cycle in an inconsistent sample. */
		if (!is_initial(v, i) && !v->numbers[i])
			v->numbers[i] = ++last;
		if (symbol)
			v->functions[i] = view_short_function(symbol);
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
	free(v->numbers);
	free(v->order);
	free(v->by_tid);
	overview_deinit(&v->s);
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
	return low < v->n_by_tid && v->s.threads[v->by_tid[low]].tid == tid ? v->by_tid[low] : OVERVIEW_NONE;
}

bool view_in_region(const struct view *v, size_t thread)
{
	const struct overview_thread *t = &v->s.threads[thread];

	return t->openmp && t->parallel != OVERVIEW_NONE && !is_initial(v, t->parallel);
}

size_t view_region(const struct view *v, size_t number)
{
	for (size_t i = 0; i < v->s.n_parallels && number; i++) {
		if (v->numbers[i] == number)
			return i;
	}
	return OVERVIEW_NONE;
}

size_t view_who_met(const struct view *v, size_t parallel)
{
	for (size_t i = 0; i < v->s.n_tasks; i++) {
		const struct overview_task *task = &v->s.tasks[i];

		if (task->parallel == parallel && task->kind && !strcmp(task->kind, "implicit") &&
		    task->generating != OVERVIEW_NONE)
			return v->s.tasks[task->generating].thread;
	}
	return OVERVIEW_NONE;
}

char *view_thread_name(const struct view *v, size_t thread)
{
	const struct overview_thread *t = &v->s.threads[thread];
	struct state_name state = names_state(&plain, format_member(t->json, "state"));
	bool is_known = strcmp(state.text, "-") != 0;
	struct text name = {0};

	if (t->parallel != OVERVIEW_NONE) {
		int64_t number = dap_message_int(t->json, "thread_num", -1);

		text_printf(&name, "%zu.", v->numbers[t->parallel]);
		if (number < 0)
			text_add(&name, "?");
		else
			text_printf(&name, "%" PRId64, number);
	}
	if (is_known)
		text_printf(&name, "%s%s", name.len ? " " : "", state.text);
	if (t->parallel != OVERVIEW_NONE && v->functions[t->parallel]) {
		text_add(&name, is_known ? ", " : " ");
		text_add_safe(&name, v->functions[t->parallel], 1);
	}
	if (!name.len)
		text_add(&name, "OpenMP thread");
	free(state.text);
	return text_take(&name);
}

void view_add_region(const struct view *v, size_t parallel, struct text *t)
{
	if (is_initial(v, parallel)) {
		text_add(t, "initial region");
		return;
	}
	text_printf(t, "parallel region %zu", v->numbers[parallel]);
	if (v->functions[parallel]) {
		text_add(t, ", ");
		text_add_safe(t, v->functions[parallel], 1);
	}
	text_printf(t, " (level %" PRId64 ")", get_level(v, parallel));
}

void view_add_task(const struct view *v, size_t task, struct text *t)
{
	char *function = overview_function(&plain, v->s.tasks[task].json);

	text_add(t, "explicit task");
	if (strcmp(function, "-") != 0)
		text_printf(t, " %s", function);
	free(function);
}

char *view_short_function(const char *name)
{
	/* gcc's names for the functions of constructs, then LLVM's. They follow the name of the program's function. */
	static const char *const marks[] = {"._omp_fn", ".omp_outlined", "..omp_par", ".omp_task", "(."};
	size_t len = strlen(name);
	struct text t = {0};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(name, marks[i]);

		if (at && (size_t)(at - name) < len)
			len = (size_t)(at - name);
	}
	if (!len)
		return NULL;
	text_add_bytes(&t, name, len);
	return text_take(&t);
}

struct json_object *view_icvs(const struct view *v, size_t task)
{
	struct json_object *icvs = format_member(v->s.tasks[task].json, "icvs");

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
		struct json_object *icvs = format_member(other, "icvs");

		if (icvs && json_object_is_type(own, json_type_object) &&
		    !strcmp(get_task_number(own), get_task_number(other)) &&
		    json_object_equal(format_member(own, "thread"), format_member(other, "thread")) &&
		    json_object_equal(format_member(own, "kind"), format_member(other, "kind")))
			json_object_object_add(own, "icvs", json_object_get(icvs));
	}
}

void view_set_function(struct view *v, size_t parallel, const char *name)
{
	char *own = view_short_function(name);

	if (!own || v->functions[parallel]) {
		free(own);
		return;
	}
	v->functions[parallel] = own;
}

static bool is_kind(const struct overview_task *task, const char *kind)
{
	return task->kind && !strcmp(task->kind, kind);
}

/* Return the implicit task of @thread in @parallel. */
static size_t find_implicit_task(const struct view *v, size_t thread, size_t parallel)
{
	for (size_t i = 0; i < v->s.n_tasks && parallel != OVERVIEW_NONE; i++) {
		const struct overview_task *task = &v->s.tasks[i];

		if (is_kind(task, "implicit") && task->thread == thread && task->parallel == parallel)
			return i;
	}
	return OVERVIEW_NONE;
}

void view_chain_of(const struct view *v, size_t thread, struct view_chain *ret)
{
	size_t at = v->s.threads[thread].task;

	ret->n = 0;
	ret->is_whole = false;
	while (at != OVERVIEW_NONE && ret->n < VIEW_MAX_STEPS) {
		const struct overview_task *task = &v->s.tasks[at];
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
			at = task->scheduling != OVERVIEW_NONE ? task->scheduling
							       : find_implicit_task(v, thread, task->parallel);
			continue;
		}
		at = task->generating;
		if (at != OVERVIEW_NONE && v->s.tasks[at].thread != thread) {
			step->leaves = true;
			ret->is_whole = v->s.tasks[at].thread != OVERVIEW_NONE;
			return;
		}
	}
}
