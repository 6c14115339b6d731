/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* task, taskwait and taskyield. */
#include "abi/abi.h"
#include "abi/task_flags.h"

#include "core/cancel.h"
#include "core/icv.h"
#include "core/task.h"
#include "core/task_run.h"
#include "core/thread.h"

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
		.priority = flags & GOMP_TASK_FLAG_PRIORITY ? task_priority(priority) : 0,
		.flags = task_flags(flags) | (t->task->flags & TASK_FINAL),
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
	own = task_flags(flags);
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
