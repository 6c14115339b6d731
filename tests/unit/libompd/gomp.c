/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hostile targets: callbacks that fail at any point, and libgomp's structures with any content.
 * libompd may return nothing or an error. It must end, access only its own memory, and leak no
 * memory.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ask_libompd.h"
#include "check_main.h"
#include "gomp/gomp.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define MAX_CHAIN 300

/* Call every routine for all recorded threads. */
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
			oracle_park(0);
		}
	}
}

static void observe_failing_reads(void)
{
	int64_t live = self_target.live_blocks;

	self_target_reset();
	ask_everything();
	uint64_t total = self_target.reads;

	ck_assert_uint_gt(total, 100);
	for (uint64_t n = 1; n <= total; n += n < 300 ? 1 : 17) {
		self_target_reset();
		self_target.reads_until_failure = n;
		ask_everything();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	self_target_reset();
}

START_TEST(test_hostile_reads_fail_at_any_point)
{
	oracle_run(program, 3, 0, observe_failing_reads);
}
END_TEST

static void observe_failing_allocs(void)
{
	int64_t live = self_target.live_blocks;

	self_target_reset();
	ask_everything();
	uint64_t total = self_target.allocs;

	for (uint64_t n = 1; n <= total; n += n < 300 ? 1 : 17) {
		self_target_reset();
		self_target.allocs_until_failure = n;
		ask_everything();
		ck_assert_int_eq(self_target.live_blocks, live);
	}
	self_target_reset();
}

START_TEST(test_hostile_allocations_fail_at_any_point)
{
	oracle_run(program, 3, 0, observe_failing_allocs);
}
END_TEST

static const struct gomp *gomp(void)
{
	return oracle_process->base.process->data;
}

static ompd_addr_t record_of(int tag)
{
	return oracle_thread_pointer(oracle_view(tag)) + (uint64_t)gomp()->tls_base;
}

static uint64_t word_at(ompd_addr_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

/* Replace each 32-bit word in the inner team, its task and the threads' records. */
static void observe_words(void)
{
	static const uint64_t values[] = {0, 1, 0x7fffffff, 0xffffffff, 0x80000000, 4096};
	ompd_addr_t thread = record_of(2);
	ompd_addr_t team = word_at(thread + gomp()->layout.th_ts);
	ompd_addr_t task = word_at(thread + gomp()->layout.th_task);
	const struct {
		ompd_addr_t address;
		size_t size;
	} areas[] = {
		{thread, gomp()->thread_span},
		{team, gomp()->team_span},
		{task, gomp()->task_span},
		{record_of(0), gomp()->thread_span},
	};
	int64_t live = self_target.live_blocks;
	uint8_t copy[GOMP_MAX_SPAN];

	for (size_t a = 0; a < sizeof(areas) / sizeof(areas[0]); a++) {
		for (size_t at = 0; at + 4 <= areas[a].size; at += 4) {
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				self_target_reset();
				self_target_patch_copy(0, areas[a].address, areas[a].size, copy);
				memcpy(copy + at, &values[v], 4);
				ask_libompd_thread(oracle_process, oracle_view(2)->thread, MAX_CHAIN);
				ck_assert_int_eq(self_target.live_blocks, live);
			}
			/* Use a pointer to the structure itself, and one to each other structure. */
			for (size_t b = 0; at + 8 <= areas[a].size && b < 4; b++) {
				self_target_reset();
				self_target_patch_copy(0, areas[a].address, areas[a].size, copy);
				memcpy(copy + at, &areas[b].address, 8);
				ask_libompd_thread(oracle_process, oracle_view(2)->thread, MAX_CHAIN);
				ck_assert_int_eq(self_target.live_blocks, live);
			}
		}
	}
	self_target_reset();
}

START_TEST(test_hostile_structures_with_any_word)
{
	oracle_run(program, 3, 0, observe_words);
}
END_TEST

/* A team that encloses itself: the level shows it. */
static void observe_team_cycle(void)
{
	ompd_addr_t thread = record_of(2);
	ompd_addr_t team = word_at(thread + gomp()->layout.th_ts);
	uint8_t copy[GOMP_MAX_SPAN];
	ompd_thread_handle_t *handle = oracle_thread(oracle_view(2));
	ompd_parallel_handle_t *region = NULL, *outer = NULL;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(handle, &region), ompd_rc_ok);
	self_target_patch_copy(0, team, gomp()->team_span, copy);
	memcpy(copy + gomp()->layout.team_prev_ts, &team, sizeof(team));
	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
	ompd_rel_parallel_handle(region);
	region = NULL;
	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(outer, &region), ompd_rc_stale_handle);
	ck_assert_ptr_null(region);
	ompd_rel_parallel_handle(outer);
	ompd_rel_thread_handle(handle);
}

START_TEST(test_hostile_team_that_encloses_itself)
{
	oracle_run(program, 3, 0, observe_team_cycle);
}
END_TEST

/* The end of the region makes its handle stale, and libompd detects it. */
static void observe_team_reused(void)
{
	ompd_addr_t thread = record_of(2);
	ompd_addr_t team = word_at(thread + gomp()->layout.th_ts);
	uint8_t copy[GOMP_MAX_SPAN];
	ompd_thread_handle_t *handle = oracle_thread(oracle_view(2));
	ompd_parallel_handle_t *region = NULL;
	ompd_word_t size = -1;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(handle, &region), ompd_rc_ok);
	self_target_patch_copy(0, team, gomp()->team_span, copy);
	memset(copy, 0xee, sizeof(copy));
	ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "team-size-var", &size), ompd_rc_stale_handle);
	ck_assert_int_eq(size, -1);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(handle);
}

START_TEST(test_hostile_team_memory_was_reused)
{
	oracle_run(program, 3, 0, observe_team_reused);
}
END_TEST

/* A team of one thread starts no threads of a pool, so the pool does not name its root. */
static void program_alone(void)
{
	oracle_allow_nesting(3);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static void observe_root(void)
{
	const struct gomp_layout *l = &gomp()->layout;
	uint8_t copy[GOMP_MAX_SPAN];
	ompd_thread_handle_t *member = oracle_thread(oracle_view(1)), *root, *found = NULL;
	ompd_parallel_handle_t *region = NULL, *left = NULL;
	uint64_t id, pool = 0;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(member, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 0, &found), ompd_rc_unavailable);
	root = oracle_thread(oracle_view(0));
	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 0, &found), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_id(found, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id), ompd_rc_ok);
	ck_assert_uint_eq(id, (uint64_t)oracle_view(0)->thread);
	ompd_rel_thread_handle(found);
	/* The thread is in no team: the region has ended. */
	self_target_patch_copy(0, record_of(0), gomp()->thread_span, copy);
	memset(copy + l->th_ts, 0, l->ts_active_level);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(member, &left), ompd_rc_unavailable);
	/* With another pool, the thread is not the known root. */
	memcpy(copy + l->th_pool, &pool, sizeof(pool));
	ck_assert_int_eq(ompd_get_curr_parallel_handle(member, &left), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_in_parallel(left, 0, &found), ompd_rc_unavailable);
	ompd_rel_parallel_handle(left);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(root);
	ompd_rel_thread_handle(member);
}

START_TEST(test_root_that_its_pool_does_not_name)
{
	oracle_run(program_alone, 2, 0, observe_root);
}
END_TEST

/*
 * A region has ended when its primary thread has continued after it, whatever its other threads and
 * its memory show.
 */
static void observe_team_left(void)
{
	const struct gomp_layout *l = &gomp()->layout;
	ompd_addr_t team = word_at(record_of(2) + l->th_ts), primary = record_of(1);
	uint8_t copy[GOMP_MAX_SPAN];
	ompd_thread_handle_t *handle = oracle_thread(oracle_view(2));
	ompd_parallel_handle_t *region = NULL, *left = NULL;
	ompd_word_t state = -1, size = -1;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(handle, &region), ompd_rc_ok);
	ck_assert_int_ne(ompd_get_state(handle, &state, NULL), ompd_rc_ok);
	self_target_patch_copy(0, primary, gomp()->thread_span, copy);
	memcpy(copy + l->th_ts, (const void *)(uintptr_t)(team + l->team_prev_ts), l->th_task - l->th_ts);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(handle, &left), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_state(handle, &state, NULL), ompd_rc_ok);
	ck_assert_int_eq(state, ompt_state_idle);
	ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "team-size-var", &size), ompd_rc_stale_handle);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(handle);
}

START_TEST(test_hostile_team_was_left_by_its_primary_thread)
{
	oracle_run(program, 3, 0, observe_team_left);
}
END_TEST

/* Circular taskgroups end at a limit, without a state. */
static void observe_taskgroup_cycle(void)
{
	ompd_addr_t task = word_at(record_of(2) + gomp()->layout.th_task);
	static uint8_t group[64];
	uint8_t copy[GOMP_MAX_SPAN];
	ompd_addr_t group_address = (ompd_addr_t)(uintptr_t)group;
	ompd_addr_t parent = word_at(task + gomp()->layout.task_parent);
	uint8_t parent_copy[GOMP_MAX_SPAN];
	static uint8_t other[64];
	ompd_addr_t other_address = (ompd_addr_t)(uintptr_t)other;
	ompd_thread_handle_t *handle = oracle_thread(oracle_view(2));
	ompd_word_t state = -1;

	group[gomp()->layout.tg_waiting] = 1;
	memcpy(other + gomp()->layout.tg_prev, &other_address, sizeof(other_address));
	self_target_patch_copy(0, task, gomp()->task_span, copy);
	memcpy(copy + gomp()->layout.task_taskgroup, &group_address, sizeof(group_address));
	self_target_patch_copy(1, parent, gomp()->task_span, parent_copy);
	memcpy(parent_copy + gomp()->layout.task_taskgroup, &other_address, sizeof(other_address));
	ck_assert_int_eq(ompd_get_state(handle, &state, NULL), ompd_rc_unavailable);
	ck_assert_uint_lt(self_target.reads, 2000);
	ompd_rel_thread_handle(handle);
}

START_TEST(test_hostile_taskgroups_in_a_circle)
{
	oracle_run(program, 3, 0, observe_taskgroup_cycle);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tcase = tcase_create("target");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_hostile_reads_fail_at_any_point);
	tcase_add_test(tcase, test_hostile_allocations_fail_at_any_point);
	tcase_add_test(tcase, test_hostile_structures_with_any_word);
	tcase_add_test(tcase, test_hostile_team_that_encloses_itself);
	tcase_add_test(tcase, test_hostile_team_memory_was_reused);
	tcase_add_test(tcase, test_hostile_team_was_left_by_its_primary_thread);
	tcase_add_test(tcase, test_root_that_its_pool_does_not_name);
	tcase_add_test(tcase, test_hostile_taskgroups_in_a_circle);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
