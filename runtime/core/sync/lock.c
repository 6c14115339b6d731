/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow part of a lock that another thread holds: waiting, and waking the next thread. */
#include "core/sync/lock.h"

#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "os/futex.h"

/*
 * At first a thread only pauses, longer and longer. A read takes the cache line from the holder or from a thread that
 * wants the lock again, and most critical sections are short. It does not yield here, whatever the number of threads:
 * the holder most likely runs.
 */
enum {
	PAUSES = 2000,
	PAUSES_CROWDED = 500, /* where that is less likely */
	PAUSES_AT_ONCE = 512, /* at most */
};

/* A thread that has slept acquires the lock with LOCK_SLEEPERS, because sleepers are not counted. */
static void sleep_until_taken(struct lock *lock)
{
	for (;;) {
		uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

		if (word == 0) {
			if (__atomic_compare_exchange_n(&lock->word, &word, lock_own_word() | LOCK_SLEEPERS, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
				return;
			continue;
		}
		if (!(word & LOCK_SLEEPERS) && !__atomic_compare_exchange_n(&lock->word, &word, word | LOCK_SLEEPERS,
									    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		sleep_on(&lock->word, word | LOCK_SLEEPERS, 0);
	}
}

void lock_acquire_slow(struct lock *lock, ompt_state_t state)
{
	struct thread *t = thread_peek();
	uint32_t before = state_wait(t, state, lock);
	struct waiter w = {.round = WAIT_SPINS}; /* the next steps are yields */
	uint32_t max_paused = wait_is_crowded() ? PAUSES_CROWDED : PAUSES, n_paused = 0, n_next = 1;

	for (;;) {
		uint32_t word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

		if (word == 0) {
			if (__atomic_compare_exchange_n(&lock->word, &word, lock_own_word(), false, __ATOMIC_ACQUIRE,
							__ATOMIC_RELAXED))
				break;
			continue;
		}
		if (n_paused < max_paused) {
			for (uint32_t i = 0; i < n_next; i++)
				spin_pause();
			n_paused += n_next;
			n_next = n_next < PAUSES_AT_ONCE ? 2 * n_next : PAUSES_AT_ONCE;
			continue;
		}
		if (wait_step(&w)) {
			/* It reads the lock between yields only, for the same reason. */
			for (; w.left; w.left--)
				spin_pause();
			continue;
		}
		sleep_until_taken(lock);
		break;
	}
	state_restore(t, before);
}

void lock_release_slow(struct lock *lock)
{
	futex_wake(&lock->word, 1);
}
