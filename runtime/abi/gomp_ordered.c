/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ordered construct: it waits for its turn and passes it on. */
#include "abi/abi.h"
#include "core/ordered.h"
#include "core/task.h"
#include "core/team.h"
#include "tools/point.h"

/* The address that the thread waits on. NULL: a single thread does not wait. */
static const void *get_turn(const struct thread *t)
{
	const struct share *share = &t->member->share;

	return t->n_threads > 1 && share->ws ? (const void *)&share->ws->turn : (const void *)&share->loop;
}

/*
 * The slow path: a tool exists, the thread is unknown, or it has to wait. Tail calls keep the entry point's return
 * address and frame.
 */
static __attribute__((cold, noinline)) void start_ordered(void)
{
	struct thread *t = thread_self();
	bool has_tool = point_has_tool();

	task_enter_runtime(t->task, SITE_HERE());
	if (has_tool)
		point_mutex_acquire(ompt_mutex_ordered, get_turn(t), SITE_HERE());
	if (!ordered_may_begin(t))
		ordered_wait(t);
	if (has_tool)
		point_mutex_acquired(ompt_mutex_ordered, get_turn(t), SITE_HERE());
	task_leave_runtime(t->task);
}

static __attribute__((cold, noinline)) void end_ordered(void)
{
	struct thread *t = thread_self();

	ordered_end(t);
	if (point_has_tool())
		point_mutex_released(ompt_mutex_ordered, get_turn(t), SITE_HERE());
}

ABI void GOMP_ordered_start(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool() || !ordered_may_begin(t))
		start_ordered();
}

ABI void GOMP_ordered_end(void)
{
	struct thread *t = thread_peek();

	if (unlikely(!t->team) || point_may_have_tool())
		return end_ordered();
	ordered_end(t);
}
