/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutual exclusion: a 4-byte futex lock, for omp_lock_t, critical, atomic and the runtime itself. */
#ifndef OMPDD_RUNTIME_CORE_LOCK_H
#define OMPDD_RUNTIME_CORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"
#include "omp-tools.h"
#include "os/spin.h"
#include "tools/point.h"

/*
 * 0: free. Otherwise the holder (thread.lock_word), and LOCK_SLEEPERS. The size, and that zero is free, belong to the
 * ABI.
 */
struct lock {
	uint32_t word;
};

/* A thread may sleep. */
#define LOCK_SLEEPERS 1u

void lock_acquire_slow(struct lock *lock, ompt_state_t state) __attribute__((cold));
void lock_release_slow(struct lock *lock) __attribute__((cold));
/*
 * Locks of the program: the current task has enter frame @frame meanwhile, and a tool sees the events. The runtime's
 * own locks are not reported.
 */
void lock_acquire_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
bool lock_try_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
void lock_release_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));

/*
 * The value that the calling thread writes into a lock. The store happens anyway, so a debugger learns the owner for
 * free.
 */
static inline uint32_t lock_own_word(void)
{
	return RUNTIME_TRACKS ? thread_peek()->lock_word : THREAD_LOCK_UNKNOWN;
}

/* @state is shown during the wait, with @lock as wait id. */
static inline void lock_acquire(struct lock *lock, ompt_state_t state)
{
	uint32_t free = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &free, lock_own_word(), false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)))
		lock_acquire_slow(lock, state);
}

static inline bool lock_try(struct lock *lock)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&lock->word, &free, lock_own_word(), false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline void lock_release(struct lock *lock)
{
	if (unlikely(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & LOCK_SLEEPERS))
		lock_release_slow(lock);
}

/*
 * Returns whether a lock of the calling thread would name it. Unknown threads have no number yet. The slow functions
 * register them, so that the holder of a lock is known even outside of all regions.
 */
static inline bool lock_names_owner(void)
{
	return !RUNTIME_TRACKS || likely(thread_peek()->lock_word != THREAD_LOCK_UNKNOWN);
}

/*
 * The lock routines of the program; @frame as in SITE_HERE(). A tool sees each of them. A lock that was reported has
 * LOCK_SLEEPERS set, so that the release takes the slow path, which checks for a tool.
 */
static inline void lock_acquire_from(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	if (point_may_have_tool() || !lock_names_owner() || unlikely(!lock_try(lock)))
		lock_acquire_from_slow(lock, kind, frame);
}

static inline bool lock_try_from(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	return point_may_have_tool() || !lock_names_owner() ? lock_try_from_slow(lock, kind, frame) : lock_try(lock);
}

static inline void lock_release_from(struct lock *lock, ompt_mutex_t kind, const void *frame)
{
	if (unlikely(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & LOCK_SLEEPERS))
		lock_release_from_slow(lock, kind, frame);
}

#endif
