/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutual exclusion: a 4-byte futex lock, for omp_lock_t, critical, atomic and the runtime itself. */
#ifndef OMPDD_RUNTIME_CORE_SYNC_LOCK_H
#define OMPDD_RUNTIME_CORE_SYNC_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/lock_word.h"
#include "core/state/thread.h"
#include "omp-tools.h"
#include "os/spin.h"

void lock_acquire_slow(struct lock *lock, ompt_state_t state) __attribute__((cold));
void lock_release_slow(struct lock *lock) __attribute__((cold));

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

#endif
