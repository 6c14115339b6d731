/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* task, taskwait, taskyield, taskgroup, taskloop, and the event of a detachable task. */
#include "abi/abi.h"

#include <omp.h>

#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/cancel.h"
#include "core/task/detach.h"
#include "core/task/task_construct.h"
#include "core/task/task_new.h"
#include "core/task/task_run.h"
#include "core/task/task_wait.h"
#include "core/task/taskgroup.h"
#include "core/task/taskloop.h"
#include "core/team/registration.h"
#include "os/spin.h"
#include "tools/observer.h"

/* The flags of GOMP_task and GOMP_taskloop. */
enum {
	GOMP_TASK_FLAG_UNTIED = 1 << 0,
	GOMP_TASK_FLAG_FINAL = 1 << 1,
	GOMP_TASK_FLAG_MERGEABLE = 1 << 2,
	GOMP_TASK_FLAG_DEPEND = 1 << 3,
	GOMP_TASK_FLAG_PRIORITY = 1 << 4,
	GOMP_TASK_FLAG_UP = 1 << 8,
	GOMP_TASK_FLAG_GRAINSIZE = 1 << 9,
	GOMP_TASK_FLAG_IF = 1 << 10,
	GOMP_TASK_FLAG_NOGROUP = 1 << 11,
	GOMP_TASK_FLAG_REDUCTION = 1 << 12,
	GOMP_TASK_FLAG_DETACH = 1 << 13,
	GOMP_TASK_FLAG_STRICT = 1 << 14,
};

static uint32_t convert_flags(unsigned flags)
{
	_Static_assert(TASK_UNTIED == GOMP_TASK_FLAG_UNTIED << 1 && TASK_FINAL == GOMP_TASK_FLAG_FINAL << 1 &&
			       TASK_MERGEABLE == GOMP_TASK_FLAG_MERGEABLE << 1,
		       "they differ by a factor");
	_Static_assert(TASK_DETACHABLE == GOMP_TASK_FLAG_DETACH >> 8, "and this one");
	return (flags & (GOMP_TASK_FLAG_UNTIED | GOMP_TASK_FLAG_FINAL | GOMP_TASK_FLAG_MERGEABLE)) << 1 |
	       (flags & GOMP_TASK_FLAG_DETACH) >> 8;
}

static int32_t limit_priority(int priority)
{
	if (priority < 0)
		return 0;
	return (uint32_t)priority > icv_process.max_task_priority ? (int32_t)icv_process.max_task_priority : priority;
}

/* The slow path. A tail call with the same arguments keeps the entry point's return address and frame. */
static __attribute__((noinline)) void construct_task(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align,
						     bool if_clause, unsigned flags, void **depend, int priority,
						     void *detach)
{
	struct thread *t = thread_self();
	struct task_construct c = {
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = (size_t)size,
		.align = (size_t)align,
		.depend = flags & GOMP_TASK_FLAG_DEPEND ? depend : NULL,
		.detach = flags & GOMP_TASK_FLAG_DETACH ? detach : NULL,
		.priority = flags & GOMP_TASK_FLAG_PRIORITY ? limit_priority(priority) : 0,
		.flags = convert_flags(flags) | (t->task->flags & TASK_FINAL),
		.site = SITE_HERE(),
	};

	/* Descendants of a final task are included tasks. */
	if (!if_clause || t->task->flags & TASK_FINAL)
		c.flags |= TASK_UNDEFERRED;
	task_construct(t, &c);
}

ABI void GOMP_task(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, bool if_clause, unsigned flags,
		   void **depend, int priority, void *detach)
{
	struct thread *t = thread_peek();
	struct task *parent = t->task;
	uint32_t own;

	if (unlikely(flags & (GOMP_TASK_FLAG_DEPEND | GOMP_TASK_FLAG_PRIORITY | GOMP_TASK_FLAG_DETACH) || copy ||
		     !parent || cancel_is_on()))
		return construct_task(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
	own = convert_flags(flags);
	if (!if_clause || parent->flags & TASK_FINAL)
		own |= TASK_UNDEFERRED | (parent->flags & TASK_FINAL);
	else if (!task_wants_now(t, parent))
		return construct_task(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
	task_at_once(t, parent, fn, data, own, SITE_HERE());
}

ABI void GOMP_taskwait(void)
{
	struct thread *t = thread_self();

	if (unlikely(!task_children_done(t->task)) || point_has_tool())
		task_wait_children(t, SITE_HERE());
}

ABI void GOMP_taskwait_depend(void **depend)
{
	struct thread *t = thread_self();

	if (!task_children_done(t->task) || point_has_tool())
		task_wait_depend(t, depend, SITE_HERE());
}

static void do_nothing(void *data)
{
	(void)data;
}

/* taskwait with depend and nowait: an empty task with these dependences. */
ABI void GOMP_taskwait_depend_nowait(void **depend)
{
	struct thread *t = thread_self();
	struct task_construct c = {
		.fn = do_nothing,
		.depend = depend,
		.flags = t->task->flags & TASK_FINAL ? TASK_FINAL | TASK_UNDEFERRED : 0,
		.site = SITE_HERE(),
	};

	task_construct(t, &c);
}

ABI void GOMP_taskyield(void)
{
	struct thread *t = thread_self();

	if (unlikely(team_has_tasks(t->team)))
		task_yield(t, SITE_HERE());
}

/*
 * The slow path: a tool exists, the thread is unknown, or it has to wait or allocate. Tail calls keep the entry
 * point's return address and frame.
 */
static __attribute__((cold, noinline)) void start_group(void)
{
	taskgroup_begin(thread_self(), SITE_HERE());
}

static __attribute__((cold, noinline)) void end_group(void)
{
	taskgroup_end(thread_self(), SITE_HERE());
}

ABI void GOMP_taskgroup_start(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool() || unlikely(!t->member->free_groups))
		return start_group();
	taskgroup_enter(t);
}

ABI void GOMP_taskgroup_end(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool() || !taskgroup_leave(t))
		end_group();
}

/* gcc's data: the first two words are each task's bounds, the third is the array of reductions, if any. */
struct data_head {
	uint64_t bounds[2];
	uint64_t *reductions;
};

static inline struct task_construct describe_tasks(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align,
						   unsigned flags, int priority, struct site site)
{
	return (struct task_construct){
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = (size_t)size,
		.align = (size_t)align,
		.priority = flags & GOMP_TASK_FLAG_PRIORITY ? limit_priority(priority) : 0,
		.site = site,
	};
}

static void run_taskloop(struct thread *t, struct task_construct *tasks, unsigned flags, unsigned long num_tasks,
			 uint64_t start, uint64_t end, uint64_t step, bool empty)
{
	struct task *parent = t->task;
	uint64_t *reductions = flags & GOMP_TASK_FLAG_REDUCTION ? ((struct data_head *)tasks->data)->reductions : NULL;
	struct taskloop loop = {
		.tasks = *tasks,
		.start = start,
		.end = end,
		.step = step,
		.grainsize = flags & GOMP_TASK_FLAG_GRAINSIZE ? num_tasks : 0,
		.num_tasks = flags & GOMP_TASK_FLAG_GRAINSIZE ? 0 : num_tasks,
		.strict = flags & GOMP_TASK_FLAG_STRICT,
		.group = !(flags & GOMP_TASK_FLAG_NOGROUP),
		.reductions = reductions,
	};

	loop.tasks.flags = convert_flags(flags) | TASK_TASKLOOP | (parent->flags & TASK_FINAL);
	if (!(flags & GOMP_TASK_FLAG_IF) || parent->flags & TASK_FINAL)
		loop.tasks.flags |= TASK_UNDEFERRED;
	if (empty || (unlikely(cancel_is_on()) && cancel_discards(parent))) {
		/* Without memory, gcc's code has nothing to combine. */
		if (reductions)
			reductions[2] = 0;
		return;
	}
	if (flags & GOMP_TASK_FLAG_UP)
		loop.n = (end - start - 1) / step + 1;
	else
		loop.n = (start - end - 1) / -step + 1;
	taskloop_construct(t, &loop);
}

ABI void GOMP_taskloop(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, unsigned flags,
		       unsigned long num_tasks, int priority, long start, long end, long step)
{
	struct task_construct tasks = describe_tasks(fn, data, copy, size, align, flags, priority, SITE_HERE());

	run_taskloop(thread_self(), &tasks, flags, num_tasks, (uint64_t)start, (uint64_t)end, (uint64_t)step,
		     flags & GOMP_TASK_FLAG_UP ? start >= end : start <= end);
}

ABI void GOMP_taskloop_ull(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, unsigned flags,
			   unsigned long num_tasks, int priority, gomp_ull start, gomp_ull end, gomp_ull step)
{
	struct task_construct tasks = describe_tasks(fn, data, copy, size, align, flags, priority, SITE_HERE());

	run_taskloop(thread_self(), &tasks, flags, num_tasks, start, end, step,
		     flags & GOMP_TASK_FLAG_UP ? start >= end : start <= end);
}

/* omp_lib passes the handle by value. */
void omp_fulfill_event_(omp_event_handle_t event);

ABI void omp_fulfill_event(omp_event_handle_t event)
{
	detach_fulfill((struct task *)event);
}

ABI void omp_fulfill_event_(omp_event_handle_t event)
{
	detach_fulfill((struct task *)event);
}
