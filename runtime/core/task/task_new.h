/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* New explicit tasks, and those that are executed where they are encountered. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_NEW_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_NEW_H

#include "core/state/ready.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/task/deque.h"
#include "core/task/task_end.h"
#include "core/task/task_slot.h"
#include "os/spin.h"
#include "tools/point.h"

/* Initializes an explicit task of @parent, with the present team, ICVs and taskgroup of @like. */
static inline __attribute__((always_inline)) struct task *task_set_up(struct task *task, struct task *parent,
								      const struct task *like, uint32_t depth,
								      void (*fn)(void *), void *data, uint32_t flags)
{
	/* Atomic, because of thieves: core/state/task.h. */
	__atomic_store_n(&task->parent, parent, __ATOMIC_RELAXED);
	task->scheduling = NULL;
	task->team = like->team;
	task->icv = like->icv;
	task->fn = fn;
	task->data = data;
	task->taskgroup = like->taskgroup;
	task->kind = TASK_EXPLICIT;
	task->nest = 0;
	task->flags = flags;
	__atomic_store_n(&task->depth, depth, __ATOMIC_RELAXED);
	task_leave_program(task);
	return task;
}

/* A deferred task, or one that is executed at once. */
static inline struct task *task_new_like(struct thread *t, struct task *parent, const struct task *like, uint32_t depth,
					 void (*fn)(void *), void *data, uint32_t flags)
{
	return task_set_up(task_slot_get(t), parent, like, depth, fn, data, flags);
}

/* Initializes an explicit task of the current task. */
static inline struct task *task_new(struct thread *t, struct task *parent, void (*fn)(void *), void *data,
				    uint32_t flags)
{
	return task_new_like(t, parent, parent, parent->depth + 1, fn, data, flags);
}

enum {
	TASK_NEST_MAX = 100, /* nested tasks executed at once before one is deferred */
};

/*
 * Returns whether a task that need not be deferred is executed at once, because it would only wait in the deque.
 * Always in a team of one; otherwise if the others have enough tasks. An explicit task needs fewer of them, because
 * each task that it executes creates new ones when the deque runs empty.
 */
static inline bool task_wants_now(const struct thread *t, const struct task *parent)
{
	const struct team *team = t->team;

	/* Outside of parallel regions no barrier follows that would execute deferred tasks. */
	if (unlikely(parent->nest >= TASK_NEST_MAX) && team->level > 0)
		return false;
	if (team->n_threads == 1)
		return true;
	return deque_size(&t->member->deque) >=
	       (parent->kind == TASK_EXPLICIT ? 8 + 2 * team->n_threads : 64 * team->n_threads);
}

/*
 * Executes a task where it is encountered: undeferred, or because enough tasks are ready. Inlined into the entry
 * point, whose frame is then the one below the task's.
 */
static inline __attribute__((always_inline)) void
task_at_once(struct thread *t, struct task *parent, void (*fn)(void *), void *data, uint32_t flags, struct site site)
{
	struct task *task = task_slot_get(t);

	task_set_up(task, parent, parent, parent->depth + 1, fn, data, flags | TASK_STARTED);
	task->scheduling = parent;
	task->nest = parent->nest + 1;
	task->thread_num = t->thread_num;
	task_enter_program(task, __builtin_dwarf_cfa());
	task_enter_runtime(parent, site);
	t->task = task;
	POINT(task_met, task, __builtin_return_address(0));
	fn(data);
	POINT(task_end, task);
	t->task = parent;
	task_leave_runtime(parent);
	if (unlikely(task->n_created || task->own_icv))
		task_end_at_once(t, task);
	else
		task_slot_put(t, task);
}

#endif
