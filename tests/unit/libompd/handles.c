/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles of regions and tasks that have ended, while their memory still exists or is reused. The
 * program requests data about itself. Our runtime counts the uses of regions and tasks. Stock
 * libgomp's memory only shows that a thread has left a region.
 */
#include <omp.h>
#include <pthread.h>

#include "check_main.h"
#include "libompd_oracle.h"
#include "self_target.h"

static ompd_thread_handle_t *self;

static void setup(void)
{
	uint64_t id = (uint64_t)pthread_self();
	volatile int entered = 0;

#pragma omp parallel num_threads(2)
	entered = 1;
	ck_assert_int_eq(entered, 1);
	self_target_reset();
	self_target_register();
	ck_assert_int_eq(ompd_initialize(202111, self_target_callbacks()), ompd_rc_ok);
	ck_assert_int_eq(ompd_process_initialize(self_target_context(), &oracle_process), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &self),
			 ompd_rc_ok);
}

static void teardown(void)
{
	ompd_rel_thread_handle(self);
	ompd_rel_address_space_handle(oracle_process);
	ompd_finalize();
	ck_assert_int_eq(self_target.live_blocks, 0);
}

/* Every routine refuses a task that has ended, except the routines that need only the handle. */
static void check_stale_task(ompd_task_handle_t *task)
{
	ompd_task_handle_t *other;
	ompd_address_t function;
	ompd_frame_info_t leave, enter;
	ompd_word_t value;

	ck_assert_int_eq(ompd_get_generating_task_handle(task, &other), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_scheduling_task_handle(task, &other), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_task_function(task, &function), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_task_frame(task, &leave, &enter), ompd_rc_stale_handle);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "nthreads-var", &value), ompd_rc_stale_handle);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "explicit-task-var", &value), ompd_rc_stale_handle);
}

static void check_stale_region(ompd_parallel_handle_t *region)
{
	ompd_parallel_handle_t *outer;
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	ompd_word_t value;

	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 0, &thread), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_task_in_parallel(region, 0, &task), ompd_rc_stale_handle);
	ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "levels-var", &value), ompd_rc_stale_handle);
}

/* Return, for a region of @n_threads threads, the region of its primary thread and member 1's implicit task. */
static void get_handles(int n_threads, ompd_parallel_handle_t **region, ompd_task_handle_t **own,
			ompd_task_handle_t **other)
{
#pragma omp parallel num_threads(n_threads)
	{
#pragma omp masked
		{
			ck_assert_int_eq(ompd_get_curr_parallel_handle(self, region), ompd_rc_ok);
			ck_assert_int_eq(ompd_get_curr_task_handle(self, own), ompd_rc_ok);
			ck_assert_int_eq(ompd_get_task_in_parallel(*region, n_threads - 1, other), ompd_rc_ok);
		}
	}
}

START_TEST(test_stale_implicit_tasks)
{
	ompd_parallel_handle_t *region, *later;
	ompd_task_handle_t *own, *other, *own_later, *other_later;
	int n_threads = _i, cmp = 0;
	get_handles(n_threads, &region, &own, &other);
	check_stale_region(region);
	check_stale_task(own);
	check_stale_task(other);
	/* the new handles use the same memory */
	get_handles(n_threads, &later, &own_later, &other_later);
	if (oracle_runtime_is_ours()) {
		ck_assert_int_eq(ompd_parallel_handle_compare(region, later, &cmp), ompd_rc_ok);
		ck_assert_int_ne(cmp, 0);
		ck_assert_int_eq(ompd_task_handle_compare(own, own_later, &cmp), ompd_rc_ok);
		ck_assert_int_ne(cmp, 0);
	}
	check_stale_task(own);
	ompd_rel_parallel_handle(region);
	ompd_rel_parallel_handle(later);
	ompd_rel_task_handle(own);
	ompd_rel_task_handle(other);
	ompd_rel_task_handle(own_later);
	ompd_rel_task_handle(other_later);
}
END_TEST

/* A task ends before its region. The next task in its memory is a different task. */
static void explicit_tasks(void)
{
	static ompd_task_handle_t *handles[4];
	ompd_word_t value = -1;
	int cmp = 0;

	for (int i = 0; i < 4; i++) {
#pragma omp task if (i % 2)
		{
			ck_assert_int_eq(ompd_get_curr_task_handle(self, &handles[i]), ompd_rc_ok);
			ck_assert_int_eq(oracle_icv(handles[i], ompd_scope_task, "explicit-task-var", &value),
					 ompd_rc_ok);
			ck_assert_int_eq(value, 1);
			for (int j = 0; j < i; j++) {
				ck_assert_int_eq(ompd_task_handle_compare(handles[i], handles[j], &cmp), ompd_rc_ok);
				ck_assert_int_ne(cmp, 0);
				check_stale_task(handles[j]);
			}
		}
#pragma omp taskwait
		check_stale_task(handles[i]);
	}
	for (int i = 0; i < 4; i++)
		ompd_rel_task_handle(handles[i]);
}

START_TEST(test_stale_explicit_tasks)
{
	if (!oracle_runtime_is_ours())
		CHECK_SKIP("only our runtime shows that a task has ended");
	explicit_tasks();
#pragma omp parallel num_threads(1)
	explicit_tasks();
}
END_TEST

/* More handles than the library's own table can hold. */
#define MANY 100

/* ompd_finalize() releases all handles. No memory of the tool is left, and the library's table is empty. */
START_TEST(test_end_with_handles)
{
	ompd_thread_handle_t *handles[MANY];
	uint64_t id = (uint64_t)pthread_self();
	int cmp;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id,
								&handles[i]),
					 ompd_rc_ok);
		ck_assert_int_eq(ompd_finalize(), ompd_rc_ok);
		ck_assert_int_eq(self_target.live_blocks, 0);
		ck_assert_int_eq(ompd_initialize(202111, self_target_callbacks()), ompd_rc_ok);
		for (int i = 0; i < MANY; i++) {
			ck_assert_int_eq(ompd_thread_handle_compare(handles[i], handles[i], &cmp),
					 ompd_rc_stale_handle);
			ck_assert_int_eq(ompd_rel_thread_handle(handles[i]), ompd_rc_stale_handle);
		}
		ck_assert_int_eq(ompd_process_initialize(self_target_context(), &oracle_process), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &self),
				 ompd_rc_ok);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stale");
	TCase *tcase = tcase_create("stale");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_stale_implicit_tasks, 1, 4);
	tcase_add_test(tcase, test_stale_explicit_tasks);
	tcase_add_test(tcase, test_end_with_handles);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
