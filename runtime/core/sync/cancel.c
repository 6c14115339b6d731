/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests to cancel a construct, and the points at which threads detect them. */
#include "core/sync/cancel.h"

#include "core/sync/wake.h"

static bool is_group_cancelled(const struct taskgroup *g)
{
	/* A cancelled taskgroup also cancels the tasks of inner groups. */
	for (; g; g = g->outer)
		if (__atomic_load_n(&g->cancelled, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/*
 * A cancelled construct ends with a barrier and has no nowait before it. A thread in it has passed the same barriers
 * as the thread that cancelled it, so no flag has to be cleared afterwards.
 */
static bool is_workshare_cancelled(const struct thread *t)
{
	const struct team *team = t->team;

	return __atomic_load_n(&team->cancelled, __ATOMIC_ACQUIRE) & (CANCEL_LOOP | CANCEL_SECTIONS) &&
	       __atomic_load_n(&team->cancelled_at, __ATOMIC_RELAXED) == t->barrier_count;
}

bool cancel_ends_workshare(const struct thread *t)
{
	return cancel_parallel_active(t->team) || is_workshare_cancelled(t);
}

bool cancel_discards(const struct task *task)
{
	return cancel_parallel_active(task->team) || is_group_cancelled(task->taskgroup);
}

bool cancel_point(struct thread *t, int what)
{
	if (!cancel_is_on())
		return false;
	if (cancel_parallel_active(t->team))
		return true;
	switch (what) {
	case CANCEL_LOOP:
	case CANCEL_SECTIONS:
		return is_workshare_cancelled(t);
	case CANCEL_TASKGROUP:
		return is_group_cancelled(t->task->taskgroup);
	default:
		return false;
	}
}

bool cancel_request(struct thread *t, int what)
{
	struct team *team = t->team;

	if (!cancel_is_on())
		return false;
	switch (what) {
	case CANCEL_TASKGROUP:
		if (t->task->taskgroup)
			__atomic_store_n(&t->task->taskgroup->cancelled, 1, __ATOMIC_RELEASE);
		break;
	case CANCEL_PARALLEL:
		__atomic_fetch_or(&team->cancelled, CANCEL_PARALLEL, __ATOMIC_SEQ_CST);
		barrier_wake(team, true);
		task_wake_all(team);
		break;
	default:
		__atomic_store_n(&team->cancelled_at, t->barrier_count, __ATOMIC_RELAXED);
		__atomic_fetch_or(&team->cancelled, (uint32_t)what, __ATOMIC_SEQ_CST);
	}
	return true;
}
