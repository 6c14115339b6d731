/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow parts of a lock of the program: registration of the thread, and events for a tool. */
#include "abi/program_lock.h"

#include "core/state/task.h"
#include "core/team/registration.h"
#include "tools/point.h"

static ompt_state_t get_wait_state(ompt_mutex_t kind)
{
	switch ((int)kind) {
	case ompt_mutex_critical:
		return ompt_state_wait_critical;
	case ompt_mutex_atomic:
		return ompt_state_wait_atomic;
	default:
		return ompt_state_wait_lock;
	}
}

void program_lock_acquire_slow(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	struct task *task = thread_self()->task;
	struct site site = {NULL, frame};

	task_enter_runtime(task, site);
	POINT(mutex_acquire, kind, lock, site);
	if (!lock_try(lock))
		lock_acquire_slow(lock, get_wait_state(kind));
	if (point_has_tool()) {
		__atomic_store_n(&lock->word, lock_own_word() | LOCK_SLEEPERS, __ATOMIC_RELAXED);
		point_mutex_acquired(kind, lock, site);
	}
	task_leave_runtime(task);
}

bool program_lock_try_slow(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	struct site site = {NULL, frame};

	thread_self();
	POINT(mutex_acquire, kind, lock, site);
	if (!lock_try(lock))
		return false;
	if (point_has_tool()) {
		__atomic_store_n(&lock->word, lock_own_word() | LOCK_SLEEPERS, __ATOMIC_RELAXED);
		point_mutex_acquired(kind, lock, site);
	}
	return true;
}

void program_lock_release_slow(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	lock_release_slow(lock);
	POINT(mutex_released, kind, lock, (struct site){NULL, frame});
}
