/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The taskgroup construct: its start, and its end, which waits. */
#include "abi/abi.h"

#include "core/taskgroup.h"
#include "core/thread.h"
#include "tools/point.h"

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
