/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow parts of waking: at a barrier, in seats, and in waits of tasks. */
#include "core/sync/wake.h"

#include <limits.h>

#include "os/futex.h"

void barrier_wake_all(struct barrier *b)
{
	const uint64_t woken = BARRIER_ENDED - BARRIER_WOKEN;
	uint64_t w = __atomic_load_n(&b->word, __ATOMIC_RELAXED);

	/* A thread that sets the bit after this step has seen the new word before. */
	while (!__atomic_compare_exchange_n(&b->word, &w,
					    (w & ~(woken | BARRIER_SLEEPERS)) | ((w + BARRIER_WOKEN) & woken), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	futex_wake(futex_low_half(&b->word), INT_MAX);
}

uint32_t seat_rouse_slow(struct seat *seat)
{
	return __atomic_exchange_n(&seat->asleep, 0, __ATOMIC_RELAXED) ? seat_bell_bit(seat) : 0;
}

void pool_ring(struct pool *pool, uint32_t bits)
{
	__atomic_add_fetch(&pool->bell, 1, __ATOMIC_RELEASE);
	futex_wake_bits(&pool->bell, bits);
}

/* Wakes threads that sleep in the seats of @team's members. */
static __attribute__((cold, noinline)) void wake_seats(struct team *team)
{
	uint32_t bits = 0;

	__atomic_exchange_n(&team->n_asleep, 0, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i + 1 < team->n_threads; i++)
		bits |= seat_rouse(team->pool->seats[i]);
	if (bits)
		pool_ring(team->pool, bits);
}

void barrier_wake(struct team *team, bool all)
{
	struct barrier *b = &team->barrier;

	if (unlikely(sleep_is_said(&b->word) & BARRIER_SLEEPERS)) {
		/* One of several sleepers is woken: the bit stays for the others. */
		if (all || futex_wake(futex_low_half(&b->word), 1) == 0)
			barrier_wake_all(b);
	}
	if (unlikely(sleep_is_said(&team->n_asleep)))
		wake_seats(team);
}

void task_wake_all(struct team *team)
{
	for (uint32_t i = 0; i < team->n_threads; i++)
		task_wake(&team->members[i]);
}
