/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* task, taskwait and taskyield. */
#include "abi/abi.h"
#include "abi/task_flags.h"

#include "core/cancel.h"
#include "core/icv.h"
#include "core/task.h"
#include "core/task_run.h"
#include "core/thread.h"

static __attribute__((noinline)) void construct(struct thread *t, gomp_fn fn, void *data, gomp_copy_fn copy, long size,
						long align, uint32_t flags, void **depend, int priority, void **detach,
						struct site site)
{
	task_construct(t, &(struct task_construct){
				  .fn = fn,
				  .data = data,
				  .copy = copy,
				  .size = (size_t)size,
				  .align = (size_t)align,
				  .depend = depend,
				  .detach = detach,
				  .priority = priority,
				  .flags = flags,
				  .site = site,
			  });
}

ABI void GOMP_task(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, bool if_clause, unsigned flags,
		   void **depend, int priority, void *detach)
{
	struct thread *t = thread_self();
	struct task *parent = t->task;
	uint32_t own = task_flags(flags) | (parent->flags & TASK_FINAL);

	/* Tasks of a final one are included. */
	if (!if_clause || parent->flags & TASK_FINAL)
		own |= TASK_UNDEFERRED;
	if (likely(!(flags & (GOMP_TASK_FLAG_DEPEND | GOMP_TASK_FLAG_PRIORITY | GOMP_TASK_FLAG_DETACH)) && !copy &&
		   !cancel_is_on()) &&
	    (own & TASK_UNDEFERRED || task_wants_now(t, parent))) {
		task_at_once(t, parent, fn, data, own, SITE_HERE());
		return;
	}
	construct(t, fn, data, copy, size, align, own, flags & GOMP_TASK_FLAG_DEPEND ? depend : NULL,
		  flags & GOMP_TASK_FLAG_PRIORITY ? task_priority(priority) : 0,
		  flags & GOMP_TASK_FLAG_DETACH ? detach : NULL, SITE_HERE());
}

ABI void GOMP_taskwait(void)
{
	struct thread *t = thread_self();

	if (unlikely(!task_children_done(t->task)))
		task_wait_children(t, SITE_HERE());
}

ABI void GOMP_taskwait_depend(void **depend)
{
	struct thread *t = thread_self();

	if (!task_children_done(t->task))
		task_wait_depend(t, depend, SITE_HERE());
}

ABI void GOMP_taskyield(void)
{
	struct thread *t = thread_self();

	if (unlikely(team_has_tasks(t->team)))
		task_yield(t, SITE_HERE());
}
