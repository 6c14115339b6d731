/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tasks that a taskwait and a task wait for (libompd/libomp/awaited), on LLVM's runtime instead
 * of libgomp.
 */
#include <omp.h>
#include <string.h>

#include "check_main.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "libompd_oracle.h"
#include "ompd-more.h"
#include "self_target.h"

#define MAX 16
#define N   4 /* tasks that thread 0 waits for */

static int x, y, sink;
static ompd_awaited_t *awaited;
static ompd_word_t n_awaited, is_complete;

/*
 * The other thread executes the first task. The second and third wait for it, and the last waits
 * for all of them.
 */
static void program(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x, y)
		oracle_park(1);
		while (__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE) < 1)
			;
#pragma omp task depend(in : x, y)
		sink++;
#pragma omp task depend(in : x)
		sink++;
#pragma omp task depend(out : x)
		sink++;
		oracle_record(0);
#pragma omp taskwait
	}
}

static ompd_thread_handle_t *waiter(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_word_t state = 0;
	ompd_wait_id_t wait_id;

	/* The thread has recorded its view, and is about to wait. */
	while (ompd_get_state(thread, &state, &wait_id) != ompd_rc_ok || state != ompt_state_wait_taskwait)
		;
	return thread;
}

static void release(void)
{
	for (ompd_word_t i = 0; i < n_awaited; i++)
		ompd_rel_task_handle(awaited[i].task_handle);
	if (n_awaited)
		self_target_callbacks()->free_memory(awaited);
}

static ompd_rc_t ask(ompd_thread_handle_t *thread, ompd_task_handle_t *task, ompd_word_t max)
{
	n_awaited = 0;
	return ompd_get_awaited(thread, task, max, &awaited, &n_awaited, &is_complete);
}

static bool is_of_thread(ompd_task_handle_t *task, int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_task_handle_t *current;
	int order = -1;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &current), ompd_rc_ok);
	ck_assert_int_eq(ompd_task_handle_compare(task, current, &order), ompd_rc_ok);
	ompd_rel_task_handle(current);
	ompd_rel_thread_handle(thread);
	return order == 0;
}

/* Tasks that have not started wait for the first task, or for two others. */
static void check_dependent(ompd_task_handle_t *task, int *n_of_first, int *n_of_two)
{
	ck_assert_int_eq(ask(NULL, task, MAX), ompd_rc_ok);
	ck_assert_int_eq(is_complete, 1);
	if (n_awaited == 1 && awaited[0].progress == ompd_progress_begun) {
		ck_assert(is_of_thread(awaited[0].task_handle, 1));
		++*n_of_first;
	} else {
		int n_begun = 0;

		/*
		 * The first task may be included: the last task's wait for it is included in the
		 * other waits.
		 */
		for (ompd_word_t i = 0; i < n_awaited; i++)
			n_begun += awaited[i].progress == ompd_progress_begun;
		ck_assert_int_eq(n_awaited - n_begun, 2);
		ck_assert_int_le(n_begun, 1);
		++*n_of_two;
	}
	release();
}

static void observe_tasks(void)
{
	ompd_thread_handle_t *thread = waiter();
	int n_of_first = 0, n_of_two = 0, n_begun = 0;

	ck_assert_int_eq(ask(thread, NULL, MAX), ompd_rc_ok);
	ck_assert_int_eq(n_awaited, N);
	ck_assert_int_eq(is_complete, 1);
	ompd_awaited_t *all = awaited;

	for (int i = 0; i < N; i++) {
		if (all[i].progress == ompd_progress_begun) {
			ck_assert(is_of_thread(all[i].task_handle, 1));
			n_begun++;
			continue;
		}
		ck_assert_int_eq(all[i].progress, ompd_progress_dependent);
		check_dependent(all[i].task_handle, &n_of_first, &n_of_two);
	}
	ck_assert_int_eq(n_begun, 1);
	ck_assert_int_eq(n_of_first, 2);
	ck_assert_int_eq(n_of_two, 1);
	n_awaited = N;
	awaited = all;
	release();
	ompd_rel_thread_handle(thread);
}

START_TEST(test_awaited_tasks_with_dependences)
{
	oracle_run(program, 1, 2, observe_tasks);
}
END_TEST

/* A thread that executes a task waits for nothing, and neither does its task. */
static void observe_others(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(1)), *waiting = waiter();
	ompd_task_handle_t *task;

	ck_assert_int_eq(ask(thread, NULL, MAX), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ask(NULL, task, MAX), ompd_rc_ok);
	ck_assert_int_eq(n_awaited, 0);
	ck_assert_int_eq(is_complete, 1);
	/* The limit is smaller than the number of tasks. */
	ck_assert_int_eq(ask(waiting, NULL, N - 1), ompd_rc_ok);
	ck_assert_int_eq(n_awaited, N - 1);
	ck_assert_int_eq(is_complete, 0);
	release();
	ompd_rel_task_handle(task);
	ompd_rel_thread_handle(thread);
	ompd_rel_thread_handle(waiting);
}

START_TEST(test_awaited_of_others)
{
	oracle_run(program, 1, 2, observe_others);
}
END_TEST

/* Replace the value at @offset in @task by @value. */
static void set_word(ompd_addr_t task, uint32_t offset, uint64_t value, size_t size)
{
	static uint8_t copy[LIBOMP_MAX_SPAN];
	size_t span = libomp_of(oracle_process->base.process)->layout.td_size;

	ck_assert_uint_le(span, sizeof(copy));
	self_target_reset();
	self_target_patch_copy(0, task, span, copy);
	memcpy(copy + offset, &value, size);
}

/* More children than can be found: the result is incomplete. Endless lists and unmapped memory: no result. */
static void observe_lies(void)
{
	const struct libomp_layout *l = &libomp_of(oracle_process->base.process)->layout;
	ompd_thread_handle_t *thread = waiter();
	ompd_task_handle_t *own;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &own), ompd_rc_ok);
	set_word(own->ref.task, l->td_incomplete, 7, sizeof(int32_t));
	ck_assert_int_eq(ask(thread, NULL, MAX), ompd_rc_ok);
	ck_assert_int_eq(n_awaited, N);
	ck_assert_int_eq(is_complete, 0);
	release();
	set_word(own->ref.task, l->td_dephash, 16, sizeof(ompd_addr_t));
	ck_assert_int_ne(ask(thread, NULL, MAX), ompd_rc_ok);

	/* Each bucket leads to the table again, and each entry to itself. */
	static uint64_t table[16];
	uint64_t address = (uintptr_t)table;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		table[i] = address;
	set_word(own->ref.task, l->td_dephash, address, sizeof(address));
	if (ask(thread, NULL, MAX) == ompd_rc_ok)
		release();
	self_target_reset();
	ompd_rel_task_handle(own);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_awaited_where_memory_lies)
{
	oracle_run(program, 1, 2, observe_lies);
}
END_TEST

static void observe_failing_reads(void)
{
	ompd_thread_handle_t *thread = waiter();
	int64_t live = self_target.live_blocks;

	self_target_reset();
	ck_assert_int_eq(ask(thread, NULL, MAX), ompd_rc_ok);
	uint64_t n_reads = self_target.reads, n_allocs = self_target.allocs;

	release();
	for (uint64_t n = 1; n <= n_reads; n += n < 50 ? 1 : 17) {
		self_target_reset();
		self_target.reads_until_failure = n;
		if (ask(thread, NULL, MAX) == ompd_rc_ok)
			release();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	for (uint64_t n = 1; n <= n_allocs; n++) {
		self_target_reset();
		self_target.allocs_until_failure = n;
		ck_assert_int_ne(ask(thread, NULL, MAX), ompd_rc_ok);
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	self_target_reset();
	ompd_rel_thread_handle(thread);
}

START_TEST(test_awaited_when_reads_and_memory_fail)
{
	oracle_run(program, 1, 2, observe_failing_reads);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libomp_awaited");
	TCase *tc = tcase_create("awaited");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, test_awaited_tasks_with_dependences);
	tcase_add_test(tc, test_awaited_of_others);
	tcase_add_test(tc, test_awaited_where_memory_lies);
	tcase_add_test(tc, test_awaited_when_reads_and_memory_fail);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
