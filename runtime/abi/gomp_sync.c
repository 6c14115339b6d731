/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* barrier, critical, atomic where the processor has no instruction for it, ordered, and cancel. */
#include "abi/abi.h"

#include "abi/program_lock.h"
#include "core/loop/ordered.h"
#include "core/state/task.h"
#include "core/state/thread.h"
#include "core/sync/cancel.h"
#include "core/team/barrier.h"
#include "core/team/registration.h"
#include "omp-tools.h"
#include "os/spin.h"
#include "tools/observer.h"
#include "tools/point.h"

static struct lock critical_lock __attribute__((aligned(CACHE_LINE)));
static struct lock atomic_lock __attribute__((aligned(CACHE_LINE)));

ABI void GOMP_barrier(void)
{
	barrier_wait(thread_self(), ompt_state_wait_barrier, SITE_HERE().frame);
}

ABI bool GOMP_barrier_cancel(void)
{
	return barrier_wait_cancellable(thread_self(), ompt_state_wait_barrier, SITE_HERE().frame);
}

ABI void GOMP_critical_start(void)
{
	program_lock_acquire(&critical_lock, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_critical_end(void)
{
	program_lock_release(&critical_lock, ompt_mutex_critical, SITE_HERE().frame);
}

/* @name: a zeroed word, as wide as a pointer, that all translation units share. It holds the lock. */
ABI void GOMP_critical_name_start(void **name)
{
	program_lock_acquire((struct lock *)name, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_critical_name_end(void **name)
{
	program_lock_release((struct lock *)name, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_atomic_start(void)
{
	program_lock_acquire(&atomic_lock, ompt_mutex_atomic, SITE_HERE().frame);
}

ABI void GOMP_atomic_end(void)
{
	program_lock_release(&atomic_lock, ompt_mutex_atomic, SITE_HERE().frame);
}

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

ABI bool GOMP_cancel(int which, bool do_cancel)
{
	struct thread *t;

	if (!cancel_is_on()) {
		if (point_may_have_tool())
			thread_get_introduced();
		return false;
	}
	t = thread_self();
	if (!(do_cancel ? cancel_request(t, which) : cancel_point(t, which)))
		return false;
	POINT(cancel, t, which, do_cancel, SITE_HERE());
	return true;
}

ABI bool GOMP_cancellation_point(int which)
{
	struct thread *t;

	if (!cancel_is_on()) {
		if (point_may_have_tool())
			thread_get_introduced();
		return false;
	}
	t = thread_self();
	if (!cancel_point(t, which))
		return false;
	POINT(cancel, t, which, false, SITE_HERE());
	return true;
}
