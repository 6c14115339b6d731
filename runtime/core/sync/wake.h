/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waking threads of a team that sleep: at the barrier, in a task's wait, or in a seat of its pool. */
#ifndef OMPDD_RUNTIME_CORE_SYNC_WAKE_H
#define OMPDD_RUNTIME_CORE_SYNC_WAKE_H

#include "core/state/seat.h"
#include "core/state/team.h"
#include "core/sync/sleep.h"
#include "os/spin.h"

struct barrier;

/* Wakes all threads that sleep on the word of @b. */
void barrier_wake_all(struct barrier *b) __attribute__((cold));
/*
 * Wakes sleeping threads: a task is ready, the last task is complete, or the region was cancelled. Cheap without
 * sleepers.
 */
void barrier_wake(struct team *team, bool all);

/* Wakes @m, if it sleeps, to check its condition. The caller has just changed that. */
static inline void task_wake(struct member *m)
{
	sleeper_wake(&m->asleep);
}

/* The region was cancelled: wakes all sleeping members. */
void task_wake_all(struct team *team) __attribute__((cold));

/* A descendant of a waiting task has become ready: wakes the members that sleep, if any. */
static inline void task_wake_sleepers(struct team *team)
{
	if (unlikely(sleep_is_said(&team->n_sleepers)))
		task_wake_all(team);
}

/*
 * The bit of pool->bell that wakes the thread of @seat. Threads that share the bit without being called wake in vain;
 * they are few.
 */
static inline uint32_t seat_bell_bit(const struct seat *seat)
{
	return 1u << seat->thread_num % 32;
}

/*
 * Wakes the threads of several seats by one system call: seat_rouse() for each, then pool_ring() with the combined
 * results. With a word per seat, each woken thread would take the CPU from another program, finish its part of a short
 * region and sleep again before the next one is woken.
 */
uint32_t seat_rouse_slow(struct seat *seat) __attribute__((cold));
void pool_ring(struct pool *pool, uint32_t bits) __attribute__((cold));

static inline uint32_t seat_rouse(struct seat *seat)
{
	return unlikely(sleep_is_said(&seat->asleep)) ? seat_rouse_slow(seat) : 0;
}

/* The seat is filled in: its thread may start. Returns the same as seat_rouse(). */
static inline uint32_t seat_call(struct seat *seat)
{
	__atomic_store_n(&seat->go, seat->go + 1, __ATOMIC_RELEASE);
	return seat_rouse(seat);
}

#endif
