/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks of the program: omp_lock_t, critical and atomic. A tool sees their events; the runtime's own locks have none.
 */
#ifndef OMPDD_RUNTIME_ABI_PROGRAM_LOCK_H
#define OMPDD_RUNTIME_ABI_PROGRAM_LOCK_H

#include "core/state/lock_word.h"
#include "core/state/thread.h"
#include "core/sync/lock.h"
#include "omp-tools.h"
#include "os/spin.h"
#include "tools/observer.h"

/*
 * Locks of the program: the current task has enter frame @frame meanwhile, and a tool sees the events.
 */
void program_lock_acquire_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
bool program_lock_try_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
void program_lock_release_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));

/*
 * Returns whether a lock of the calling thread would name it. Unknown threads have no number yet. The slow functions
 * register them, so that the holder of a lock is known even outside of all regions.
 */
static inline bool names_owner(void)
{
	return !RUNTIME_TRACKS || likely(thread_peek()->lock_word != THREAD_LOCK_UNKNOWN);
}

/*
 * The lock routines of the program; @frame as in SITE_HERE(). A tool sees each of them. A lock that was reported has
 * LOCK_SLEEPERS set, so that the release takes the slow path, which checks for a tool.
 */
static inline void program_lock_acquire(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	if (point_may_have_tool() || !names_owner() || unlikely(!lock_try(lock)))
		program_lock_acquire_slow(lock, kind, frame);
}

static inline bool program_lock_try(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	return point_may_have_tool() || !names_owner() ? program_lock_try_slow(lock, kind, frame) : lock_try(lock);
}

static inline void program_lock_release(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	if (unlikely(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & LOCK_SLEEPERS))
		program_lock_release_slow(lock, kind, frame);
}

#endif
