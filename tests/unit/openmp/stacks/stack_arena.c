/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of openmp/stacks/stack_arena: threads that sleep in fork(), which locks all arenas, and threads that cannot
 * hold one.
 */
#include "openmp/stacks/stack_arena.h"

#include <pthread.h>

#include "stacks_fixture.h"

static int n_forks;

static void sleep_long(void)
{
	while (!child_shared->go)
		pause();
	child_shared->go = 2;
}

static void report_and_sleep(void)
{
	int number = __atomic_fetch_add(&child_shared->ready, 1, __ATOMIC_SEQ_CST);

	child_shared->tids[number] = gettid();
	sleep_long();
}

static void *fork_slowly(void *arg)
{
	child_shared->counters[0] = (uint64_t)fork();
	return arg;
}

static void *sleep_slowly(void *arg)
{
	report_and_sleep();
	return arg;
}

/* Executes only code of the C library. */
static void *pause_at_once(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)pause();
}

static void start_thread(void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL))
		abort();
}

/* A thread that sleeps, and as many that sleep in fork() as the test says. */
static void fork_and_sleep(void)
{
	/* Runs before glibc locks the arenas. That cannot be seen from outside. */
	pthread_atfork(report_and_sleep, NULL, NULL);
	for (int i = 0; i < n_forks; i++)
		start_thread(fork_slowly);
	report_and_sleep();
}

static void sleep_and_start(void)
{
	start_thread(pause_at_once);
	start_thread(sleep_slowly);
	report_and_sleep();
}

static void find_of(int n, uint32_t *holder_ret, bool *is_found_ret)
{
	n_forks = n;
	start_model(fork_and_sleep, n + 1, TARGET_STOP);
	for (int i = 0; i <= n; i++)
		ck_assert(child_wait_thread_state(child, child_shared->tids[i], 'S'));
	take_stacks();
	*is_found_ret = stack_arena_find_holder(&st, &s, holder_ret);
}

START_TEST(test_the_only_thread_in_fork)
{
	uint32_t holder = SNAPSHOT_NONE;
	bool is_found;

	find_of(1, &holder, &is_found);
	ck_assert(is_found);
	ck_assert_uint_lt(holder, s.n_threads);
	ck_assert_int_ne(s.threads[holder].tid, child);
	stop_stacks();
}
END_TEST

START_TEST(test_two_threads_in_fork_are_not_told_apart)
{
	uint32_t holder;
	bool is_found;

	find_of(2, &holder, &is_found);
	ck_assert(!is_found);
	stop_stacks();
}
END_TEST

START_TEST(test_threads_that_sleep_hold_nothing)
{
	uint32_t holder;
	bool is_found;

	find_of(0, &holder, &is_found);
	ck_assert(!is_found);
	stop_stacks();
}
END_TEST

/* A thread that has only frames of the C library may be about to end, and frees memory then. */
START_TEST(test_a_thread_of_the_library_may_hold_one)
{
	uint32_t holder;

	start_model(sleep_and_start, 2, TARGET_STOP);
	for (int i = 0; i < 2; i++)
		ck_assert(child_wait_thread_state(child, child_shared->tids[i], 'S'));
	take_stacks();
	ck_assert_uint_eq(s.n_threads, 3);
	ck_assert(!stack_arena_find_holder(&st, &s, &holder));
	stop_stacks();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/stacks/stack_arena");
	TCase *tc = tcase_create("holder");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_the_only_thread_in_fork);
	tcase_add_test(tc, test_two_threads_in_fork_are_not_told_apart);
	tcase_add_test(tc, test_threads_that_sleep_hold_nothing);
	tcase_add_test(tc, test_a_thread_of_the_library_may_hold_one);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
