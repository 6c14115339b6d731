/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/timeline: a cell for each change of state, and only the last cells. */
#include "check_main.h"

#include "openmp/sampling/timeline.h"

START_TEST(test_only_changes_are_cells)
{
	struct timeline t = {0};

	ck_assert(timeline_add(&t, 0, PROFILE_WORK, 1));
	ck_assert(timeline_add(&t, 10, PROFILE_WORK, 1));
	ck_assert(timeline_add(&t, 20, PROFILE_WORK, 2));
	ck_assert(timeline_add(&t, 30, PROFILE_IDLE, 2));
	ck_assert_uint_eq(t.n, 3);
	ck_assert_uint_eq(timeline_at(&t, 1)->t_us, 20);
	ck_assert_uint_eq(timeline_at(&t, 1)->region, 2);
	ck_assert_uint_eq(timeline_at(&t, 2)->state, PROFILE_IDLE);
	timeline_deinit(&t);
}
END_TEST

START_TEST(test_the_last_cells_are_kept)
{
	struct timeline t = {0};
	const uint64_t n = TIMELINE_CELLS * 2 + 7;

	ck_assert_uint_eq(timeline_first(&t), 0);
	for (uint64_t i = 0; i < n; i++)
		ck_assert(timeline_add(&t, i, i & 1 ? PROFILE_WORK : PROFILE_IDLE, 0));
	ck_assert_uint_eq(timeline_first(&t), n - TIMELINE_CELLS);
	for (uint64_t i = timeline_first(&t); i < n; i++)
		ck_assert_uint_eq(timeline_at(&t, i)->t_us, i);
	timeline_deinit(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/timeline");
	TCase *tc = tcase_create("timeline");

	tcase_add_test(tc, test_only_changes_are_cells);
	tcase_add_test(tc, test_the_last_cells_are_kept);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
