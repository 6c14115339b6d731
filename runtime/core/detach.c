/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two ends of a detachable task, its block's and its event's: whichever comes last completes it. */
#include "core/detach.h"

#include "core/lock.h"
#include "core/task_wait.h"
#include "core/team.h"
#include "tools/point.h"

/* Held by both while there is a tool, which is to be told in the right order, and while the task is there for sure. */
static struct lock report_lock;

static bool end_block(struct task *task)
{
	/*
	 * Release: the thread that fulfills the event sees what the block did. Acquire: this thread sees what happened
	 * before it was fulfilled.
	 */
	if (!(__atomic_fetch_or(&task->detach, DETACH_BLOCK_ENDED, __ATOMIC_ACQ_REL) & DETACH_FULFILLED))
		return false;
	task->detach = 0;
	return true;
}

bool detach_block_ended(struct task *task)
{
	bool is_fulfilled;

	if (likely(!point_has_tool()))
		return end_block(task);
	lock_acquire(&report_lock, ompt_state_overhead);
	point_block_ended(task, __atomic_load_n(&task->detach, __ATOMIC_ACQUIRE) & DETACH_FULFILLED);
	is_fulfilled = end_block(task);
	lock_release(&report_lock);
	return is_fulfilled;
}

bool detach_discard(struct task *task)
{
	/* The event of a task whose block did not run may never be fulfilled: do not wait for it. */
	return end_block(task);
}

/* False: its block has not ended, and it may be gone now. */
static bool fulfill(struct task *task)
{
	return __atomic_fetch_or(&task->detach, DETACH_FULFILLED, __ATOMIC_ACQ_REL) & DETACH_BLOCK_ENDED;
}

static __attribute__((cold)) bool fulfill_and_report(struct task *task)
{
	bool block_ended;

	lock_acquire(&report_lock, ompt_state_overhead);
	point_fulfill(task, __atomic_load_n(&task->detach, __ATOMIC_ACQUIRE) & DETACH_BLOCK_ENDED);
	block_ended = fulfill(task);
	lock_release(&report_lock);
	return block_ended;
}

void detach_fulfill(struct task *task)
{
	struct team *team;

	if (!(point_has_tool() ? fulfill_and_report(task) : fulfill(task)))
		return;
	/*
	 * A member of its team completes it. The region cannot end before one took it from the queue, and none can
	 * before the lock is released: until then the team is there, and can be woken.
	 */
	team = task->team;
	task->detach = 0;
	task->flags |= TASK_ENDED;
	lock_acquire(&team->queue.lock, ompt_state_overhead);
	task_queue_put(&team->queue, task);
	task_wake_sleepers(team);
	barrier_wake(team, true);
	lock_release(&team->queue.lock);
}
