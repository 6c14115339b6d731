/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See detach.h. */
#include "core/detach.h"

#include "core/task_wait.h"
#include "core/team.h"

/* task.detach */
enum {
	DETACH_FULFILLED = 1,
	DETACH_BLOCK_ENDED = 2,
};

bool detach_block_ended(struct task *task)
{
	/* Release: what the block did, for who fulfills; acquire: what happened before it was fulfilled. */
	if (!(__atomic_fetch_or(&task->detach, DETACH_BLOCK_ENDED, __ATOMIC_ACQ_REL) & DETACH_FULFILLED))
		return false;
	task->detach = 0;
	return true;
}

bool detach_discard(struct task *task)
{
	/* Nobody may ever fulfill it if its block did not run. */
	return detach_block_ended(task);
}

void detach_fulfill(struct task *task)
{
	struct team *team;

	if (!(__atomic_fetch_or(&task->detach, DETACH_FULFILLED, __ATOMIC_ACQ_REL) & DETACH_BLOCK_ENDED))
		return; /* it may be gone now */
	/*
	 * A member of its team completes it. The region cannot end before one took it from the queue, and none can before
	 * the lock is released: until then the team is there, and can be woken.
	 */
	team = task->team;
	task->detach = 0;
	task->flags |= TASK_ENDED;
	lock_acquire(&team->queue.lock, ompt_state_overhead);
	task_queue_put(&team->queue, task);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&team->n_sleepers, __ATOMIC_RELAXED))
		task_wake_all(team);
	barrier_wake(team, true);
	lock_release(&team->queue.lock);
}
