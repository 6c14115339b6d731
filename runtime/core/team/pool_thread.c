/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of a pool: it waits for a region, helps with tasks meanwhile, and executes its part of the region. */
#include "core/team/pool_thread.h"

#include <pthread.h>
#include <string.h>

#include "core/affinity/affinity_format.h"
#include "core/affinity/places.h"
#include "core/loop/loop.h"
#include "core/state/icv.h"
#include "core/state/seat.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/task/task_member.h"
#include "core/task/task_run.h"
#include "core/team/barrier.h"
#include "core/team/pool.h"
#include "core/team/thread_life.h"
#include "core/team/tool_region.h"
#include "omp-tools.h"
#include "os/message.h"
#include "os/spin.h"
#include "os/thread.h"
#include "tools/ompt.h"

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

/* Sleeps in the seat until the thread is called, or a task is created. */
static __attribute__((cold)) void sleep_in_seat(struct seat *seat, struct thread *t, uint32_t go)
{
	struct team *team = t->team;
	/* Read first: a thread that clears `asleep` from now on changes the bell afterwards. */
	uint32_t bell = __atomic_load_n(&seat->pool->bell, __ATOMIC_ACQUIRE);

	__atomic_store_n(&seat->asleep, 1, __ATOMIC_RELAXED);
	/* Counted last: the thread that resets the count in barrier_wake() finds all counted threads. */
	if (__atomic_load_n(&team->epoch, __ATOMIC_RELAXED) != t->epoch ||
	    !__atomic_load_n(&team->in_use, __ATOMIC_RELAXED))
		state_wait(t, ompt_state_idle, NULL);
	else
		__atomic_fetch_add(&team->n_asleep, 1, __ATOMIC_RELEASE);
	uint32_t ns = sleep_prepare();

	if (__atomic_load_n(&seat->go, __ATOMIC_ACQUIRE) == go && !(can_help(t) && help_team(seat, t)))
		sleep_on_bits(&seat->pool->bell, bell, seat_bell_bit(seat), ns);
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

/* SEAT_REPORT: replaces the seat's function by one that also reports the end. */
static void report_start(struct seat *seat, struct thread *t)
{
	ompt_member_begin(t);
	seat->fn = tool_region_run;
}

static __attribute__((noinline)) void obey_orders(struct seat *seat, struct thread *t)
{
	if (seat->orders & SEAT_FIRST)
		loop_join_region(t);
	if (seat->orders & SEAT_PLACE)
		places_bind(t, seat->placement);
	if (seat->orders & SEAT_DISPLAY)
		affinity_display(t, NULL);
	if (seat->orders & SEAT_REPORT)
		report_start(seat, t);
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

/* No region's epoch: see set_up_team() in core/team/region.c. */
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
	pool_release(pool);
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
