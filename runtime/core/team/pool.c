/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pools of a thread: creation and growth for a region, and end. */
#include "core/team/pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/team/team_memory.h"
#include "os/memory.h"
#include "os/spin.h"

static struct pool *create_pool(struct thread *t)
{
	struct pool *pool = memory_zalloc(sizeof(*pool));

	pool->primary = t;
	pool->references = 1;
	return pool;
}

void pool_release(struct pool *pool)
{
	struct team *team;

	if (__atomic_sub_fetch(&pool->references, 1, __ATOMIC_ACQ_REL))
		return;
	while ((team = pool->retired)) {
		pool->retired = team->next_free;
		team_destroy(team);
	}
	if (pool->team)
		team_destroy(pool->team);
	for (uint32_t i = 0; i < pool->n_seats; i++)
		free(pool->seats[i]);
	free(pool->seats);
	free(pool);
}

static void grow_team(struct pool *pool, uint32_t n_threads)
{
	struct team *old = pool->team;
	uint32_t capacity = n_threads;

	if (old) {
		if (capacity < 2 * old->capacity)
			capacity = 2 * old->capacity;
		old->next_free = pool->retired;
		pool->retired = old;
	}
	pool->team = team_create(capacity);
	pool->team->pool = pool;
}

static void grow_seats(struct pool *pool, uint32_t n_seats)
{
	if (n_seats > pool->capacity) {
		pool->capacity = n_seats < 2 * pool->capacity ? 2 * pool->capacity : n_seats;
		pool->seats = memory_realloc(pool->seats, pool->capacity * sizeof(struct seat *));
	}
	while (pool->n_seats < n_seats) {
		struct seat *seat = memory_zalloc_line(sizeof(*seat));

		seat->pool = pool;
		seat->thread_num = pool->n_seats + 1;
		pool->seats[pool->n_seats++] = seat;
	}
}

struct pool *pool_prepare(struct thread *t, uint32_t n_threads)
{
	struct pool *pool = t->pool;

	if (!pool)
		t->pool = pool = create_pool(t);
	if (!pool->team || pool->team->capacity < n_threads)
		grow_team(pool, n_threads);
	if (pool->n_seats < n_threads - 1)
		grow_seats(pool, n_threads - 1);
	return pool;
}

void pool_destroy(struct pool *pool)
{
	while (pool) {
		struct pool *inner = pool->inner;
		uint32_t bits = 0;

		for (uint32_t i = 0; i < pool->n_seats; i++) {
			pool->seats[i]->n_threads = 0;
			bits |= seat_call(pool->seats[i]);
		}
		if (bits)
			pool_ring(pool, bits);
		pool_release(pool);
		pool = inner;
	}
}

void pool_forget(struct pool *pool)
{
	while (pool) {
		struct pool *inner = pool->inner;

		pool->references = 1;
		pool_release(pool);
		pool = inner;
	}
}

void pool_wait_helpers(struct team *team)
{
	for (uint32_t i = 0; i + 1 < team->n_threads; i++) {
		struct waiter waiter = {0};

		while (__atomic_load_n(&team->pool->seats[i]->helping, __ATOMIC_SEQ_CST))
			if (!wait_step(&waiter))
				spin_yield();
	}
}
