/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/histogram: the class in which a duration is counted. */
#include "check_main.h"

#include "base/histogram.h"

START_TEST(test_a_bound_belongs_to_its_class)
{
	struct histogram h = {0};

	for (int i = 0; i < HISTOGRAM_N_BOUNDS; i++) {
		histogram_add(&h, histogram_bounds_us[i]);
		ck_assert_uint_eq(h.n[i], i == 0 ? 1 : 2);
		histogram_add(&h, histogram_bounds_us[i] + 1);
		ck_assert_uint_eq(h.n[i + 1], 1);
	}
	ck_assert_uint_eq(h.count, 2 * HISTOGRAM_N_BOUNDS);
}
END_TEST

START_TEST(test_sum_and_extremes)
{
	struct histogram h = {0};

	histogram_add(&h, -5);
	histogram_add(&h, 0);
	histogram_add(&h, 70);
	histogram_add(&h, INT64_MAX / 2);
	ck_assert_uint_eq(h.n[0], 3);
	ck_assert_uint_eq(h.n[HISTOGRAM_N_BOUNDS], 1);
	ck_assert_uint_eq(h.count, 4);
	ck_assert_uint_eq(h.sum_us, 70 + INT64_MAX / 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/histogram");
	TCase *tc = tcase_create("histogram");

	tcase_add_test(tc, test_a_bound_belongs_to_its_class);
	tcase_add_test(tc, test_sum_and_extremes);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
