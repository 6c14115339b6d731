/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads and tasks that threads and tasks wait for, from ompd_get_awaited(): in our runtime, and
 * for libgomp's tasks.
 */
#include <omp.h>

#include "check_main.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define MAX 16

static int x, sink;
static ompd_awaited_t *awaited;
static ompd_word_t n_awaited, is_complete;

static void wait_for_views(int n)
{
	while (__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE) < n)
		;
}

/* Thread 0, or the thread that records view 0, waits. */

static void program_tasks(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		omp_event_handle_t event;

#pragma omp task detach(event)
		sink++;
#pragma omp task depend(out : x) firstprivate(event)
		{
			oracle_park(1);
			omp_fulfill_event(event);
		}
		wait_for_views(1);
#pragma omp task depend(in : x)
		sink++;
		oracle_record(0);
#pragma omp taskwait
	}
}

static void program_taskgroup(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 0) {
#pragma omp task
		oracle_park(2);
		wait_for_views(1);
#pragma omp taskgroup
		{
#pragma omp task
			oracle_park(1);
			wait_for_views(2);
			oracle_record(0);
		}
	}
}

static void program_depend_wait(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 0) {
#pragma omp task
		oracle_park(2);
#pragma omp task depend(out : x)
		oracle_park(1);
		wait_for_views(2);
		oracle_record(0);
#pragma omp taskwait depend(in : x)
	}
}

static void program_ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
		if (i == 1) {
			wait_for_views(1);
			oracle_record(0);
		}
#pragma omp ordered
		if (i == 0)
			oracle_park(1);
	}
}

static void doacross(int is_dynamic)
{
	omp_set_schedule(is_dynamic ? omp_sched_dynamic : omp_sched_static, 1);
#pragma omp parallel for ordered(1) schedule(runtime) num_threads(2)
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			oracle_park(1);
		if (i == 1) {
			wait_for_views(1);
			oracle_record(0);
		}
#pragma omp ordered depend(sink : i - 1)
		sink++;
#pragma omp ordered depend(source)
	}
}

static void program_doacross(void)
{
	doacross(0);
}

static void program_doacross_dynamic(void)
{
	doacross(1);
}

static void program_copyprivate(void)
{
#pragma omp parallel num_threads(2)
	{
		int value = 0;

		if (omp_get_thread_num() == 0) {
			wait_for_views(1);
			oracle_record(0);
		}
#pragma omp single copyprivate(value)
		{
			oracle_park(1);
			value = 5;
		}
		ck_assert_int_eq(value, 5);
	}
}

/* Wait until the thread's state is a wait for tasks: it has recorded its view just before. */
static void wait_for_state(ompd_thread_handle_t *thread)
{
	ompd_word_t state = 0;
	ompd_wait_id_t wait_id;

	while (state != ompt_state_wait_taskwait && state != ompt_state_wait_taskgroup) {
		if (ompd_get_state(thread, &state, &wait_id) != ompd_rc_ok)
			state = 0;
	}
}

/* Returns false if the runtime does not record it. */
static bool ask(ompd_thread_handle_t *thread, ompd_task_handle_t *task, bool is_recorded)
{
	ompd_rc_t rc = ompd_get_awaited(thread, task, MAX, &awaited, &n_awaited, &is_complete);

	ck_assert_int_eq(rc, is_recorded ? ompd_rc_ok : ompd_rc_unavailable);
	return is_recorded;
}

/* @by_libgomp: libgomp records it too. */
static bool ask_waiting(bool by_libgomp)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));

	/* libgomp may spin. */
	if (oracle_runtime_is_ours())
		oracle_wait_asleep(0);
	else if (by_libgomp)
		wait_for_state(thread);
	bool says = ask(thread, NULL, by_libgomp || oracle_runtime_is_ours());
	ompd_rel_thread_handle(thread);
	return says;
}

static void release(void)
{
	for (ompd_word_t i = 0; i < n_awaited; i++) {
		if (awaited[i].thread_handle)
			ompd_rel_thread_handle(awaited[i].thread_handle);
		else
			ompd_rel_task_handle(awaited[i].task_handle);
	}
	if (n_awaited)
		self_target_callbacks()->free_memory(awaited);
}

static bool is_task_of(ompd_task_handle_t *task, int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_task_handle_t *current = NULL;
	int order = -1;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &current), ompd_rc_ok);
	ck_assert_int_eq(ompd_task_handle_compare(task, current, &order), ompd_rc_ok);
	ompd_rel_task_handle(current);
	ompd_rel_thread_handle(thread);
	return order == 0;
}

/* The result is one executing task: that of view @tag. */
static void check_begun(int tag)
{
	ck_assert_int_eq(n_awaited, 1);
	ck_assert_int_eq(is_complete, 1);
	ck_assert_int_eq(awaited[0].progress, ompd_progress_begun);
	ck_assert(is_task_of(awaited[0].task_handle, tag));
}

static void observe_tasks(void)
{
	ompd_task_handle_t *dependent = NULL;
	int n_of[5] = {0};

	ask_waiting(true);
	ck_assert_int_eq(n_awaited, 3);
	ck_assert_int_eq(is_complete, 1);
	ompd_awaited_t *all = awaited;
	for (int i = 0; i < 3; i++) {
		n_of[all[i].progress]++;
		if (all[i].progress == ompd_progress_begun)
			ck_assert(is_task_of(all[i].task_handle, 1));
		if (all[i].progress == ompd_progress_dependent)
			dependent = all[i].task_handle;
	}
	ck_assert_int_eq(n_of[ompd_progress_begun], 1);
	ck_assert_int_eq(n_of[ompd_progress_dependent], 1);
	ck_assert_int_eq(n_of[ompd_progress_detached], 1);
	ask(NULL, dependent, true);
	check_begun(1);
	release();
	awaited = all;
	n_awaited = 3;
	release();
}

static void observe_begun(void)
{
	ask_waiting(true);
	check_begun(1);
	release();
}

/* libgomp does not record which of the children the thread waits for. */
static void observe_begun_of_some(void)
{
	if (!ask_waiting(false))
		return;
	check_begun(1);
	release();
}

static void check_thread(void)
{
	ompd_thread_handle_t *expected;
	int order = -1;

	ck_assert_int_eq(n_awaited, 1);
	ck_assert_int_eq(is_complete, 1);
	ck_assert_int_eq(awaited[0].progress, ompd_progress_thread);
	expected = oracle_thread(oracle_view(1));
	ck_assert_int_eq(ompd_thread_handle_compare(awaited[0].thread_handle, expected, &order), ompd_rc_ok);
	ck_assert_int_eq(order, 0);
	ompd_rel_thread_handle(expected);
	release();
}

static void observe_thread(void)
{
	if (ask_waiting(false))
		check_thread();
}

static ompd_rc_t ask_as(ompd_thread_handle_t *thread, ompd_word_t state)
{
	return ompd_get_awaited_as(thread, state, MAX, &awaited, &n_awaited, &is_complete);
}

/* libgomp records the thread that has the turn, but only the tool can know that a thread waits for it. */
static void observe_turn(void)
{
	bool is_ours = oracle_runtime_is_ours();
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));

	if (ask_waiting(false))
		check_thread();
	ck_assert_int_eq(ask_as(thread, ompt_state_wait_ordered), is_ours ? ompd_rc_unsupported : ompd_rc_ok);
	if (!is_ours)
		check_thread();
	ck_assert_int_eq(ask_as(thread, ompt_state_wait_lock), is_ours ? ompd_rc_unsupported : ompd_rc_unavailable);
	ck_assert_int_eq(ask_as(NULL, ompt_state_wait_ordered), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_awaited_as(thread, ompt_state_wait_ordered, 0, &awaited, &n_awaited, &is_complete),
			 ompd_rc_bad_input);
	/* The thread is in no doacross loop. */
	const uint64_t registers[64] = {0};
	ompd_place_t place = {
		.function = (ompd_addr_t)(uintptr_t)observe_turn, .registers = registers, .known = UINT64_MAX};

	place.pc = place.function + 1;

	ck_assert_int_eq(ompd_get_awaited_at(thread, &place, MAX, &awaited, &n_awaited, &is_complete),
			 is_ours ? ompd_rc_unsupported : ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_awaited_at(NULL, &place, MAX, &awaited, &n_awaited, &is_complete),
			 ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_awaited_at(thread, NULL, MAX, &awaited, &n_awaited, &is_complete), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_awaited_at(thread, &place, 0, &awaited, &n_awaited, &is_complete), ompd_rc_bad_input);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_tasks)
{
	oracle_run(program_tasks, 1, 2, observe_tasks);
}
END_TEST

START_TEST(test_taskgroup)
{
	oracle_run(program_taskgroup, 2, 3, observe_begun);
}
END_TEST

START_TEST(test_taskwait_with_a_dependence)
{
	oracle_run(program_depend_wait, 2, 3, observe_begun_of_some);
}
END_TEST

START_TEST(test_ordered)
{
	oracle_run(program_ordered, 1, 2, observe_turn);
}
END_TEST

START_TEST(test_doacross)
{
	oracle_run(program_doacross, 1, 2, observe_thread);
}
END_TEST

START_TEST(test_doacross_dynamic)
{
	oracle_run(program_doacross_dynamic, 1, 2, observe_thread);
}
END_TEST

START_TEST(test_copyprivate)
{
	oracle_run(program_copyprivate, 1, 2, observe_thread);
}
END_TEST

static void observe_arguments(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(1));
	ompd_task_handle_t *task = NULL;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_awaited(NULL, NULL, 1, &awaited, &n_awaited, &is_complete), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_awaited(thread, task, 1, &awaited, &n_awaited, &is_complete), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_awaited(thread, NULL, 0, &awaited, &n_awaited, &is_complete), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_awaited(thread, NULL, 1, NULL, &n_awaited, &is_complete), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_awaited(thread, NULL, 1, &awaited, NULL, &is_complete), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_awaited(thread, NULL, 1, &awaited, &n_awaited, NULL), ompd_rc_bad_input);
	/* The thread does not wait. */
	ck_assert_int_eq(ompd_get_awaited(thread, NULL, 1, &awaited, &n_awaited, &is_complete), ompd_rc_unavailable);
	ask(NULL, task, true);
	ck_assert_int_eq(n_awaited, 0);
	ck_assert_int_eq(is_complete, 1);
	ompd_rel_task_handle(task);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_arguments)
{
	oracle_run(program_copyprivate, 1, 2, observe_arguments);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libompd/api/awaited");
	TCase *tc = tcase_create("awaited");

	tcase_add_test(tc, test_tasks);
	tcase_add_test(tc, test_taskgroup);
	tcase_add_test(tc, test_taskwait_with_a_dependence);
	tcase_add_test(tc, test_ordered);
	tcase_add_test(tc, test_doacross);
	tcase_add_test(tc, test_doacross_dynamic);
	tcase_add_test(tc, test_copyprivate);
	tcase_add_test(tc, test_arguments);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
