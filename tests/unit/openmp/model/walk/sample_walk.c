/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/walk/sample_walk: the known state of a thread that slept on is reused, and no other state is.
 */
#include "check_main.h"

#include <omp-tools.h>
#include <stdlib.h>

#include "openmp/model/walk/sample_walk.h"

#define REGION	 7 /* the number of its handle */
#define FUNCTION 0x1234

static struct snapshot s;
static struct snapshot_thread threads[2];
static struct snapshot_parallel parallels[2];

static struct snapshot_word word(int rc, int64_t value)
{
	return (struct snapshot_word){.rc = rc, .value = value};
}

static struct sample_walk_known waiting(bool is_explicit)
{
	return (struct sample_walk_known){
		.is_valid = true,
		.has_all = true,
		.parallel_rc = ompd_rc_ok,
		.parallel = REGION,
		.thread_num = word(ompd_rc_ok, 3),
		.state = word(ompd_rc_ok, ompt_state_wait_critical),
		.wait_id = word(ompd_rc_ok, 0x40),
		.is_explicit = is_explicit,
		.function = word(ompd_rc_ok, FUNCTION),
	};
}

static void set_up(void)
{
	threads[0] = threads[1] = (struct snapshot_thread){.tid = 1};
	parallels[0] = (struct snapshot_parallel){.number = REGION + 1};
	parallels[1] = (struct snapshot_parallel){.number = REGION};
	s = (struct snapshot){.threads = threads, .n_threads = 2, .parallels = parallels, .n_parallels = 2};
}

static void tear_down(void)
{
	free(s.tasks);
}

START_TEST(test_all_that_is_known_is_filled_in)
{
	struct sample_walk_known known = waiting(false);
	struct error *err = NULL;

	ck_assert(sample_walk_repeat(&known, &s, &threads[1], &err));
	ck_assert_no_err(err);
	ck_assert(threads[1].openmp);
	ck_assert_int_eq(threads[1].state.value, ompt_state_wait_critical);
	ck_assert_int_eq(threads[1].wait_id.value, 0x40);
	ck_assert_int_eq(threads[1].thread_num.value, 3);
	/* The index is that of this snapshot, not of the snapshot in which the region was first seen. */
	ck_assert_uint_eq(threads[1].parallel.index, 1);
	ck_assert_int_ne(threads[1].task.rc, ompd_rc_ok);
	ck_assert_uint_eq(s.n_tasks, 0);
}
END_TEST

START_TEST(test_its_explicit_task_is_one_of_this_snapshot)
{
	struct sample_walk_known known = waiting(true);
	struct error *err = NULL;

	for (uint32_t i = 0; i < 2; i++) {
		ck_assert(sample_walk_repeat(&known, &s, &threads[i], &err));
		ck_assert_no_err(err);
		ck_assert_int_eq(threads[i].task.rc, ompd_rc_ok);
		ck_assert_uint_eq(threads[i].task.index, i);
		ck_assert_int_eq(s.tasks[i].function.value, FUNCTION);
		ck_assert_uint_eq(s.tasks[i].thread, i);
	}
}
END_TEST

START_TEST(test_a_region_that_was_not_met_is_asked_for)
{
	struct sample_walk_known known = waiting(false);
	struct error *err = NULL;

	known.parallel = REGION + 2;
	ck_assert(!sample_walk_repeat(&known, &s, &threads[0], &err));
	ck_assert(!threads[0].openmp);
	/* A thread outside all regions needs no known region. */
	known.parallel_rc = ompd_rc_unavailable;
	ck_assert(sample_walk_repeat(&known, &s, &threads[0], &err));
	ck_assert_int_eq(threads[0].parallel.rc, ompd_rc_unavailable);
}
END_TEST

START_TEST(test_the_same_is_the_same_known_state)
{
	struct sample_walk_known known = waiting(false);

	threads[0].state = word(ompd_rc_ok, ompt_state_wait_critical);
	ck_assert(sample_walk_is_same(&known, &threads[0]));
	threads[0].state.value = ompt_state_wait_barrier_explicit;
	ck_assert(!sample_walk_is_same(&known, &threads[0]));
	threads[0].state = word(ompd_rc_unavailable, ompt_state_wait_critical);
	ck_assert(!sample_walk_is_same(&known, &threads[0]));
	/* A thread on its way between two regions may be in either. */
	threads[0].state = known.state = word(ompd_rc_ok, ompt_state_overhead);
	ck_assert(!sample_walk_is_same(&known, &threads[0]));
	threads[0].state = known.state = word(ompd_rc_ok, ompt_state_idle);
	ck_assert(sample_walk_is_same(&known, &threads[0]));
	known.has_all = false;
	ck_assert(!sample_walk_is_same(&known, &threads[0]));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/walk/sample_walk");
	TCase *tc = tcase_create("sample_walk");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_all_that_is_known_is_filled_in);
	tcase_add_test(tc, test_its_explicit_task_is_one_of_this_snapshot);
	tcase_add_test(tc, test_a_region_that_was_not_met_is_asked_for);
	tcase_add_test(tc, test_the_same_is_the_same_known_state);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
