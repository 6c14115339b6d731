/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread is a member of its current region. If it is number 0 there, it is also a member of the enclosing region,
 * where it encountered the construct. The library reports its number there (ompd_get_thread_in_parallel).
 */
#include "openmp/model/walk/members.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "openmp/model/handle_thread.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"

/* Thread @thread (index) is number @num of region @region; NUMBER_UNKNOWN sorts last. */
struct membership {
	uint32_t region;
	uint32_t number;
	uint32_t thread;
};
#define NUMBER_UNKNOWN UINT32_MAX

struct finder {
	struct model *m;
	struct plugin *p;
	struct snapshot *s;
	const struct target_thread *view_threads;
	struct membership *found;
	size_t n, cap;
	size_t asked;
	bool *is_asked;	 /* by region: the library was asked for its members */
	uint32_t *first; /* by region: index of thread number 0; SNAPSHOT_NONE */
};

/* Returns the reference from element @i that a chain follows. */
typedef struct snapshot_ref *(*next_fn)(struct snapshot *s, uint32_t i);

static struct snapshot_ref *get_enclosing(struct snapshot *s, uint32_t i)
{
	return &s->parallels[i].enclosing;
}

static struct snapshot_ref *get_generating(struct snapshot *s, uint32_t i)
{
	return &s->tasks[i].generating;
}

static struct snapshot_ref *get_scheduling(struct snapshot *s, uint32_t i)
{
	return &s->tasks[i].scheduling;
}

/* Cuts cycles: consumers follow these chains to the end. */
static struct error *cut_cycles(struct snapshot *s, size_t n, next_fn next)
{
	_cleanup_free_ uint32_t *seen = calloc(n ? n : 1, sizeof(*seen));

	if (!seen)
		return &error_nomem;
	for (uint32_t start = 0; start < n; start++) {
		uint32_t i = start, before = SNAPSHOT_NONE;

		while (i != SNAPSHOT_NONE && !seen[i]) {
			seen[i] = start + 1;
			before = i;
			i = next(s, i)->index;
		}
		if (i == SNAPSHOT_NONE || seen[i] != start + 1 || before == SNAPSHOT_NONE)
			continue;
		*next(s, before) = (struct snapshot_ref){.rc = ompd_rc_error, .index = SNAPSHOT_NONE};
		s->cyclic = true;
	}
	return NULL;
}

static struct error *add_membership(struct finder *f, uint32_t region, uint32_t number, uint32_t thread)
{
	if (!VECTOR_GROW(f->found, f->n, f->cap))
		return &error_nomem;
	f->found[f->n++] = (struct membership){region, number, thread};
	return NULL;
}

/* Returns the index of the thread behind @object; SNAPSHOT_NONE when it is not in this snapshot. */
static uint32_t find_thread_index(struct finder *f, ompd_thread_handle_t *object)
{
	const struct target_thread *found = handle_thread(f->m, object, NULL);

	/* The snapshot has the view's threads in the same order. */
	if (!found || (size_t)(found - f->view_threads) >= f->s->n_threads)
		return SNAPSHOT_NONE;
	return (uint32_t)(found - f->view_threads);
}

/* Asks the library for the members of @region. */
static struct error *request_members(struct finder *f, uint32_t region)
{
	const struct snapshot_parallel *parallel = &f->s->parallels[region];
	bool any = false;

	if (parallel->team_size.rc != ompd_rc_ok)
		return NULL;
	for (int64_t i = 0; i < parallel->team_size.value && f->asked < MEMBERS_MAX_ASKED; i++) {
		ompd_thread_handle_t *object = NULL;

		f->asked++;
		int rc = plugin_call(f->p, get_thread_in_parallel, (ompd_parallel_handle_t *)parallel->object, (int)i,
				     &object);

		if (rc != ompd_rc_ok && !any)
			return NULL;
		if (rc != ompd_rc_ok || !object)
			continue;
		uint32_t thread = find_thread_index(f, object);

		plugin_call(f->p, rel_thread_handle, object);
		if (thread == SNAPSHOT_NONE)
			continue;
		struct error *err = add_membership(f, region, (uint32_t)i, thread);

		if (err)
			return err;
		any = true;
		if (i == 0)
			f->first[region] = thread;
	}
	f->is_asked[region] = any;
	return NULL;
}

static bool is_single(const struct snapshot_parallel *parallel)
{
	return parallel->team_size.rc == ompd_rc_ok && parallel->team_size.value == 1;
}

/* Whether @thread, a member of @region, is its number 0. */
static bool is_first(const struct finder *f, uint32_t region, uint32_t thread)
{
	return is_single(&f->s->parallels[region]) || f->first[region] == thread;
}

static struct error *add_outer_memberships(struct finder *f, uint32_t region, uint32_t thread)
{
	struct error *err;

	while (is_first(f, region, thread)) {
		region = f->s->parallels[region].enclosing.index;
		if (region == SNAPSHOT_NONE)
			break;
		if (f->is_asked[region])
			continue;
		err = add_membership(f, region, is_single(&f->s->parallels[region]) ? 0 : NUMBER_UNKNOWN, thread);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *find_memberships(struct finder *f)
{
	struct snapshot *s = f->s;
	struct error *err;

	for (size_t i = 0; i < s->n_parallels; i++)
		f->first[i] = SNAPSHOT_NONE;
	for (uint32_t i = 0; i < s->n_parallels; i++) {
		uint32_t enclosing = s->parallels[i].enclosing.index;

		if (enclosing == SNAPSHOT_NONE || is_single(&s->parallels[enclosing]) || f->is_asked[enclosing])
			continue;
		err = request_members(f, enclosing);
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		uint32_t region = thread->parallel.index;

		if (region == SNAPSHOT_NONE || f->is_asked[region])
			continue;
		bool known = thread->thread_num.rc == ompd_rc_ok && thread->thread_num.value < NUMBER_UNKNOWN;

		err = add_membership(f, region, known ? (uint32_t)thread->thread_num.value : NUMBER_UNKNOWN, i);
		if (err)
			return err;
		if (known && thread->thread_num.value == 0)
			f->first[region] = i;
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		uint32_t region = s->threads[i].parallel.index;

		if (region == SNAPSHOT_NONE)
			continue;
		err = add_outer_memberships(f, region, i);
		if (err)
			return err;
	}
	return NULL;
}

static int compare_memberships(const void *pa, const void *pb)
{
	const struct membership *a = pa, *b = pb;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static struct error *set_members(struct finder *f)
{
	uint32_t *all = arena_alloc(&f->s->arena, f->n * sizeof(*all));

	if (!all)
		return &error_nomem;
	if (f->n > 0)
		qsort(f->found, f->n, sizeof(*f->found), compare_memberships);
	for (size_t i = 0; i < f->n; i++) {
		struct snapshot_parallel *parallel = &f->s->parallels[f->found[i].region];

		all[i] = f->found[i].thread;
		if (parallel->n_members == 0)
			parallel->members = &all[i];
		parallel->n_members++;
	}
	return NULL;
}

/*
 * A thread executes its current task and the tasks below it in the scheduling chain. As number 0 of an implicit or
 * initial task's region, it also executes the encountering task.
 */
static void assign_tasks(struct finder *f, uint32_t thread, uint32_t task)
{
	struct snapshot *s = f->s;

	while (task != SNAPSHOT_NONE) {
		struct snapshot_task *t = &s->tasks[task];

		t->thread = thread;
		for (uint32_t i = t->scheduling.index; i != SNAPSHOT_NONE; i = s->tasks[i].scheduling.index) {
			if (s->tasks[i].thread != SNAPSHOT_NONE)
				break;
			s->tasks[i].thread = thread;
		}
		if ((t->kind != TASK_IMPLICIT && t->kind != TASK_INITIAL) || t->parallel.index == SNAPSHOT_NONE ||
		    !is_first(f, t->parallel.index, thread))
			break;
		task = t->generating.index;
		if (task != SNAPSHOT_NONE && s->tasks[task].thread != SNAPSHOT_NONE)
			break;
	}
}

static struct error *find_all_members(struct finder *f)
{
	struct snapshot *s = f->s;
	struct error *err;

	err = cut_cycles(s, s->n_parallels, get_enclosing);
	if (!err && (s->parts & SNAPSHOT_TASKS))
		err = cut_cycles(s, s->n_tasks, get_generating);
	if (!err && (s->parts & SNAPSHOT_TASKS))
		err = cut_cycles(s, s->n_tasks, get_scheduling);
	if (!err && (s->parts & (SNAPSHOT_PARALLELS | SNAPSHOT_TASKS)))
		err = find_memberships(f);
	if (!err)
		err = set_members(f);
	if (err || !(s->parts & SNAPSHOT_TASKS))
		return err;
	for (uint32_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].task.index != SNAPSHOT_NONE)
			s->tasks[s->threads[i].task.index].thread = i;
	for (uint32_t i = 0; i < s->n_threads; i++)
		assign_tasks(f, i, s->threads[i].task.index);
	/* The walk has assigned the implicit tasks below explicit ones: continue from there. */
	for (uint32_t i = 0; i < s->n_tasks; i++)
		if ((s->tasks[i].kind == TASK_IMPLICIT || s->tasks[i].kind == TASK_INITIAL) &&
		    s->tasks[i].thread != SNAPSHOT_NONE)
			assign_tasks(f, s->tasks[i].thread, i);
	return NULL;
}

struct error *members_find(struct model *m, struct snapshot *s)
{
	const struct error *why;
	struct finder f = {.m = m, .p = model_plugin(m, &why), .s = s};
	struct error *err;
	size_t n;

	err = target_threads(model_target(m), &f.view_threads, &n);
	if (err)
		return err;
	f.is_asked = calloc(s->n_parallels + 1, sizeof(*f.is_asked));
	f.first = calloc(s->n_parallels + 1, sizeof(*f.first));
	if (!f.is_asked || !f.first)
		err = &error_nomem;
	if (!err)
		err = find_all_members(&f);
	free(f.found);
	free(f.is_asked);
	free(f.first);
	return err;
}
