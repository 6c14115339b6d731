/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wait states of threads in the system's libgomp: taskgroups, dependences, ordered. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "check_main.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

/* libgomp's memory shows this only to a tool that knows that the thread sleeps, and on which word. */
static void check_ordered(int tag)
{
	if (oracle_runtime_is_ours()) {
		oracle_check_state(tag, ompt_state_wait_ordered);
		return;
	}
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_address_t word = {0}, other = {0};
	ompd_word_t state = -1;

	ck_assert_int_eq(ompd_get_state(thread, &state, NULL), ompd_rc_unavailable);
	word.address = oracle_sleeps_on(tag);
	other.address = word.address + 4;
	ck_assert_int_eq(ompd_get_state_asleep(thread, &other, &state), ompd_rc_unavailable);
	ck_assert_int_eq(state, -1);
	ck_assert_int_eq(ompd_get_state_asleep(thread, &word, &state), ompd_rc_ok);
	ck_assert_int_eq(state, ompt_state_wait_ordered);
	ck_assert_int_eq(ompd_get_state_asleep(NULL, &word, &state), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_state_asleep(thread, NULL, &state), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_state_asleep(thread, &word, NULL), ompd_rc_bad_input);
	ompd_rel_thread_handle(thread);
}

static void program_taskgroup(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			static volatile int started;

			started = false;
#pragma omp taskgroup
			{
#pragma omp task shared(started)
				{
					started = true;
					oracle_park(1);
				}
				while (!started)
					;
				oracle_record(0);
			}
		}
	}
}

/* Parked threads stay where they are. Threads in different tasks of one region differ. */
static void check_progress(void)
{
	ompd_thread_handle_t *one = oracle_thread(oracle_view(0)), *other = oracle_thread(oracle_view(1));
	uint64_t first = 0, again = 0, second = 0;

	ck_assert_int_eq(ompd_get_thread_progress(one, &first), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_progress(one, &again), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_progress(other, &second), ompd_rc_ok);
	ck_assert_uint_eq(first, again);
	ck_assert_uint_ne(first, second);
	ck_assert_int_eq(ompd_get_thread_progress(NULL, &first), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_thread_progress(one, NULL), ompd_rc_bad_input);
	ompd_rel_thread_handle(one);
	ompd_rel_thread_handle(other);
}

/* The child is in the same taskgroup, which is marked as waited for, but the child does not wait. */
static void observe_taskgroup(void)
{
	oracle_wait_asleep(0);
	oracle_check_state(0, ompt_state_wait_taskgroup);
	oracle_check_at_work(1);
	oracle_check_all();
	check_progress();
}

START_TEST(test_taskgroup_waits_for_one_only)
{
	oracle_run(program_taskgroup, 1, 2, observe_taskgroup);
}
END_TEST

/* The same, where the child has its own inner taskgroup and a child in the outer one. */
static void program_nested_taskgroup(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single
		{
			static volatile int started;

			started = 0;
#pragma omp taskgroup
			{
#pragma omp task shared(started)
				{
#pragma omp task shared(started)
					{
						started = 2;
						oracle_park(2);
					}
					while (started < 2)
						;
#pragma omp taskgroup
					{
						oracle_park(1);
					}
				}
				while (started < 2)
					;
				oracle_record(0);
			}
		}
	}
}

static void observe_nested_taskgroup(void)
{
	oracle_wait_asleep(0);
	oracle_check_state(0, ompt_state_wait_taskgroup);
	oracle_check_at_work(1);
	oracle_check_at_work(2);
}

START_TEST(test_inherited_taskgroup_is_not_a_wait)
{
	oracle_run(program_nested_taskgroup, 2, 3, observe_nested_taskgroup);
}
END_TEST

static void program_depend(void)
{
	int x = 0;

#pragma omp parallel num_threads(2) shared(x)
	{
#pragma omp single
		{
			static volatile int started;

			started = false;
#pragma omp task depend(out : x) shared(started)
			{
				started = true;
				oracle_park(1);
				x = 1;
			}
			while (!started)
				;
			oracle_record(0);
#pragma omp task if (0) depend(in : x)
			x++;
		}
	}
}

static void observe_depend(void)
{
	oracle_wait_asleep(0);
	oracle_check_state(0, ompt_state_wait_taskwait);
}

START_TEST(test_waiting_for_a_dependence)
{
	oracle_run(program_depend, 1, 2, observe_depend);
}
END_TEST

static void program_ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		if (i)
			oracle_record(i);
#pragma omp ordered
		if (!i)
			oracle_park(0);
	}
}

static void observe_ordered(void)
{
	oracle_wait_asleep(1);
	oracle_wait_asleep(2);
	check_ordered(1);
	check_ordered(2);
	oracle_check_at_work(0);
}

START_TEST(test_ordered_wait)
{
	oracle_run(program_ordered, 1, 3, observe_ordered);
}
END_TEST

/* All threads except thread 0 have slept in the region, and have left it. */
static void program_after_ordered(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			if (i)
				oracle_record(10 + i);
#pragma omp ordered
			if (!i) {
				while (__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE) < 2)
					sched_yield();
				oracle_wait_asleep(11);
				oracle_wait_asleep(12);
			}
		}
		oracle_park(omp_get_thread_num());
	}
}

static void observe_after_ordered(void)
{
	for (int tag = 0; tag < 3; tag++)
		oracle_check_at_work(tag);
}

START_TEST(test_after_an_ordered_wait)
{
	oracle_run(program_after_ordered, 3, 0, observe_after_ordered);
}
END_TEST

/* Either thread may be the waiting one; thread 0 waits on its team's semaphore. */
static void program_ordered_master(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
		if (i)
			oracle_record(1);
		while (!__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE))
			;
#pragma omp ordered
		if (!i)
			oracle_park(0);
	}
}

static void observe_ordered_master(void)
{
	oracle_wait_asleep(1);
	check_ordered(1);
}

START_TEST(test_ordered_wait_of_either_thread)
{
	oracle_run(program_ordered_master, 1, 2, observe_ordered_master);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_taskgroup_waits_for_one_only);
	tcase_add_test(tcase, test_inherited_taskgroup_is_not_a_wait);
	tcase_add_test(tcase, test_waiting_for_a_dependence);
	tcase_add_test(tcase, test_ordered_wait);
	tcase_add_test(tcase, test_after_an_ordered_wait);
	tcase_add_test(tcase, test_ordered_wait_of_either_thread);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
