/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks, their parents, functions and waits in the system's libgomp, against omp_get_*. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

enum { IMPLICIT, EXPLICIT };

static ompd_task_handle_t *current_task(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_task_handle_t *task = NULL;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ompd_rel_thread_handle(thread);
	return task;
}

static void check_kind(ompd_task_handle_t *task, int kind)
{
	ompd_word_t value = -1;

	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "explicit-task-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, kind == EXPLICIT);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "ompd-implicit-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, kind == IMPLICIT);
}

/* Replace @task by its generating task. */
static ompd_task_handle_t *up(ompd_task_handle_t *task)
{
	ompd_task_handle_t *parent = NULL;

	ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_ok);
	ompd_rel_task_handle(task);
	return parent;
}

static void check_no_parent(ompd_task_handle_t *task)
{
	ompd_task_handle_t *parent = NULL;

	ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &parent), ompd_rc_unavailable);
	ck_assert_ptr_null(parent);
}

static void check_same_task(ompd_task_handle_t *a, ompd_task_handle_t *b)
{
	int cmp = -1;

	ck_assert_int_eq(ompd_task_handle_compare(a, b, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
}

static void check_state(int tag, ompd_word_t expected)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_word_t state = -1;
	ompd_wait_id_t wait = 0;

	ck_assert_int_eq(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	ck_assert_int_eq(state, expected);
	ck_assert_uint_ne(wait, 0);
	ompd_rel_thread_handle(thread);
}

/* Only who knows that the thread sleeps, and on what, is told this by libgomp's memory. */
static void check_ordered(int tag)
{
	if (oracle_runtime_is_ours()) {
		check_state(tag, ompt_state_wait_ordered);
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

/* libgomp does not say so. */
static void check_at_work(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_word_t state = -1;

	ck_assert_int_eq(ompd_get_state(thread, &state, NULL),
			 oracle_runtime_is_ours() ? ompd_rc_ok : ompd_rc_unavailable);
	ck_assert_int_eq(state, oracle_runtime_is_ours() ? (int)ompt_state_work_parallel : -1);
	ompd_rel_thread_handle(thread);
}

/* The function of a task for which libgomp stores none. */
static void check_function_of_ours(ompd_task_handle_t *task)
{
	ompd_address_t entry = {1, 1};

	ck_assert_int_eq(ompd_get_task_function(task, &entry),
			 oracle_runtime_is_ours() ? ompd_rc_ok : ompd_rc_unavailable);
	if (oracle_runtime_is_ours())
		ck_assert_uint_gt(entry.address, 1);
	else
		ck_assert_uint_eq(entry.address, 1);
}

static void program_implicit(void)
{
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static void observe_implicit(void)
{
	ompd_task_handle_t *initial[2];

	for (int i = 0; i < 2; i++) {
		ompd_task_handle_t *task = current_task(i), *from_region;
		ompd_parallel_handle_t *region;
		ompd_frame_info_t exit_frame, enter_frame;

		check_kind(task, IMPLICIT);
		check_function_of_ours(task);
		ck_assert_int_eq(ompd_get_task_frame(task, &exit_frame, &enter_frame),
				 oracle_runtime_is_ours() ? ompd_rc_ok : ompd_rc_unavailable);
		ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &from_region), ompd_rc_unavailable);
		ck_assert_int_eq(ompd_get_task_parallel_handle(task, &region), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_task_in_parallel(region, i, &from_region), ompd_rc_ok);
		check_same_task(task, from_region);
		ompd_rel_task_handle(from_region);
		ck_assert_int_eq(ompd_get_task_in_parallel(region, 2, &from_region), ompd_rc_bad_input);
		ompd_rel_parallel_handle(region);
		initial[i] = up(task);
		check_kind(initial[i], IMPLICIT);
		check_no_parent(initial[i]);

		ck_assert_int_eq(ompd_get_task_parallel_handle(initial[i], &region), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_task_in_parallel(region, 0, &from_region), ompd_rc_ok);
		check_same_task(initial[i], from_region);
		ompd_rel_task_handle(from_region);
		ck_assert_int_eq(ompd_get_task_in_parallel(region, 1, &from_region), ompd_rc_bad_input);
		ompd_rel_parallel_handle(region);
	}
	check_same_task(initial[0], initial[1]);
	ompd_rel_task_handle(initial[0]);
	ompd_rel_task_handle(initial[1]);
}

START_TEST(test_tasks_implicit_tasks_come_from_the_initial_task)
{
	oracle_run(program_implicit, 2, 0, observe_implicit);
}
END_TEST

/* An initial task with a record of its own: it changed an ICV. */
static void program_recorded_initial(void)
{
	omp_set_num_threads(7);
	program_implicit();
}

START_TEST(test_tasks_initial_task_with_record)
{
	oracle_run(program_recorded_initial, 2, 0, observe_implicit);
}
END_TEST

/* Thread 0 waits for a child that the other thread executes. */
static void program_deferred(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		{
			/* No bool: under -fsanitize=bool gcc 12 reads a volatile one only once. */
			static volatile int started;

			started = false;
#pragma omp task shared(started)
			{
				started = true;
				omp_set_num_threads(5);
				oracle_park(1);
			}
			while (!started && omp_get_num_threads() > 1)
				;
			oracle_record(0);
#pragma omp taskwait
		}
	}
}

static void observe_deferred(void)
{
	ompd_task_handle_t *task = current_task(1), *waiting = current_task(0), *none = NULL;
	ompd_address_t entry = {1, 0};

	oracle_wait_asleep(0);
	oracle_check_view(oracle_view(1));
	check_kind(task, EXPLICIT);
	ck_assert_int_eq(ompd_get_task_function(task, &entry), ompd_rc_ok);
	ck_assert_uint_eq(entry.segment, ompd_segment_none);
	ck_assert_uint_ne(entry.address, 0);
	if (oracle_runtime_is_ours()) {
		/* The implicit task of the thread that runs it, which waits in single's barrier. */
		ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &none), ompd_rc_ok);
		check_kind(none, IMPLICIT);
		ompd_rel_task_handle(none);
	} else {
		ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &none), ompd_rc_unavailable);
	}
	task = up(task);
	check_same_task(task, waiting);
	check_kind(task, IMPLICIT);
	ompd_rel_task_handle(task);
	ompd_rel_task_handle(waiting);
	check_state(0, ompt_state_wait_taskwait);
	check_at_work(1);
}

START_TEST(test_tasks_deferred_task_and_taskwait)
{
	oracle_run(program_deferred, 1, 2, observe_deferred);
}
END_TEST

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

/* The child is in the same taskgroup, which is marked as waited for; but it works. */
static void observe_taskgroup(void)
{
	oracle_wait_asleep(0);
	check_state(0, ompt_state_wait_taskgroup);
	check_at_work(1);
	oracle_check_all();
}

START_TEST(test_tasks_taskgroup_waits_for_one_only)
{
	oracle_run(program_taskgroup, 1, 2, observe_taskgroup);
}
END_TEST

/* The same, where the child has an own inner taskgroup and a child of its own in the outer one. */
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
	check_state(0, ompt_state_wait_taskgroup);
	check_at_work(1);
	check_at_work(2);
}

START_TEST(test_tasks_inherited_taskgroup_is_not_a_wait)
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
	check_state(0, ompt_state_wait_taskwait);
}

START_TEST(test_tasks_waiting_for_a_dependence)
{
	oracle_run(program_depend, 1, 2, observe_depend);
}
END_TEST

static void program_undeferred(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		omp_set_dynamic(1);
#pragma omp task if (0)
		{
			omp_set_num_threads(3);
#pragma omp task final(1) if (0)
			{
				omp_set_schedule(omp_sched_guided, 9);
#pragma omp task
				oracle_park(1);
			}
		}
	} else {
		oracle_park(0);
	}
}

/* libgomp runs these on the spot: the generating task is the scheduling one. */
static void observe_undeferred(void)
{
	ompd_task_handle_t *task = current_task(1), *scheduling = NULL;
	ompd_word_t final = -1;
	char text[64];
	int depth = 0;

	oracle_check_all();
	ck_assert_int_eq(oracle_icv_string(task, ompd_scope_task, "run-sched-var", text, sizeof(text)), ompd_rc_ok);
	ck_assert_str_eq(text, "guided,9");
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "final-task-var", &final), ompd_rc_ok);
	ck_assert_int_eq(final, 1);
	for (;;) {
		ompd_word_t explicit = -1;

		ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "explicit-task-var", &explicit), ompd_rc_ok);
		if (!explicit)
			break;
		check_function_of_ours(task);
		ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &scheduling), ompd_rc_ok);
		task = up(task);
		check_same_task(task, scheduling);
		ompd_rel_task_handle(scheduling);
		depth++;
	}
	/* A task in a final task is included without a task record. */
	ck_assert_int_ge(depth, 2);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "dyn-var", &final), ompd_rc_ok);
	ck_assert_int_eq(final, 1);
	task = up(task);
	check_no_parent(task);
	ompd_rel_task_handle(task);
}

START_TEST(test_tasks_undeferred_and_final)
{
	oracle_run(program_undeferred, 2, 0, observe_undeferred);
}
END_TEST

static void program_serial_task(void)
{
#pragma omp task
	oracle_park(0);
}

/* Outside of any region a task is undeferred, and its parent may have no record. */
static void observe_serial_task(void)
{
	ompd_task_handle_t *task = current_task(0);

	oracle_check_all();
	check_kind(task, EXPLICIT);
	task = up(task);
	check_kind(task, IMPLICIT);
	check_no_parent(task);
	ompd_rel_task_handle(task);
}

START_TEST(test_tasks_outside_of_all_regions)
{
	oracle_run(program_serial_task, 1, 0, observe_serial_task);
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
	check_at_work(0);
}

START_TEST(test_tasks_ordered_wait)
{
	oracle_run(program_ordered, 1, 3, observe_ordered);
}
END_TEST

/* All but thread 0 have slept in the region, and left it. */
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
		check_at_work(tag);
}

START_TEST(test_tasks_after_an_ordered_wait)
{
	oracle_run(program_after_ordered, 3, 0, observe_after_ordered);
}
END_TEST

/* Here either thread may be the one that waits; thread 0 does so on its team's semaphore. */
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

START_TEST(test_tasks_ordered_wait_of_either_thread)
{
	oracle_run(program_ordered_master, 1, 2, observe_ordered_master);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tasks");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_tasks_implicit_tasks_come_from_the_initial_task);
	tcase_add_test(tcase, test_tasks_initial_task_with_record);
	tcase_add_test(tcase, test_tasks_deferred_task_and_taskwait);
	tcase_add_test(tcase, test_tasks_taskgroup_waits_for_one_only);
	tcase_add_test(tcase, test_tasks_inherited_taskgroup_is_not_a_wait);
	tcase_add_test(tcase, test_tasks_waiting_for_a_dependence);
	tcase_add_test(tcase, test_tasks_undeferred_and_final);
	tcase_add_test(tcase, test_tasks_outside_of_all_regions);
	tcase_add_test(tcase, test_tasks_ordered_wait);
	tcase_add_test(tcase, test_tasks_after_an_ordered_wait);
	tcase_add_test(tcase, test_tasks_ordered_wait_of_either_thread);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
