/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the task that each stretch of user code on a stack executes, from the thread's current task outward. The first
 * thread of a team encountered the construct in the generating task. Code around an explicit task called the routine
 * that started it.
 */
#include "openmp/stacks/stacks.h"

#include <omp-tools.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"

/* The bits of ompt_frame_flag_t with the meaning of the address. */
#define FRAME_KIND (ompt_frame_cfa | ompt_frame_framepointer)

struct assignment {
	struct stacks *st;
	const struct snapshot *s;
	struct stacks_thread *t;
	bool has_wrong_kinds;
};

static const struct snapshot_task *get_task(const struct assignment *a, uint32_t task)
{
	return task == SNAPSHOT_NONE ? NULL : &a->s->tasks[task];
}

/*
 * Return whether the thread is number 0 of the team of implicit task @task. Then it entered the region on its own
 * stack.
 */
static bool is_primary(const struct assignment *a, const struct snapshot_task *task)
{
	if (task->parallel.index == SNAPSHOT_NONE)
		return false;
	const struct snapshot_parallel *p = &a->s->parallels[task->parallel.index];

	return p->n_members > 0 && p->members[0] == a->t->thread;
}

static enum construct get_entry(const struct assignment *a, uint32_t segment)
{
	const struct stacks_place *place = segment < a->t->n_segments ? stacks_entry(a->st, a->t, segment) : NULL;

	if (segment < a->t->n_segments && a->t->segments[segment].direct != CONSTRUCT_UNKNOWN)
		return a->t->segments[segment].direct;

	return place ? place->construct : CONSTRUCT_UNKNOWN;
}

static bool is_region_entry(enum construct construct)
{
	return construct == CONSTRUCT_PARALLEL || construct == CONSTRUCT_TEAMS;
}

/* Return this thread's implicit task in the region of @task. */
static uint32_t find_implicit_task(const struct assignment *a, const struct snapshot_task *task)
{
	for (uint32_t i = 0; i < a->s->n_tasks; i++) {
		const struct snapshot_task *other = &a->s->tasks[i];

		if ((other->kind == TASK_IMPLICIT || other->kind == TASK_INITIAL) && other->thread == a->t->thread &&
		    other->parallel.index == task->parallel.index && task->parallel.index != SNAPSHOT_NONE)
			return i;
	}
	return SNAPSHOT_NONE;
}

/*
 * Return the number of implicit and initial tasks that a pure nest of regions leaves on this stack; 0: it is not pure.
 */
static uint32_t count_nest(const struct assignment *a, uint32_t task)
{
	uint32_t n = 0;

	for (const struct snapshot_task *t = get_task(a, task); t; t = get_task(a, t->generating.index)) {
		if (t->kind != TASK_IMPLICIT && t->kind != TASK_INITIAL)
			return 0;
		n++;
		if (!is_primary(a, t))
			return n;
	}
	return n;
}

/*
 * Return whether the runtime reports exactly where the code of @task ends on its stack: the canonical frame address of
 * its caller.
 */
static bool has_exact_end(const struct assignment *a, const struct snapshot_task *task)
{
	return !a->has_wrong_kinds && task->frames_rc == ompd_rc_ok && task->exit_frame &&
	       (task->exit_flags & FRAME_KIND) == ompt_frame_cfa;
}

bool stack_tasks_is_at_plugin(const struct stacks_thread *t, uint32_t segment)
{
	if (segment == 0 || segment >= t->n_segments)
		return false;
	for (uint32_t i = t->segments[segment - 1].end; i < t->segments[segment].first; i++) {
		const struct target_module *module = t->frames[i].place->source.module;

		if (module && offload_is_plugin(module->path))
			return true;
	}
	return false;
}

/* Return the number of tasks whose code is in the segments from @segment on. */
static uint32_t count_left(const struct assignment *a, uint32_t segment)
{
	uint32_t left = 0;

	for (uint32_t i = segment; i < a->t->n_segments; i++)
		left += i == segment || !stack_tasks_is_at_plugin(a->t, i);
	return left;
}

/*
 * Return whether implicit task @task has no code on the stack any more. Then segment @segment belongs to the task that
 * encountered the region. Either the thread waits for its team at the region's end, or the code of one-thread regions
 * was inlined into the code around them.
 */
static bool is_over(const struct assignment *a, uint32_t task, uint32_t segment)
{
	uint32_t left = count_left(a, segment), nest;

	/* A stack that was not read to its end may have more tasks. */
	if (left == 0)
		return a->t->end == STACK_OUTERMOST;
	if (has_exact_end(a, get_task(a, task)))
		return a->t->frames[a->t->segments[segment].first].sp >= get_task(a, task)->exit_frame;
	if (!is_region_entry(get_entry(a, segment)))
		return false;
	nest = count_nest(a, task);
	return nest == 0 || nest > left;
}

/* Return the task below explicit task @task, whose code is segment @segment: it was current when @task started. */
static uint32_t find_outer_of_explicit(const struct assignment *a, const struct snapshot_task *task, uint32_t segment)
{
	enum construct entry = get_entry(a, segment);

	if (task->scheduling.index != SNAPSHOT_NONE)
		return task->scheduling.index;
	/* The code of the generating task calls the code of this one. */
	if (segment < a->t->n_segments && a->t->segments[segment].direct == CONSTRUCT_TASK)
		return task->generating.index;
	/* The implicit task is the outermost task of the region. */
	if (is_region_entry(entry) || segment + 1 >= a->t->n_segments || is_region_entry(get_entry(a, segment + 1)))
		return find_implicit_task(a, task);
	/* In these routines the runtime runs only the children of the current task. */
	if (entry == CONSTRUCT_TASK || entry == CONSTRUCT_TASKWAIT || entry == CONSTRUCT_TASKLOOP)
		return task->generating.index;
	return SNAPSHOT_NONE;
}

static uint32_t find_outer_task(const struct assignment *a, uint32_t task, uint32_t segment)
{
	const struct snapshot_task *t = get_task(a, task);

	if (t->kind == TASK_EXPLICIT)
		return find_outer_of_explicit(a, t, segment);
	/* The initial task of a target region, or of a league's team, also lies within another task. */
	if ((t->kind == TASK_IMPLICIT || t->kind == TASK_INITIAL) && is_primary(a, t))
		return t->generating.index;
	return SNAPSHOT_NONE;
}

uint32_t stack_tasks_count(const struct stacks *st, const struct stacks_thread *t)
{
	struct assignment a = {.s = st->s, .t = (struct stacks_thread *)t};
	uint32_t task = st->s->threads[t->thread].task.index, n = 0;

	/* Chains have no cycles (openmp/model/walk/members.c). */
	while (task != SNAPSHOT_NONE && n < st->s->n_tasks) {
		const struct snapshot_task *it = get_task(&a, task);

		n++;
		if (it->kind == TASK_IMPLICIT && !is_primary(&a, it))
			break;
		task = it->kind == TASK_EXPLICIT && it->scheduling.index != SNAPSHOT_NONE ? it->scheduling.index
											  : it->generating.index;
	}
	return n;
}

void stack_tasks_assign(struct stacks *st, struct stacks_thread *t)
{
	struct assignment a = {.st = st, .s = st->s, .t = t};
	uint32_t task = st->s->threads[t->thread].task.index, segment = 0;
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	bool is_first = true;

	a.has_wrong_kinds = runtime && runtime->descriptor->has_wrong_frame_kinds;
	if (!(st->s->parts & SNAPSHOT_TASKS))
		return;
	/*
	 * Chains have no cycles (openmp/model/walk/members.c), but explicit tasks lead to implicit ones and back: bound
	 * the steps.
	 */
	for (uint32_t steps = 0; task != SNAPSHOT_NONE && steps < st->s->n_tasks + 1; steps++) {
		bool may_be_over = get_task(&a, task)->kind == TASK_IMPLICIT ||
				   (get_task(&a, task)->kind == TASK_INITIAL && has_exact_end(&a, get_task(&a, task)));
		if (may_be_over && is_over(&a, task, segment)) {
			t->task_is_over |= is_first;
		} else {
			if (segment == t->n_segments)
				return;
			do {
				t->segments[segment++].task = task;
			} while (stack_tasks_is_at_plugin(t, segment));
		}
		is_first = false;
		task = find_outer_task(&a, task, segment);
	}
}
