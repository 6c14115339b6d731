/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of openmp/model/walk/ended_regions: ended regions are removed with all they own. All others keep their place in
 * the chains.
 */
#include "check_main.h"

#include <string.h>

#include <omp-tools.h>

#include "openmp/model/snapshot.h"
#include "openmp/model/walk/ended_regions.h"

static struct snapshot s;
static struct snapshot_thread threads[4];
static struct snapshot_parallel parallels[4];
static struct snapshot_task tasks[6];

static struct snapshot_ref ref(uint32_t index)
{
	return (struct snapshot_ref){.index = index, .number = index + 1};
}

static const struct snapshot_ref none = {.rc = ompd_rc_unavailable, .index = SNAPSHOT_NONE};

static void add_thread(uint32_t parallel, int64_t num, uint32_t task)
{
	s.threads[s.n_threads++] = (struct snapshot_thread){
		.openmp = true, .parallel = ref(parallel), .thread_num = {.value = num}, .task = ref(task)};
}

static void add_parallel(struct snapshot_ref enclosing)
{
	s.parallels[s.n_parallels] =
		(struct snapshot_parallel){.number = (uint32_t)s.n_parallels + 1, .enclosing = enclosing};
	s.n_parallels++;
}

static void add_task(uint32_t parallel, struct snapshot_ref generating)
{
	s.tasks[s.n_tasks] = (struct snapshot_task){.number = (uint32_t)s.n_tasks + 1,
						    .parallel = ref(parallel),
						    .generating = generating,
						    .scheduling = none};
	s.n_tasks++;
}

/*
 * Region 1 has ended: its threads 1 and 2 wait for the next. Thread 0 is in the enclosing region 0. Region 2 belongs to
 * thread 3.
 */
static void setup(void)
{
	memset(&s, 0, sizeof(s));
	s.threads = threads;
	s.parallels = parallels;
	s.tasks = tasks;
	add_parallel(none);
	add_parallel(ref(0));
	add_parallel(none);
	add_task(0, none);
	add_task(1, ref(0));
	add_task(1, ref(0));
	add_task(2, none);
	add_thread(0, 0, 0);
	add_thread(1, 1, 1);
	add_thread(1, 2, 2);
	add_thread(2, 0, 3);
}

START_TEST(test_region_without_its_primary_thread_goes)
{
	ck_assert_ptr_null(ended_regions_drop(&s));
	ck_assert_uint_eq(s.n_parallels, 2);
	ck_assert_uint_eq(parallels[1].number, 3);
	ck_assert_uint_eq(s.n_tasks, 2);
	ck_assert_uint_eq(tasks[1].number, 4);
	ck_assert_uint_eq(tasks[1].parallel.index, 1);
	for (int i = 1; i <= 2; i++) {
		ck_assert_uint_eq(threads[i].parallel.index, SNAPSHOT_NONE);
		ck_assert_int_eq(threads[i].parallel.rc, ompd_rc_unavailable);
		ck_assert_uint_eq(threads[i].task.index, SNAPSHOT_NONE);
		ck_assert_int_eq(threads[i].thread_num.rc, ompd_rc_unavailable);
	}
	ck_assert_uint_eq(threads[3].parallel.index, 1);
	ck_assert_uint_eq(threads[3].task.index, 1);
	ck_assert_uint_eq(threads[0].task.index, 0);
}
END_TEST

START_TEST(test_region_whose_primary_thread_is_deeper_stays)
{
	/* Thread 0 has moved on from region 1 into a region of its own. */
	add_parallel(ref(1));
	threads[0].parallel = ref(3);
	ck_assert_ptr_null(ended_regions_drop(&s));
	ck_assert_uint_eq(s.n_parallels, 4);
	ck_assert_uint_eq(s.n_tasks, 4);
	ck_assert_uint_eq(threads[1].parallel.index, 1);
}
END_TEST

START_TEST(test_nothing_is_concluded_from_unknown_numbers)
{
	threads[2].thread_num.rc = ompd_rc_unsupported;
	ck_assert_ptr_null(ended_regions_drop(&s));
	ck_assert_uint_eq(s.n_parallels, 3);
}
END_TEST

START_TEST(test_chain_through_a_region_that_goes)
{
	/* An explicit task of region 1 generated a task that thread 0 now runs outside region 1. */
	add_task(0, ref(1));
	threads[0].task = ref(4);
	ck_assert_ptr_null(ended_regions_drop(&s));
	ck_assert_uint_eq(threads[0].task.index, 2);
	ck_assert_int_eq(tasks[2].generating.rc, ompd_rc_unavailable);
	ck_assert_uint_eq(tasks[2].generating.index, SNAPSHOT_NONE);
}
END_TEST

START_TEST(test_without_tasks)
{
	s.n_tasks = 0;
	for (int i = 0; i < 4; i++)
		threads[i].task = none;
	ck_assert_ptr_null(ended_regions_drop(&s));
	ck_assert_uint_eq(s.n_parallels, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ended");
	TCase *t = tcase_create("ended_regions_drop");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, test_region_without_its_primary_thread_goes);
	tcase_add_test(t, test_region_whose_primary_thread_is_deeper_stays);
	tcase_add_test(t, test_nothing_is_concluded_from_unknown_numbers);
	tcase_add_test(t, test_chain_through_a_region_that_goes);
	tcase_add_test(t, test_without_tasks);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
