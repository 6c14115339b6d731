/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The block and the event of a detachable task. The second one to end completes the task. */
#include "core/task/detach.h"

#include "core/state/lock_word.h"
#include "core/state/task.h"
#include "core/sync/lock.h"
#include "core/sync/wake.h"
#include "core/task/task_queue.h"
#include "omp-tools.h"
#include "os/spin.h"
#include "tools/observer.h"
#include "tools/point.h"

/* Held by both ends while a tool exists, which must see them in order, and while the task certainly exists. */
static struct lock report_lock;

static bool end_block(struct task *task)
{
	/*
	 * Release: the thread that fulfills the event sees what the block did. Acquire: this thread sees what preceded
	 * the fulfillment.
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
	/* The event of a task whose block did not run may never be fulfilled, so there is no wait for it. */
	return end_block(task);
}

/* Returns false if the block has not ended. The task may be freed then. */
static bool fulfill_task(struct task *task)
{
	return __atomic_fetch_or(&task->detach, DETACH_FULFILLED, __ATOMIC_ACQ_REL) & DETACH_BLOCK_ENDED;
}

static __attribute__((cold)) bool fulfill_and_report(struct task *task)
{
	bool block_ended;

	lock_acquire(&report_lock, ompt_state_overhead);
	point_fulfill(task, __atomic_load_n(&task->detach, __ATOMIC_ACQUIRE) & DETACH_BLOCK_ENDED);
	block_ended = fulfill_task(task);
	lock_release(&report_lock);
	return block_ended;
}

void detach_fulfill(struct task *task)
{
	struct team *team;

	if (!(point_has_tool() ? fulfill_and_report(task) : fulfill_task(task)))
		return;
	/*
	 * A member of its team completes the task. The region cannot end before a member has taken it from the queue,
	 * and none can before the lock is released. Until then the team exists and can be woken.
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
