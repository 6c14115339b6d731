/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads of a pool: start, wake for a region, wait for the next, end. */
#include "core/pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/affinity.h"
#include "core/barrier.h"
#include "core/icv.h"
#include "core/places.h"
#include "core/root.h"
#include "core/task.h"
#include "core/team.h"
#include "core/thread.h"
#include "core/wait.h"
#include "os/futex.h"
#include "os/memory.h"
#include "os/message.h"
#include "os/thread.h"
#include "tools/point.h"

static struct pool *create_pool(struct thread *t)
{
	struct pool *pool = memory_zalloc(sizeof(*pool));

	pool->primary = t;
	pool->references = 1;
	return pool;
}

static void release_pool(struct pool *pool)
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

/*
 * Runs a task of the region whose end this thread has reached, while that region is not over. Returns whether it found
 * one.
 */
static bool help_team(struct seat *seat, struct thread *t)
{
	struct team *team = t->team;
	bool found = false;

	/*
	 * The primary thread stores has_tasks and then reads `helping`; this thread stores `helping` and then reads
	 * has_tasks. All are sequentially consistent: the primary thread waits for this thread, or this thread sees
	 * that the region is over.
	 */
	__atomic_store_n(&seat->helping, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&team->has_tasks, __ATOMIC_SEQ_CST) == t->epoch && task_run_one(t))
		found = true;
	/* This may have been the last task that the primary thread waits for. */
	if (found && __atomic_load_n(&team->has_tasks, __ATOMIC_SEQ_CST) == t->epoch && task_team_is_done(team))
		barrier_wake(team, true);
	__atomic_store_n(&seat->helping, 0, __ATOMIC_RELEASE);
	return found;
}

/* Returns whether there may be tasks to help with. */
static inline bool can_help(const struct thread *t)
{
	return unlikely(__atomic_load_n(&t->team->has_tasks, __ATOMIC_ACQUIRE) == t->epoch);
}

/* Threads that share the bit without being called wake in vain; they are few. */
static uint32_t get_bell_bit(const struct seat *seat)
{
	return 1u << seat->thread_num % 32;
}

uint32_t seat_rouse_slow(struct seat *seat)
{
	return __atomic_exchange_n(&seat->asleep, 0, __ATOMIC_RELAXED) ? get_bell_bit(seat) : 0;
}

void pool_ring(struct pool *pool, uint32_t bits)
{
	__atomic_add_fetch(&pool->bell, 1, __ATOMIC_RELEASE);
	futex_wake_bits(&pool->bell, bits);
}

/* Sleeps in the seat until the thread is called, or a task is created. */
static __attribute__((cold)) void sleep_in_seat(struct seat *seat, struct thread *t, uint32_t go)
{
	struct team *team = t->team;
	/* Read first: a thread that clears `asleep` from now on changes the bell afterwards. */
	uint32_t bell = __atomic_load_n(&seat->pool->bell, __ATOMIC_ACQUIRE);

	__atomic_store_n(&seat->asleep, 1, __ATOMIC_RELAXED);
	/* Counted last: the thread that resets the count in pool_wake() finds all counted threads. */
	if (__atomic_load_n(&team->epoch, __ATOMIC_RELAXED) != t->epoch ||
	    !__atomic_load_n(&team->in_use, __ATOMIC_RELAXED))
		state_wait(t, ompt_state_idle, NULL);
	else
		__atomic_fetch_add(&team->n_asleep, 1, __ATOMIC_RELEASE);
	uint32_t ns = sleep_prepare();

	if (__atomic_load_n(&seat->go, __ATOMIC_ACQUIRE) == go && !(can_help(t) && help_team(seat, t)))
		sleep_on_bits(&seat->pool->bell, bell, get_bell_bit(seat), ns);
	__atomic_store_n(&seat->asleep, 0, __ATOMIC_RELAXED);
}

/* Waits for the next call. @go: the number of the last one. */
static void await_call(struct seat *seat, struct thread *t, uint32_t go)
{
	struct waiter waiter = {0};

	while (__atomic_load_n(&seat->go, __ATOMIC_ACQUIRE) == go) {
		/* Help the last team: the seat may already name the next region. */
		if (can_help(t) && help_team(seat, t))
			waiter_reset(&waiter);
		else if (!wait_step(&waiter))
			sleep_in_seat(seat, t, go);
	}
}

static __attribute__((noinline)) void obey_orders(struct seat *seat, struct thread *t)
{
	if (seat->orders & SEAT_FIRST)
		workshare_join(t);
	if (seat->orders & SEAT_PLACE)
		places_bind(t, seat->placement);
	if (seat->orders & SEAT_DISPLAY)
		affinity_display(t, NULL);
	if (seat->orders & SEAT_REPORT)
		point_member_begin(t, seat);
}

/*
 * Copies the seat's contents to the thread and its implicit task. A debugger knows both before, from the team. The
 * thread's state shows that it is between two regions.
 */
static inline void enter_region(struct seat *seat, struct thread *t)
{
	struct team *team = seat->team;
	struct member *member = team_members(team) + seat->thread_num;

	state_set(t, ompt_state_overhead);
	t->n_threads = seat->n_threads;
	t->epoch = seat->epoch;
	t->barrier_count = seat->barrier_count;
	t->team = team;
	t->member = member;
	t->task = &member->implicit;
	member->thread = t;
	member->tasks_seen = member->tasks_created;
	task_init(&member->implicit, TASK_IMPLICIT, seat->encountering, team, seat->epoch, seat->thread_num, seat->icv);
	share_begin(&member->share);
	if (unlikely(seat->orders))
		obey_orders(seat, t);
	state_set(t, ompt_state_work_parallel);
}

/* No region's epoch: see set_up_team() in core/team.c. */
#define NO_REGION 1

static void *pool_thread(void *arg)
{
	struct seat *seat = arg;
	struct pool *pool = seat->pool;
	struct thread *t = thread_peek();
	uint32_t go = 0;
	const void *frame = __builtin_dwarf_cfa();

	__atomic_store_n(&t->seat, seat, __ATOMIC_RELAXED);
	t->is_pool = true;
	t->thread_num = seat->thread_num;
	state_set(t, ompt_state_idle);
	thread_enter(t);
	/* Before the first call no task can be helped with. */
	t->team = pool->team;
	t->epoch = NO_REGION;

	for (;;) {
		struct task *task;

		await_call(seat, t, go++);
		if (!seat->n_threads)
			break;
		enter_region(seat, t);
		task = t->task;
		task_enter_program(task, frame);
		seat->fn(seat->data);
		task_leave_program(task);

		state_wait(t, ompt_state_wait_barrier_implicit_parallel, &seat->team->barrier);
		task_deinit(task);
		barrier_end_arrive(seat->team, seat->ended);
	}

	t->team = NULL;
	t->task = NULL;
	thread_leave(t);
	release_pool(pool);
	return NULL;
}

/*
 * The thread @id of @seat has been created. A member of a team is visible before it has run: static thread-local
 * storage has the same offset in all threads and exists from their creation. The thread lives, because it waits for
 * its call.
 *
 * ThreadSanitizer treats the start of a thread as a store to all its thread-local storage. The C library does that
 * before the thread exists, so no order is needed.
 */
static __attribute__((no_sanitize_thread, noinline)) void seat_thread(struct seat *seat, pthread_t id)
{
	struct thread *t = (struct thread *)((char *)id + ((char *)thread_peek() - (char *)pthread_self()));

	__atomic_store_n(&t->seat, seat, __ATOMIC_RELAXED);
	__atomic_store_n(&seat->thread, t, __ATOMIC_RELEASE);
}

void pool_start_thread(struct pool *pool, struct seat *seat)
{
	pthread_t id;
	int rc;

	__atomic_fetch_add(&pool->references, 1, __ATOMIC_RELAXED);
	rc = os_thread_start(pool_thread, seat, icv_process.stacksize, NULL, 0, &id);
	if (rc)
		message_fatal("Thread creation failed: %s", strerror(rc));
	seat_thread(seat, id);
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
		release_pool(pool);
		pool = inner;
	}
}

void pool_forget(struct pool *pool)
{
	while (pool) {
		struct pool *inner = pool->inner;

		pool->references = 1;
		release_pool(pool);
		pool = inner;
	}
}

void pool_wake(struct team *team)
{
	uint32_t bits = 0;

	__atomic_exchange_n(&team->n_asleep, 0, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i + 1 < team->n_threads; i++)
		bits |= seat_rouse(team->pool->seats[i]);
	if (bits)
		pool_ring(team->pool, bits);
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
