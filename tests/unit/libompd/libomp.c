/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hostile targets: callbacks that fail at any point, and libomp's structures with any content.
 * libompd may return nothing or an error. It must end, access only its own memory, and leak no
 * memory. This process runs on libomp.
 */
#include <omp.h>
#include <string.h>

#include "ask_libompd.h"
#include "check_main.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define MAX_CHAIN 300

static void ask_everything(void)
{
	pthread_t threads[ORACLE_MAX_VIEWS];

	for (int i = 0; i < oracle_count; i++)
		threads[i] = oracle_views[i].thread;
	ask_libompd(threads, oracle_count, MAX_CHAIN);
}

static void program(void)
{
	oracle_allow_nesting(3);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
#pragma omp parallel num_threads(2)
#pragma omp task if (0)
			oracle_park(1 + omp_get_thread_num());
		} else {
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(1)
			{
				omp_set_num_threads(7);
				oracle_park(0);
			}
		}
	}
}

static void observe_failures(void)
{
	int64_t live = self_target.live_blocks;

	self_target_reset();
	ask_everything();
	uint64_t reads = self_target.reads, allocs = self_target.allocs;

	ck_assert_uint_gt(reads, 100);
	for (uint64_t n = 1; n <= reads; n += n < 300 ? 1 : 17) {
		self_target_reset();
		self_target.reads_until_failure = n;
		ask_everything();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	for (uint64_t n = 1; n <= allocs; n += n < 300 ? 1 : 17) {
		self_target_reset();
		self_target.allocs_until_failure = n;
		ask_everything();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	self_target_reset();
}

START_TEST(test_hostile_callbacks_fail_at_any_point)
{
	oracle_run(program, 3, 0, observe_failures);
}
END_TEST

static uint64_t word_at(ompd_addr_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

/* Replace each 32-bit word in the records of threads, teams and tasks. */
static void observe_words(void)
{
	static const uint32_t values[] = {0, 1, 0x7fffffff, 0xffffffff, 0x1000};
	const struct libomp *libomp = oracle_process->base.process->data;
	const struct libomp_layout *l = &libomp->layout;
	int64_t live = self_target.live_blocks;
	static uint8_t copies[3][LIBOMP_MAX_SPAN];

	for (int tag = 0; tag < 3; tag++) {
		ompd_thread_handle_t *handle = oracle_thread(oracle_view(tag));
		ompd_addr_t thread = handle->ref.thread;
		const struct {
			ompd_addr_t address;
			size_t size;
		} areas[3] = {
			{thread, libomp->thread_span},
			{word_at(thread + l->th_team), libomp->team_span},
			{word_at(thread + l->th_current_task), libomp->task_span},
		};

		ompd_rel_thread_handle(handle);
		for (size_t i = 0; i < 3; i++) {
			for (size_t at = 0; at + 4 <= areas[i].size; at += 4) {
				self_target_patch_copy(0, areas[i].address, areas[i].size, copies[i]);
				memcpy(copies[i] + at, &values[(at / 4 + (size_t)tag) % 5], 4);
				ask_everything();
				ck_assert_int_eq(self_target.live_blocks, live);
			}
		}
		self_target_reset();
	}
}

START_TEST(test_hostile_words)
{
	oracle_run(program, 3, 0, observe_words);
}
END_TEST

/* While a primary thread creates or leaves its team, it has its number in the enclosing team. */
static void observe_primary(void)
{
	const struct libomp *libomp = oracle_process->base.process->data;
	static uint8_t copy[LIBOMP_MAX_SPAN];
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(1)), *first;
	ompd_parallel_handle_t *region;
	ompd_word_t number = -1;
	int32_t outer_number = 1;
	int cmp = -1;

	self_target_patch_copy(0, thread->ref.thread, libomp->thread_span, copy);
	memcpy(copy + libomp->layout.th_tid, &outer_number, sizeof(outer_number));
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(oracle_icv(thread, ompd_scope_thread, "thread-num-var", &number), ompd_rc_ok);
	ck_assert_int_eq(number, 0);
	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 0, &first), ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(thread, first, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	self_target_reset();
	ompd_rel_thread_handle(first);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_primary_thread_with_the_number_of_the_team_around)
{
	oracle_run(program, 3, 0, observe_primary);
}
END_TEST

/*
 * The primary thread returns its team but still refers to it: the region has ended, for its other
 * threads too.
 */
static void observe_given_back(void)
{
	const struct libomp *libomp = oracle_process->base.process->data;
	static uint8_t copy[LIBOMP_MAX_SPAN];
	ompd_thread_handle_t *primary = oracle_thread(oracle_view(1)), *other = oracle_thread(oracle_view(2));
	ompd_addr_t team = word_at(primary->ref.thread + libomp->layout.th_team);
	ompd_parallel_handle_t *region = NULL;
	ompd_word_t state = -1;

	self_target_patch_copy(0, team, libomp->team_span, copy);
	memset(copy + libomp->layout.team_parent, 0, sizeof(ompd_addr_t));
	ck_assert_int_eq(ompd_get_curr_parallel_handle(primary, &region), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_state(primary, &state, NULL), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(other, &region), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_state(other, &state, NULL), ompd_rc_ok);
	ck_assert_int_eq(state, ompt_state_idle);
	self_target_reset();
	ompd_rel_thread_handle(primary);
	ompd_rel_thread_handle(other);
}

START_TEST(test_team_that_is_given_back)
{
	oracle_run(program, 3, 0, observe_given_back);
}
END_TEST

/* Serialized regions share a team and a task, but not their control variables. */
static void serial_program(void)
{
	omp_set_num_threads(2);
#pragma omp parallel num_threads(1)
	{
		omp_set_num_threads(3);
#pragma omp parallel num_threads(1)
		{
#pragma omp parallel num_threads(1)
			{
				omp_set_num_threads(5);
				oracle_park(0);
			}
		}
	}
}

static void observe_serial(void)
{
	static const ompd_word_t expected[] = {5, 3, 3, 2};
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_task_handle_t *task, *outer;

	oracle_check_all();
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	for (int i = 0; i < 4; i++) {
		ompd_word_t value;
		int cmp;

		ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "nthreads-var", &value), ompd_rc_ok);
		ck_assert_msg(value == expected[i], "%d levels outside: %d", i, (int)value);
		ompd_rc_t rc = ompd_get_generating_task_handle(task, &outer);

		ck_assert_int_eq(rc, i < 3 ? ompd_rc_ok : ompd_rc_unavailable);
		if (rc == ompd_rc_ok) {
			ck_assert_int_eq(ompd_task_handle_compare(task, outer, &cmp), ompd_rc_ok);
			ck_assert_int_ne(cmp, 0);
		}
		ompd_rel_task_handle(task);
		task = outer;
	}
	ompd_rel_thread_handle(thread);
}

START_TEST(test_serialized_nest_has_icvs_of_each_region)
{
	oracle_run(serial_program, 1, 0, observe_serial);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("libomp");
	TCase *hostile = tcase_create("hostile");

	tcase_set_timeout(hostile, 300);
	tcase_add_test(hostile, test_hostile_callbacks_fail_at_any_point);
	tcase_add_test(hostile, test_hostile_words);
	tcase_add_test(hostile, test_primary_thread_with_the_number_of_the_team_around);
	tcase_add_test(hostile, test_team_that_is_given_back);
	tcase_add_test(hostile, test_serialized_nest_has_icvs_of_each_region);
	suite_add_tcase(s, hostile);
	return check_main(s);
}
