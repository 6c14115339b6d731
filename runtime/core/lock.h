/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutual exclusion: a 4-byte futex lock, used for omp_lock_t, critical, atomic and inside the runtime. */
#ifndef OMPDD_RUNTIME_CORE_LOCK_H
#define OMPDD_RUNTIME_CORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"
#include "omp-tools.h"
#include "os/spin.h"
#include "tools/point.h"

/* 0: free; else who holds it (thread.lock_word), and LOCK_SLEEPERS. Zero-initialised is free: the size and that are the
 * ABI's. */
struct lock {
	uint32_t word;
};

/* Somebody may sleep. */
#define LOCK_SLEEPERS 1u

void lock_acquire_slow(struct lock *lock, ompt_state_t state) __attribute__((cold));
void lock_release_slow(struct lock *lock) __attribute__((cold));
/* For the program: the current task's enter frame is @frame meanwhile, and a tool is told, of all but those that are
 * the runtime's. */
void lock_acquire_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
bool lock_try_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));
void lock_release_from_slow(struct lock *lock, ompt_mutex_t kind, const void *frame) __attribute__((cold));

/* What the calling thread writes into a lock: the store is made anyway, so a debugger gets to know the owner for free.
 */
static inline uint32_t lock_own_word(void)
{
	return RUNTIME_TRACKS ? thread_peek()->lock_word : THREAD_LOCK_UNKNOWN;
}

/* @state is shown while it waits, with @lock as wait id. */
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
 * Whether a lock of the calling thread's names it. It does not while the runtime has not met the thread: that is what
 * the slow ways do, so that who waits for a lock of a thread in no region can be told of it.
 */
static inline bool lock_names_owner(void)
{
	return !RUNTIME_TRACKS || likely(thread_peek()->lock_word != THREAD_LOCK_UNKNOWN);
}

/*
 * The same by entry points, for the program; @frame as in SITE_HERE(). A tool is told of each; a lock of which it was
 * told is left as if somebody slept, so that whoever releases it need not look whether there is a tool.
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
