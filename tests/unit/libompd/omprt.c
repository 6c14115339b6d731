/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hostile targets on our runtime: callbacks that fail at any point, structures with any content,
 * and damaged lists of queued tasks. libompd may return nothing or an error. It must end, access
 * only its own memory, and leak no memory.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ask_libompd.h"
#include "check_main.h"
#include "handles.h"
#include "omprt/omprt.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define MAX_CHAIN 300
#define N_READY	  7
#define N_HIGH	  3
#define N_WAITING 4

static int x;
static volatile int calls;

static void call(void)
{
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

/*
 * Two threads are parked. Ready tasks are in a deque, tasks with priorities in the queue. Other
 * tasks wait for a task that has started.
 */
static void program(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : x)
		oracle_park(1);
		while (!__atomic_load_n(&oracle_count, __ATOMIC_ACQUIRE))
			;
		for (int i = 0; i < N_WAITING; i++) {
#pragma omp task depend(inout : x)
			call();
		}
		for (int i = 0; i < N_READY; i++) {
#pragma omp task
			call();
		}
		for (int i = 0; i < N_HIGH; i++) {
#pragma omp task priority(1 + i)
			call();
		}
		oracle_park(0);
	}
}

static const struct omprt *omprt(void)
{
	return oracle_process->base.process->data;
}

static ompd_parallel_handle_t *get_region(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_parallel_handle_t *region = NULL;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ompd_rel_thread_handle(thread);
	return region;
}

/* Return the number of tasks, and release all handles. */
static ompd_word_t count(ompd_parallel_handle_t *region, ompd_word_t max, ompd_word_t *n_ret, ompd_word_t *waiting_ret)
{
	ompd_task_handle_t **tasks = NULL;
	ompd_word_t total = -1;

	*waiting_ret = 0;
	ck_assert_int_eq(ompd_get_queued_tasks(region, max, &tasks, n_ret, &total), ompd_rc_ok);
	for (ompd_word_t i = 0; i < *n_ret; i++) {
		ompd_address_t function = {0};
		ompd_word_t before = -1;

		ck_assert_int_eq(ompd_get_task_function(tasks[i], &function), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_task_predecessors(tasks[i], &before), ompd_rc_ok);
		ck_assert(before == 0 || before == 1);
		*waiting_ret += before;
		for (ompd_word_t k = 0; k < i; k++) {
			int order;

			ck_assert_int_eq(ompd_task_handle_compare(tasks[i], tasks[k], &order), ompd_rc_ok);
			ck_assert_int_ne(order, 0);
		}
	}
	for (ompd_word_t i = 0; i < *n_ret; i++)
		ompd_rel_task_handle(tasks[i]);
	if (*n_ret)
		self_target_callbacks()->free_memory(tasks);
	else
		ck_assert_ptr_null(tasks);
	return total;
}

static void observe_queued(void)
{
	ompd_parallel_handle_t *region = get_region(), *outer;
	ompd_word_t n, waiting, all = N_READY + N_HIGH + N_WAITING;

	ck_assert_int_eq(count(region, 100, &n, &waiting), all);
	ck_assert_int_eq(n, all);
	ck_assert_int_eq(waiting, N_WAITING);
	ck_assert_int_eq(count(region, 5, &n, &waiting), all);
	ck_assert_int_eq(n, 5);
	ck_assert_int_eq(waiting, 0);
	ck_assert_int_eq(count(region, 0, &n, &waiting), all);
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
	ck_assert_int_eq(count(outer, 5, &n, &waiting), 0);
	ompd_rel_parallel_handle(outer);
	ompd_rel_parallel_handle(region);
}

START_TEST(test_omprt_queued_tasks_are_found)
{
	oracle_run(program, 2, 0, observe_queued);
}
END_TEST

static void observe_wrong_arguments(void)
{
	ompd_parallel_handle_t *region = get_region();
	ompd_task_handle_t **tasks;
	ompd_word_t n, total;

	ck_assert_int_eq(ompd_get_queued_tasks(NULL, 1, &tasks, &n, &total), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_queued_tasks((ompd_parallel_handle_t *)oracle_process, 1, &tasks, &n, &total),
			 ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_queued_tasks(region, -1, &tasks, &n, &total), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_queued_tasks(region, INT64_MAX, &tasks, &n, &total), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_queued_tasks(region, 1, NULL, &n, &total), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_queued_tasks(region, 1, &tasks, NULL, &total), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_queued_tasks(region, 1, &tasks, &n, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_task_predecessors((ompd_task_handle_t *)region, &n), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_get_task_predecessors(NULL, &n), ompd_rc_stale_handle);
	ompd_rel_parallel_handle(region);
}

START_TEST(test_omprt_wrong_arguments)
{
	oracle_run(program, 2, 0, observe_wrong_arguments);
}
END_TEST

static void ask_everything(void)
{
	pthread_t threads[] = {oracle_view(0)->thread, oracle_view(1)->thread};

	ask_libompd(threads, 2, MAX_CHAIN);
}

static void fail_at_any_point(uint64_t *counter, uint64_t *until)
{
	int64_t live = self_target.live_blocks;

	self_target_reset();
	ask_everything();
	uint64_t total = *counter;

	ck_assert_uint_gt(total, 100);
	for (uint64_t n = 1; n <= total; n += n < 300 ? 1 : 17) {
		self_target_reset();
		*until = n;
		ask_everything();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	self_target_reset();
}

static void observe_failing_reads(void)
{
	fail_at_any_point(&self_target.reads, &self_target.reads_until_failure);
}

START_TEST(test_omprt_reads_fail_at_any_point)
{
	oracle_run(program, 2, 0, observe_failing_reads);
}
END_TEST

static void observe_failing_allocs(void)
{
	fail_at_any_point(&self_target.allocs, &self_target.allocs_until_failure);
}

START_TEST(test_omprt_allocations_fail_at_any_point)
{
	oracle_run(program, 2, 0, observe_failing_allocs);
}
END_TEST

/* Return the value of a field. */
static ompd_addr_t at(ompd_addr_t address, enum layout_entry_number field)
{
	const struct layout_entry *e = &omprt()->layout.entries[field];
	uint64_t value = 0;

	memcpy(&value, (const void *)(uintptr_t)(address + e->offset), e->size);
	return value;
}

/* All memory that is read for a region with queued tasks. */
struct area {
	ompd_addr_t address;
	size_t size;
};

static ompd_addr_t record_of(int tag)
{
	return oracle_thread_pointer(oracle_view(tag)) + (uint64_t)omprt()->layout.thread_offset;
}

static size_t find_areas(struct area *areas)
{
	const uint32_t *span = omprt()->span;
	ompd_addr_t thread = record_of(0);
	ompd_addr_t other = record_of(1);
	ompd_addr_t team = at(thread, LAYOUT_thread_team), member = at(team, LAYOUT_team_members);
	ompd_addr_t ring = at(member, LAYOUT_member_deque_ring);
	ompd_addr_t bucket = at(team, LAYOUT_team_queue), high = at(bucket, LAYOUT_task_bucket_first);
	ompd_addr_t begun = at(other, LAYOUT_thread_task), node = at(begun, LAYOUT_task_depend);
	ompd_addr_t link = at(node, LAYOUT_depend_node_successors);
	ompd_addr_t waiting = at(link, LAYOUT_depend_link_task);
	const struct area found[] = {
		{thread, span[LAYOUT_thread]},	    {team, span[LAYOUT_team]},
		{member, span[LAYOUT_member]},	    {ring, omprt()->layout.entries[LAYOUT_deque_ring].size + 8 * 8},
		{bucket, span[LAYOUT_task_bucket]}, {high, span[LAYOUT_task]},
		{begun, span[LAYOUT_task]},	    {node, span[LAYOUT_depend_node]},
		{link, span[LAYOUT_depend_link]},   {waiting, span[LAYOUT_task]},
	};
	size_t n = sizeof(found) / sizeof(found[0]);

	for (size_t i = 0; i < n; i++)
		ck_assert_uint_gt(found[i].address, 4096);
	memcpy(areas, found, sizeof(found));
	return n;
}

static void look(ompd_parallel_handle_t *region)
{
	ompd_task_handle_t **tasks;
	ompd_word_t n, total;
	ompd_rc_t rc = ompd_get_queued_tasks(region, 8, &tasks, &n, &total);

	ck_assert_uint_lt(self_target.reads, 100000);
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return;
	ck_assert(n >= 0 && n <= 8 && total >= n);
	for (ompd_word_t i = 0; i < n; i++)
		ompd_rel_task_handle(tasks[i]);
	if (n)
		self_target_callbacks()->free_memory(tasks);
}

static void observe_words(void)
{
	static const uint64_t values[] = {0, 1, 0x7fffffff, 0xffffffff, 0x80000000, 4096};
	struct area areas[16];
	size_t n = find_areas(areas);
	int64_t live = self_target.live_blocks;
	uint8_t copy[OMPRT_MAX_SPAN];
	ompd_parallel_handle_t *region = get_region();
	int64_t with_region = self_target.live_blocks;

	for (size_t a = 0; a < n; a++) {
		self_target.patches[0].address = areas[a].address;
		self_target.patches[0].size = areas[a].size;
		for (size_t i = 0; i + 4 <= areas[a].size; i += 4) {
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				self_target_reset();
				self_target.patches[0] =
					(struct self_target_patch){areas[a].address, areas[a].size, copy};
				memcpy(copy, (const void *)(uintptr_t)areas[a].address, areas[a].size);
				memcpy(copy + i, &values[v], 4);
				look(region);
				ask_libompd_thread(oracle_process, oracle_view(0)->thread, MAX_CHAIN);
				ck_assert_int_eq(self_target.live_blocks, with_region);
			}
			/*
			 * Use a pointer to the struct itself, and one to each other struct: all
			 * kinds of cycles.
			 */
			for (size_t b = 0; i + 8 <= areas[a].size && i % 8 == 0 && b < n; b++) {
				self_target_reset();
				self_target.patches[0] =
					(struct self_target_patch){areas[a].address, areas[a].size, copy};
				memcpy(copy, (const void *)(uintptr_t)areas[a].address, areas[a].size);
				memcpy(copy + i, &areas[b].address, 8);
				look(region);
				ck_assert_int_eq(self_target.live_blocks, with_region);
			}
		}
	}
	self_target_reset();
	ompd_rel_parallel_handle(region);
	ck_assert_int_eq(self_target.live_blocks, live);
}

START_TEST(test_omprt_structures_with_any_word)
{
	oracle_run(program, 2, 0, observe_words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("omprt_hostile");
	TCase *tcase = tcase_create("target");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_omprt_queued_tasks_are_found);
	tcase_add_test(tcase, test_omprt_wrong_arguments);
	tcase_add_test(tcase, test_omprt_reads_fail_at_any_point);
	tcase_add_test(tcase, test_omprt_allocations_fail_at_any_point);
	tcase_add_test(tcase, test_omprt_structures_with_any_word);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
