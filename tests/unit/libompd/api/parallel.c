/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and regions of the system's libgomp in libompd, against omp_get_*. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "libompd_oracle.h"
#include "self_target.h"

static void program_flat(void)
{
#pragma omp parallel num_threads(4)
	oracle_park(omp_get_thread_num());
}

START_TEST(test_teams_flat_region_agrees)
{
	oracle_run(program_flat, 4, 0, oracle_check_all);
}
END_TEST

static void program_nested(void)
{
	oracle_allow_nesting(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
	oracle_park(10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
}

/* Each thread of a nested region is found from each other thread, and their regions compare equal. */
static void observe_nested(void)
{
	oracle_check_all();
	for (int group = 0; group < 2; group++) {
		for (int i = 0; i < 3; i++) {
			ompd_thread_handle_t *thread = oracle_thread(oracle_view(10 * group + i));
			ompd_parallel_handle_t *region, *outer, *other_region, *other_outer;
			int cmp = -1;

			ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
			ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
			for (int j = 0; j < 3; j++) {
				const struct oracle_view *v = oracle_view(10 * group + j);
				ompd_thread_handle_t *member;
				uint64_t id = 0;

				ck_assert_int_eq(ompd_get_thread_in_parallel(region, j, &member), ompd_rc_ok);
				ck_assert_int_eq(ompd_get_thread_id(member, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id),
						 ompd_rc_ok);
				ck_assert_uint_eq(id, (uint64_t)v->thread);
				ck_assert_int_eq(ompd_get_curr_parallel_handle(member, &other_region), ompd_rc_ok);
				ck_assert_int_eq(ompd_parallel_handle_compare(region, other_region, &cmp), ompd_rc_ok);
				ck_assert_int_eq(cmp, 0);
				ompd_rel_parallel_handle(other_region);
				ompd_rel_thread_handle(member);
			}
			ompd_thread_handle_t *stranger = oracle_thread(oracle_view(10 * !group));

			ck_assert_int_eq(ompd_get_curr_parallel_handle(stranger, &other_region), ompd_rc_ok);
			ck_assert_int_eq(ompd_parallel_handle_compare(region, other_region, &cmp), ompd_rc_ok);
			ck_assert_int_ne(cmp, 0);
			ck_assert_int_eq(ompd_get_enclosing_parallel_handle(other_region, &other_outer), ompd_rc_ok);
			ck_assert_int_eq(ompd_parallel_handle_compare(outer, other_outer, &cmp), ompd_rc_ok);
			ck_assert_int_eq(cmp, 0);
			ompd_rel_parallel_handle(other_outer);
			ompd_rel_parallel_handle(other_region);
			ompd_rel_thread_handle(stranger);
			ompd_rel_parallel_handle(outer);
			ompd_rel_parallel_handle(region);
			ompd_rel_thread_handle(thread);
		}
	}
}

START_TEST(test_teams_nested_regions_agree)
{
	oracle_run(program_nested, 6, 0, observe_nested);
}
END_TEST

static void program_serialized(void)
{
	oracle_allow_nesting(8);
#pragma omp parallel num_threads(1)
#pragma omp parallel if (0)
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(1)
	oracle_park(omp_get_ancestor_thread_num(3));
}

START_TEST(test_teams_serialized_nests_agree)
{
	oracle_run(program_serialized, 3, 0, oracle_check_all);
}
END_TEST

static void program_only_serialized(void)
{
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(1)
	oracle_park(0);
}

START_TEST(test_teams_without_any_worker_agree)
{
	oracle_run(program_only_serialized, 1, 0, oracle_check_all);
}
END_TEST

/* If the first level is serialized, the threads of the nested region are started outside the pool. */
static void program_serial_then_active(void)
{
	oracle_allow_nesting(4);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

/* No pool lists the root: it is known after a request for the thread itself. */
static void observe_serial_then_active(void)
{
	ompd_thread_handle_t *worker = oracle_thread(oracle_view(1)), *found;
	ompd_parallel_handle_t *region, *outer, *of_root;
	ompd_word_t level = -1;
	int cmp = -1;

	oracle_check_view(oracle_view(0));
	ck_assert_int_eq(ompd_get_curr_parallel_handle(worker, &region), ompd_rc_ok);
	ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "levels-var", &level), ompd_rc_ok);
	ck_assert_int_eq(level, 2);
	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 1, &found), ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(worker, found, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ompd_rel_thread_handle(found);
	found = NULL;
	ompd_thread_handle_t *root = oracle_thread(oracle_view(0));

	ck_assert_int_eq(ompd_get_thread_in_parallel(region, 0, &found), ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(root, found, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ompd_rel_thread_handle(found);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(root, &of_root), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_thread_in_parallel(of_root, 0, &found), ompd_rc_ok);
	ck_assert_int_eq(ompd_thread_handle_compare(root, found, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ompd_rel_thread_handle(found);
	/* Both paths lead to the same implicit region. */
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
		ompd_rel_parallel_handle(region);
		region = outer;
		ck_assert_int_eq(ompd_get_enclosing_parallel_handle(of_root, &outer), ompd_rc_ok);
		ompd_rel_parallel_handle(of_root);
		of_root = outer;
		ck_assert_int_eq(ompd_parallel_handle_compare(region, of_root, &cmp), ompd_rc_ok);
		ck_assert_int_eq(cmp, 0);
	}
	ompd_rel_parallel_handle(region);
	ompd_rel_parallel_handle(of_root);
	ompd_rel_thread_handle(root);
	ompd_rel_thread_handle(worker);
}

START_TEST(test_teams_root_outside_the_pool)
{
	oracle_run(program_serial_then_active, 2, 0, observe_serial_then_active);
}
END_TEST

static void nest(int depth)
{
	if (!depth) {
		oracle_park(omp_get_thread_num());
		return;
	}
#pragma omp parallel num_threads(depth == 1 ? 2 : 1 + (depth & 1))
	if (depth == 1 || omp_get_thread_num() == omp_get_num_threads() - 1)
		nest(depth - 1);
}

static void program_deep(void)
{
	oracle_allow_nesting(20);
	nest(10);
}

START_TEST(test_teams_deep_nest_agrees)
{
	oracle_run(program_deep, 2, 0, oracle_check_all);
}
END_TEST

static void program_many(void)
{
#pragma omp parallel num_threads(100)
	oracle_park(omp_get_thread_num());
}

START_TEST(test_teams_hundred_threads_agree)
{
	oracle_run(program_many, 100, 0, oracle_check_all);
}
END_TEST

/* After the region, its threads are in the dock with a stale team pointer. */
static void program_idle(void)
{
#pragma omp parallel num_threads(3)
	oracle_record(1 + omp_get_thread_num());
	oracle_park(0);
}

static void observe_idle(void)
{
	for (int tag = 2; tag <= 3; tag++)
		oracle_wait_asleep(tag);
	oracle_check_view(oracle_view(0));
	for (int tag = 2; tag <= 3; tag++) {
		ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
		ompd_parallel_handle_t *region = NULL;
		ompd_task_handle_t *task = NULL;
		ompd_word_t state = -1, number = -1;
		ompd_wait_id_t wait = 1;

		ck_assert_int_eq(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
		ck_assert_int_eq(state, ompt_state_idle);
		ck_assert_uint_eq(wait, 0);
		ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_unavailable);
		ck_assert_ptr_null(region);
		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_unavailable);
		ck_assert_ptr_null(task);
		ck_assert_int_eq(oracle_icv(thread, ompd_scope_thread, "thread-num-var", &number), ompd_rc_unavailable);
		ck_assert_int_eq(number, -1);
		ompd_rel_thread_handle(thread);
	}
	ompd_thread_handle_t *root = oracle_thread(oracle_view(0));
	ompd_word_t state = -1;

	/* libgomp shows that the thread is in no region, but not whether it waits for a lock. */
	ck_assert_int_eq(ompd_get_state(root, &state, NULL),
			 oracle_runtime_is_ours() ? ompd_rc_ok : ompd_rc_unavailable);
	ck_assert_int_eq(state, oracle_runtime_is_ours() ? (int)ompt_state_work_serial : -1);
	ompd_rel_thread_handle(root);
}

START_TEST(test_teams_docked_threads_are_idle)
{
	oracle_run(program_idle, 1, 0, observe_idle);
}
END_TEST

/* The same threads in the dock, while their root is in a serialized region with another team. */
static void program_idle_below(void)
{
#pragma omp parallel num_threads(3)
	oracle_record(1 + omp_get_thread_num());
#pragma omp parallel num_threads(1)
	oracle_park(0);
}

static void observe_idle_below(void)
{
	oracle_check_view(oracle_view(0));
	for (int tag = 2; tag <= 3; tag++) {
		ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
		ompd_word_t state = -1;

		oracle_wait_asleep(tag);
		ck_assert_int_eq(ompd_get_state(thread, &state, NULL), ompd_rc_ok);
		ck_assert_int_eq(state, ompt_state_idle);
		ompd_rel_thread_handle(thread);
	}
}

START_TEST(test_teams_docked_threads_are_idle_during_another_region)
{
	oracle_run(program_idle_below, 1, 0, observe_idle_below);
}
END_TEST

static void *second_root(void *unused)
{
#pragma omp parallel num_threads(2)
	oracle_park(10 + omp_get_thread_num());
	return unused;
}

static void program_two_roots(void)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, second_root, NULL), 0);
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
	pthread_join(thread, NULL);
}

static ompd_parallel_handle_t *outermost(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_parallel_handle_t *region, *outer;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	while (ompd_get_enclosing_parallel_handle(region, &outer) == ompd_rc_ok) {
		ompd_rel_parallel_handle(region);
		region = outer;
	}
	ompd_rel_thread_handle(thread);
	return region;
}

static void observe_two_roots(void)
{
	static const struct {
		int a, b;
		bool same;
	} pairs[] = {{0, 1, true}, {10, 11, true}, {0, 10, false}, {1, 11, false}};

	oracle_check_all();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		ompd_parallel_handle_t *a = outermost(pairs[i].a), *b = outermost(pairs[i].b);
		int cmp = -1;

		ck_assert_int_eq(ompd_parallel_handle_compare(a, b, &cmp), ompd_rc_ok);
		ck_assert_int_eq(cmp == 0, pairs[i].same);
		ompd_rel_parallel_handle(a);
		ompd_rel_parallel_handle(b);
	}
}

START_TEST(test_teams_each_root_has_its_own_implicit_region)
{
	oracle_run(program_two_roots, 4, 0, observe_two_roots);
}
END_TEST

static pthread_barrier_t plain_barrier;
static pthread_t plain_thread;

static void *plain_main(void *unused)
{
	self_target_register();
	pthread_barrier_wait(&plain_barrier);
	pthread_barrier_wait(&plain_barrier);
	return unused;
}

static void program_plain(void)
{
	pthread_barrier_init(&plain_barrier, NULL, 2);
	ck_assert_int_eq(pthread_create(&plain_thread, NULL, plain_main, NULL), 0);
	pthread_barrier_wait(&plain_barrier);
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
	pthread_barrier_wait(&plain_barrier);
	pthread_join(plain_thread, NULL);
}

static void observe_plain(void)
{
	ompd_thread_handle_t *thread = NULL;
	uint64_t id = (uint64_t)plain_thread;

	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread),
			 ompd_rc_unavailable);
	ck_assert_ptr_null(thread);
	oracle_check_all();
}

START_TEST(test_teams_plain_pthread_is_unavailable)
{
	oracle_run(program_plain, 2, 0, observe_plain);
}
END_TEST

/* libgomp is loaded but not used: there is no error, and no thread is an OpenMP thread. */
static void program_unused(void)
{
	self_target_register();
}

static void observe_unused(void)
{
	ompd_thread_handle_t *thread = NULL;
	uint64_t id = (uint64_t)pthread_self();
	ompd_word_t version = 0;
	const char *text;

	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread),
			 ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_omp_version(oracle_process, &version), ompd_rc_ok);
	ck_assert_int_ge(version, 201511);
	ck_assert_int_eq(ompd_get_omp_version_string(oracle_process, &text), ompd_rc_ok);
	ck_assert_ptr_nonnull(strstr(text, oracle_runtime_is_ours()	? "ompdd runtime "
					   : oracle_runtime_is_libomp() ? "libomp of LLVM "
									: "GNU libgomp (GCC "));
	self_target_callbacks()->free_memory((void *)(uintptr_t)text);
}

START_TEST(test_teams_unused_libgomp_is_fine)
{
	oracle_run(program_unused, 0, 0, observe_unused);
}
END_TEST

/* Threads that start and end with the size of the team. */
static void program_resize(void)
{
	volatile int entered = 0;

	for (int n = 5; n > 2; n--) {
#pragma omp parallel num_threads(n)
		entered = n; /* gcc drops an empty region */
	}
	ck_assert_int_eq(entered, 3);
#pragma omp parallel num_threads(4)
	oracle_park(omp_get_thread_num());
}

START_TEST(test_teams_after_resizing_agree)
{
	oracle_run(program_resize, 4, 0, oracle_check_all);
}
END_TEST

/* Each request needs one or two reads: 300 threads cost mostly callbacks. */
static void observe_cost(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(1));
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	ompd_word_t state;
	uint64_t before = self_target.reads, lookups = self_target.symbol_lookups;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_uint_le(self_target.reads - before, 6);
	before = self_target.reads;
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_uint_le(self_target.reads - before, 6);
	before = self_target.reads;
	ompd_get_state(thread, &state, NULL);
	ck_assert_uint_le(self_target.reads - before, 8);
	ck_assert_uint_eq(self_target.symbol_lookups, lookups);
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_teams_questions_cost_few_reads)
{
	oracle_run(program_flat, 4, 0, observe_cost);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("teams");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_teams_flat_region_agrees);
	tcase_add_test(tcase, test_teams_nested_regions_agree);
	tcase_add_test(tcase, test_teams_serialized_nests_agree);
	tcase_add_test(tcase, test_teams_without_any_worker_agree);
	tcase_add_test(tcase, test_teams_root_outside_the_pool);
	tcase_add_test(tcase, test_teams_deep_nest_agrees);
	tcase_add_test(tcase, test_teams_hundred_threads_agree);
	tcase_add_test(tcase, test_teams_docked_threads_are_idle);
	tcase_add_test(tcase, test_teams_docked_threads_are_idle_during_another_region);
	tcase_add_test(tcase, test_teams_each_root_has_its_own_implicit_region);
	tcase_add_test(tcase, test_teams_plain_pthread_is_unavailable);
	tcase_add_test(tcase, test_teams_unused_libgomp_is_fine);
	tcase_add_test(tcase, test_teams_after_resizing_agree);
	tcase_add_test(tcase, test_teams_questions_cost_few_reads);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
