/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks, their parents and functions in the system's libgomp, against omp_get_*. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
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
	ck_assert_int_eq(ompd_is_target_task(task, &value),
			 oracle_runtime_is_ours() ? ompd_rc_unsupported : ompd_rc_ok);
	ck_assert(oracle_runtime_is_ours() || !value);
	ck_assert_int_eq(ompd_is_target_task(task, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_is_target_task(NULL, &value), ompd_rc_stale_handle);
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

/* Check the function of a task for which libgomp stores no function. */
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

/* Only the primary thread executed a task when its implicit task started: the generating task. Stock libgomp does not
 * store it. */
static void check_scheduling_of_implicit(ompd_task_handle_t *task, bool is_primary)
{
	ompd_task_handle_t *before, *parent;

	if (!is_primary || !oracle_runtime_is_ours()) {
		ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &before), ompd_rc_unavailable);
		return;
	}
	ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &before), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_ok);
	check_same_task(before, parent);
	ompd_rel_task_handle(parent);
	ompd_rel_task_handle(before);
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
		check_scheduling_of_implicit(task, i == 0);
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

START_TEST(test_implicit_tasks_come_from_the_initial_task)
{
	oracle_run(program_implicit, 2, 0, observe_implicit);
}
END_TEST

/* An initial task that has its own record, because it changed an ICV. */
static void program_recorded_initial(void)
{
	omp_set_num_threads(7);
	program_implicit();
}

START_TEST(test_initial_task_with_record)
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
			/* Not a bool: under -fsanitize=bool, gcc 12 reads a volatile bool only once. */
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
		/* The implicit task of the executing thread, which waits in the barrier of single. */
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
	oracle_check_state(0, ompt_state_wait_taskwait);
	oracle_check_at_work(1);
}

START_TEST(test_deferred_task_and_taskwait)
{
	oracle_run(program_deferred, 1, 2, observe_deferred);
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

/* libgomp executes these at once: the generating task is also the scheduling task. */
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

START_TEST(test_undeferred_and_final)
{
	oracle_run(program_undeferred, 2, 0, observe_undeferred);
}
END_TEST

static void program_serial_task(void)
{
#pragma omp task
	oracle_park(0);
}

/* Outside all regions a task is undeferred, and its parent may have no record. */
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

START_TEST(test_outside_of_all_regions)
{
	oracle_run(program_serial_task, 1, 0, observe_serial_task);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tasks");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_implicit_tasks_come_from_the_initial_task);
	tcase_add_test(tcase, test_initial_task_with_record);
	tcase_add_test(tcase, test_deferred_task_and_taskwait);
	tcase_add_test(tcase, test_undeferred_and_final);
	tcase_add_test(tcase, test_outside_of_all_regions);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
