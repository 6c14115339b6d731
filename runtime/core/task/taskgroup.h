/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* taskgroup regions (OpenMP 5.2, 15.4) and their tasks. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASKGROUP_H
#define OMPDD_RUNTIME_CORE_TASK_TASKGROUP_H

#include "core/state/task.h"
#include "core/state/team.h"
#include "os/spin.h"
#include "tools/observer.h"
#include "tools/point.h"

struct taskgroup *taskgroup_new(struct thread *t) __attribute__((cold));
/* Waits for the tasks of the current task's innermost group. */
void taskgroup_wait(struct thread *t, struct site site) __attribute__((cold));

static inline void taskgroup_enter(struct thread *t)
{
	struct member *m = t->member;
	struct taskgroup *g = m->free_groups;

	if (likely(g))
		m->free_groups = g->outer;
	else
		g = taskgroup_new(t);
	g->outer = t->task->taskgroup;
	g->task = t->task;
	g->thread_num = t->thread_num;
	t->task->taskgroup = g;
}

static inline void taskgroup_begin(struct thread *t, struct site site)
{
	taskgroup_enter(t);
	if (point_has_tool())
		point_taskgroup_begin(t, site);
}

/* Ends the current task's group @g, in which no task is left. */
static inline void taskgroup_drop(struct thread *t, struct taskgroup *g)
{
	struct member *m = t->member;

	t->task->taskgroup = g->outer;
	if (unlikely(g->here || g->cancelled || g->reductions)) {
		g->here = g->elsewhere = 0;
		g->cancelled = 0;
		g->reductions = NULL;
	}
	g->outer = m->free_groups;
	m->free_groups = g;
}

/* Returns false if tasks are left to wait for, or the current task has no group. */
static inline bool taskgroup_leave(struct thread *t)
{
	struct taskgroup *g = t->task->taskgroup;

	if (unlikely(!g || g->task != t->task || !taskgroup_is_done(g)))
		return false;
	taskgroup_drop(t, g);
	return true;
}

static inline void taskgroup_end(struct thread *t, struct site site)
{
	struct taskgroup *g = t->task->taskgroup;

	if (unlikely(!g || g->task != t->task))
		return; /* the current task has no group: badly compiled code */
	if (unlikely(!taskgroup_is_done(g)) || point_has_tool())
		taskgroup_wait(t, site);
	taskgroup_drop(t, g);
}

#endif
