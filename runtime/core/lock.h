/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mutual exclusion: a 4-byte futex lock, used for omp_lock_t, critical, atomic and inside the runtime. */
#ifndef OMPDD_RUNTIME_CORE_LOCK_H
#define OMPDD_RUNTIME_CORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "omp-tools.h"
#include "os/spin.h"

/* 0: free. 1: held. 2: held, and somebody may sleep. Zero-initialised is free: the size and that are the ABI's. */
struct lock {
	uint32_t word;
};

void lock_acquire_slow(struct lock *lock, ompt_state_t state) __attribute__((cold));
/* The same, while the current task's enter frame is @frame. */
void lock_acquire_from_slow(struct lock *lock, ompt_state_t state, const void *frame) __attribute__((cold));
void lock_release_slow(struct lock *lock) __attribute__((cold));

/* @state is shown while it waits, with @lock as wait id. */
static inline void lock_acquire(struct lock *lock, ompt_state_t state)
{
	uint32_t free = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		lock_acquire_slow(lock, state);
}

/* By an entry point, for the program: @frame as in SITE_HERE(). */
static inline void lock_acquire_from(struct lock *lock, ompt_state_t state, const void *frame)
{
	uint32_t free = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		lock_acquire_from_slow(lock, state, frame);
}

static inline bool lock_try(struct lock *lock)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_release(struct lock *lock)
{
	if (unlikely(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2))
		lock_release_slow(lock);
}

#endif
