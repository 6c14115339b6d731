/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The taskloop construct, for loops whose variable fits into a long and for those with an unsigned long long. */
#include "abi/abi.h"
#include "abi/task_flags.h"

#include "core/cancel.h"
#include "core/task.h"
#include "core/taskloop.h"
#include "core/thread.h"

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
		.priority = flags & GOMP_TASK_FLAG_PRIORITY ? task_priority(priority) : 0,
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

	loop.tasks.flags = task_flags(flags) | TASK_TASKLOOP | (parent->flags & TASK_FINAL);
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
