/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of a team's barrier: its counts around their overflow, with threads that are late, asleep, or have tasks. */
#include "core/team/barrier.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "barrier_team.h"
#include "check_main.h"
#include "core/state/barrier_word.h"
#include "core/state/icv.h"
#include "core/state/seat.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "os/futex.h"
#include "syscall_of.h"

static void wait_here(struct thread *t)
{
	barrier_wait(t, ompt_state_wait_barrier, NULL);
}

/* The end of a region, as team_end() and a pool's thread do it. */
static void end_here(struct thread *t, uint32_t last)
{
	if (t->thread_num)
		barrier_end_arrive(team, last);
	else
		barrier_end_wait(t, last);
	state_restore(t, ompt_state_work_parallel);
}

static void wait_while(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		sched_yield();
}

static bool somebody_sleeps(void)
{
	return __atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED) & BARRIER_SLEEPERS;
}

static bool all_arrived(void)
{
	return barrier_arrived(__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED)) ==
	       barrier_arrived(BARRIER_FIRST) + team->n_threads;
}

START_TEST(counts_share_a_word)
{
	uint64_t w = BARRIER_FIRST;

	/* Both counts overflow soon, but not into each other. */
	ck_assert_uint_gt(barrier_arrived(w), UINT32_MAX - 1000);
	ck_assert_uint_lt(barrier_ended(w), 1u << 31);
	ck_assert_uint_ge(barrier_ended(w + 1000ull * BARRIER_ENDED), 1u << 31);
	ck_assert_uint_eq(w & (BARRIER_ENDED - 1), 0);
	for (uint32_t i = 1; i < 1000; i++) {
		w += BARRIER_ARRIVED;
		ck_assert_uint_eq(barrier_arrived(w), barrier_arrived(BARRIER_FIRST) + i);
		ck_assert_uint_eq((uint32_t)w, (uint32_t)BARRIER_FIRST + (i - 1) * BARRIER_ENDED);
		w += BARRIER_ENDED;
		ck_assert_uint_eq(barrier_ended(w), barrier_ended(BARRIER_FIRST) + i * BARRIER_ENDED);
		ck_assert_uint_eq(barrier_arrived(w), barrier_arrived(BARRIER_FIRST) + i);
	}
	ck_assert_uint_lt(barrier_arrived(w), 1000);
	/* Neither count includes the flags. */
	w |= BARRIER_ENDED - 1;
	ck_assert_uint_eq(barrier_ended(w), barrier_ended(BARRIER_FIRST) + 999 * BARRIER_ENDED);
	ck_assert_uint_eq(barrier_arrived(w), barrier_arrived(BARRIER_FIRST) + 999);
}
END_TEST

/* So that each thread is the last one now and then, and some sleep meanwhile. */
static void be_late(const struct thread *t, uint32_t round)
{
	if (round % 50 == t->thread_num)
		usleep(2000);
}

enum { ROUNDS = 400 };
static uint32_t arrived[ROUNDS];

/* Barriers and ends of regions until both counts have overflowed. */
static void many_rounds(struct thread *t)
{
	uint32_t n = t->n_threads, last = barrier_ended(BARRIER_FIRST);

	for (uint32_t round = 0; round < ROUNDS; round++) {
		be_late(t, round);
		__atomic_fetch_add(&arrived[round], 1, __ATOMIC_RELAXED);
		wait_here(t);
		require(__atomic_load_n(&arrived[round], __ATOMIC_RELAXED) == n);
		require(t->state == ompt_state_work_parallel && t->wait_id == 0);
		if (round % 4)
			continue;
		last += (n - 1) * BARRIER_ENDED;
		end_here(t, last);
		/* Now a new region would start: no thread continues before the primary thread has arrived. */
		wait_here(t);
	}
}

START_TEST(nobody_leaves_before_all_are_there)
{
	static const uint32_t sizes[] = {2, 3, 8};

	icv_process.wait_policy = _i % 2 ? WAIT_PASSIVE : WAIT_DEFAULT;
	team_of_run(sizes[_i / 2], many_rounds);
}
END_TEST

static void few_rounds(struct thread *t)
{
	for (uint32_t round = 0; round < 10; round++) {
		__atomic_fetch_add(&arrived[round], 1, __ATOMIC_RELAXED);
		wait_here(t);
		require(__atomic_load_n(&arrived[round], __ATOMIC_RELAXED) == t->n_threads);
	}
}

START_TEST(many_threads)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	team_of_run(MAX_THREADS, few_rounds);
}
END_TEST

/*
 * Thread 0 has seen that it must sleep. Before it does, thread 1 completes that barrier, and goes to sleep at the next:
 * the word says again that a thread sleeps.
 */
static uint32_t steps; /* atomic */

static bool sleep_late(long number, const long *args)
{
	if (!is_sleep(number, args))
		return true;
	if (thread_peek()->thread_num == 1) {
		__atomic_store_n(&steps, 2, __ATOMIC_RELEASE);
	} else if (__atomic_load_n(&steps, __ATOMIC_ACQUIRE) == 0) {
		__atomic_store_n(&steps, 1, __ATOMIC_RELEASE);
		wait_while(&steps, 1);
	}
	return true;
}

static void two_barriers(struct thread *t)
{
	if (t->thread_num == 1)
		wait_while(&steps, 0);
	wait_here(t);
	wait_here(t);
}

START_TEST(a_thread_that_is_late_to_sleep_is_not_left_behind)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	before_syscall = sleep_late;
	team_of_run(2, two_barriers);
}
END_TEST

/* The same before it has announced its sleep: its copy of the word is outdated, whichever threads sleep by then. */
static void look_late(struct thread *t)
{
	if (t->thread_num == 0 && __atomic_load_n(&steps, __ATOMIC_ACQUIRE) == 0) {
		__atomic_store_n(&steps, 1, __ATOMIC_RELEASE);
		wait_while(&steps, 1);
	}
}

static bool say_sleep(long number, const long *args)
{
	if (is_sleep(number, args) && thread_peek()->thread_num == 1)
		__atomic_store_n(&steps, 2, __ATOMIC_RELEASE);
	return true;
}

static void two_barriers_with_tasks(struct thread *t)
{
	t->spins = 0;
	team_set_has_tasks(team);
	two_barriers(t);
}

START_TEST(a_thread_that_is_late_to_say_so_looks_again)
{
	icv_process.throttled_spin = true; /* GOMP_SPINCOUNT=0: sleeps at once */
	before_syscall = say_sleep;
	before_task = look_late;
	team_of_run(2, two_barriers_with_tasks);
}
END_TEST

enum { TASKS = 100 };

static void make_tasks(struct thread *t, uint32_t n)
{
	team_set_has_tasks(team);
	t->member->tasks_created += n;
	__atomic_fetch_add(&tasks.left, n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tasks.ready, n, __ATOMIC_RELEASE);
	barrier_wake(team, true);
}

static void tasks_before_barrier(struct thread *t)
{
	for (uint32_t round = 0; round < 50; round++) {
		be_late(t, round);
		if (round % t->n_threads == t->thread_num)
			make_tasks(t, TASKS);
		wait_here(t);
		require(__atomic_load_n(&tasks.left, __ATOMIC_RELAXED) == 0);
		require(__atomic_load_n(&tasks.run, __ATOMIC_RELAXED) == (round + 1) * TASKS);
		wait_here(t);
	}
	/* The last barrier, for which no task was created, does not have the flag. */
	require(!(__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED) & BARRIER_TASKS));
}

START_TEST(all_tasks_are_done_behind_it)
{
	icv_process.wait_policy = _i % 2 ? WAIT_PASSIVE : WAIT_DEFAULT;
	team_of_run(_i / 2 ? 2 : 4, tasks_before_barrier);
}
END_TEST

/* A detached task: no thread can run it, and it ends when all have gone to sleep. */
static void *fulfil(void *arg)
{
	(void)arg;
	while (!somebody_sleeps() || !all_arrived())
		usleep(1000);
	usleep(20000);
	__atomic_store_n(&tasks.left, 0, __ATOMIC_RELEASE);
	barrier_wake(team, true);
	return NULL;
}

static void wait_for_detached(struct thread *t)
{
	pthread_t other;

	if (t->thread_num == 0) {
		team_set_has_tasks(team);
		t->member->tasks_created++;
		tasks.left = 1;
		require(pthread_create(&other, NULL, fulfil, NULL) == 0);
	}
	wait_here(t);
	require(__atomic_load_n(&tasks.left, __ATOMIC_ACQUIRE) == 0);
	if (t->thread_num == 0)
		pthread_join(other, NULL);
}

START_TEST(sleepers_wait_for_a_detached_task)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	team_of_run(3, wait_for_detached);
}
END_TEST

static void tasks_at_the_end(struct thread *t)
{
	uint32_t last = barrier_ended(BARRIER_FIRST) + (t->n_threads - 1) * BARRIER_ENDED;

	if (t->thread_num == 1)
		make_tasks(t, TASKS);
	end_here(t, last);
	require(t->thread_num || __atomic_load_n(&tasks.run, __ATOMIC_RELAXED) == TASKS);
}

START_TEST(the_end_of_a_region_waits_for_tasks)
{
	team_of_run(3, tasks_at_the_end);
}
END_TEST

START_TEST(a_team_of_one_waits_for_its_tasks)
{
	struct thread *t = thread_peek();

	team_of_begin(1);
	become_member(0);
	wait_here(t);
	ck_assert_uint_eq(t->barrier_count, barrier_arrived(BARRIER_FIRST) + 1);
	make_tasks(t, TASKS);
	wait_here(t);
	ck_assert_uint_eq(tasks.run, TASKS);
	ck_assert_uint_eq(t->barrier_count, barrier_arrived(BARRIER_FIRST) + 2);
	ck_assert_uint_eq(t->state, ompt_state_work_parallel);
	free(team);
}
END_TEST

/* Thread 0 does not arrive: it cancels when the others sleep. */
static void cancel_when_others_sleep(void)
{
	while (!somebody_sleeps())
		usleep(1000);
	usleep(20000);
	__atomic_store_n(&team->cancelled, CANCEL_PARALLEL, __ATOMIC_RELEASE);
}

static void cancel(struct thread *t)
{
	if (t->thread_num) {
		require(barrier_wait_cancellable(t, ompt_state_wait_barrier, NULL));
		require(t->state == ompt_state_work_parallel);
		/* Barriers that follow are cancelled at once. */
		require(barrier_wait_cancellable(t, ompt_state_wait_barrier, NULL));
		return;
	}
	cancel_when_others_sleep();
	barrier_wake(team, true);
}

/* Only one of them is woken: it makes the others check. */
static uint32_t sleeps; /* atomic */

static bool count_sleeps(long number, const long *args)
{
	if (is_sleep(number, args))
		__atomic_fetch_add(&sleeps, 1, __ATOMIC_RELAXED);
	return true;
}

static void cancel_and_wake_one(struct thread *t)
{
	if (t->thread_num) {
		require(barrier_wait_cancellable(t, ompt_state_wait_barrier, NULL));
		return;
	}
	while (__atomic_load_n(&sleeps, __ATOMIC_RELAXED) < t->n_threads - 1)
		usleep(1000);
	cancel_when_others_sleep();
	futex_wake(futex_low_half(&team->barrier.word), 1);
}

START_TEST(who_leaves_a_cancelled_barrier_wakes_the_others)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	before_syscall = count_sleeps;
	team_of_run(4, cancel_and_wake_one);
}
END_TEST

START_TEST(a_cancelled_region_is_left)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	team_of_run(4, cancel);
}
END_TEST

/* A thread that changes the word may then have missed that others sleep. */
static bool no_fence(long number, const long *args)
{
	(void)args;
	if (number == SYS_membarrier)
		errno = ENOSYS;
	return number != SYS_membarrier;
}

static void cancel_without_wake(struct thread *t)
{
	if (t->thread_num) {
		require(barrier_wait_cancellable(t, ompt_state_wait_barrier, NULL));
		return;
	}
	cancel_when_others_sleep();
}

START_TEST(without_fences_sleepers_look_now_and_then)
{
	icv_process.wait_policy = WAIT_PASSIVE;
	before_syscall = no_fence;
	team_of_run(3, cancel_without_wake);
}
END_TEST

static void not_cancelled(struct thread *t)
{
	for (uint32_t round = 0; round < 10; round++) {
		__atomic_fetch_add(&arrived[round], 1, __ATOMIC_RELAXED);
		/* A cancelled loop is not a cancelled region. */
		__atomic_store_n(&team->cancelled, CANCEL_LOOP, __ATOMIC_RELAXED);
		require(!barrier_wait_cancellable(t, ompt_state_wait_barrier, NULL));
		require(__atomic_load_n(&arrived[round], __ATOMIC_RELAXED) == t->n_threads);
	}
}

START_TEST(a_cancelled_loop_does_not_matter)
{
	team_of_run(3, not_cancelled);
}
END_TEST

/* A waiting thread shows that it waits, and for what. */
static void show(struct thread *t)
{
	struct thread *other = NULL;

	if (t->thread_num == 0) {
		barrier_wait(t, ompt_state_wait_barrier_explicit, NULL);
		require(t->state == ompt_state_work_parallel && t->wait_id == 0);
		return;
	}
	while (!other)
		other = __atomic_load_n(&team->members[0].thread, __ATOMIC_ACQUIRE);
	while (__atomic_load_n(&other->state, __ATOMIC_ACQUIRE) != ompt_state_wait_barrier_explicit)
		sched_yield();
	require(__atomic_load_n(&other->wait_id, __ATOMIC_RELAXED) == (uintptr_t)&team->barrier);
	barrier_wait(t, ompt_state_wait_barrier_explicit, NULL);
}

START_TEST(who_waits_says_for_what)
{
	team_of_run(2, show);
}
END_TEST

START_TEST(threads_in_their_seats_are_woken)
{
	struct seat seat = {.thread_num = 1, .asleep = 1}, *seats = &seat;
	struct pool pool = {.seats = &seats};

	team_of_begin(2);
	team->pool = &pool;
	barrier_wake(team, true);
	ck_assert_uint_eq(pool.bell, 0);
	ck_assert_uint_eq(seat.asleep, 1);
	team->n_asleep = 1;
	barrier_wake(team, false);
	ck_assert_uint_eq(pool.bell, 1);
	ck_assert_uint_eq(seat.asleep, 0);
	ck_assert_uint_eq(team->n_asleep, 0);
	free(team);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime/barrier");
	TCase *tc = tcase_create("barrier");

	tcase_add_test(tc, counts_share_a_word);
	tcase_add_loop_test(tc, nobody_leaves_before_all_are_there, 0, 6);
	tcase_add_test(tc, many_threads);
	tcase_add_test(tc, a_thread_that_is_late_to_sleep_is_not_left_behind);
	tcase_add_test(tc, a_thread_that_is_late_to_say_so_looks_again);
	tcase_add_loop_test(tc, all_tasks_are_done_behind_it, 0, 4);
	tcase_add_test(tc, sleepers_wait_for_a_detached_task);
	tcase_add_test(tc, the_end_of_a_region_waits_for_tasks);
	tcase_add_test(tc, a_team_of_one_waits_for_its_tasks);
	tcase_add_test(tc, a_cancelled_region_is_left);
	tcase_add_test(tc, who_leaves_a_cancelled_barrier_wakes_the_others);
	tcase_add_test(tc, without_fences_sleepers_look_now_and_then);
	tcase_add_test(tc, a_cancelled_loop_does_not_matter);
	tcase_add_test(tc, who_waits_says_for_what);
	tcase_add_test(tc, threads_in_their_seats_are_woken);
	suite_add_tcase(s, tc);

	return check_main(s);
}
