/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The taskgroup construct: its begin, and its end that waits. */
#include "abi/abi.h"

#include "core/taskgroup.h"
#include "core/thread.h"
#include "tools/point.h"

/*
 * With a tool, for a thread that the runtime has not met, or with something to wait for or to allocate. Tail calls, so
 * that return address and frame are the entry points'.
 */
static __attribute__((cold, noinline)) void start(void)
{
	taskgroup_begin(thread_self(), SITE_HERE());
}

static __attribute__((cold, noinline)) void end(void)
{
	taskgroup_end(thread_self(), SITE_HERE());
}

ABI void GOMP_taskgroup_start(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool() || unlikely(!t->member->free_groups))
		return start();
	taskgroup_enter(t);
}

ABI void GOMP_taskgroup_end(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool() || !taskgroup_leave(t))
		end();
}
