/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/ranges.c. */
#include "ranges.h"

#include "check_main.h"

static void assert_ranges(const int64_t *numbers, size_t n, size_t max_width, const char *expected)
{
	struct ranges r = {0};

	for (size_t i = 0; i < n; i++)
		ranges_add(&r, numbers[i]);
	char *text = ranges_format(&r, max_width);
	ck_assert_str_eq(text, expected);
	free(text);
	ranges_deinit(&r);
}

START_TEST(test_ranges_empty_set_is_empty_text)
{
	assert_ranges(NULL, 0, 0, "");
}
END_TEST

START_TEST(test_ranges_neighbours_become_a_range_in_any_order)
{
	assert_ranges((int64_t[]){3, 1, 2, 7, 9, 8, 5}, 7, 0, "1-3,5,7-9");
}
END_TEST

START_TEST(test_ranges_duplicates_count_once)
{
	assert_ranges((int64_t[]){4, 4, 5, 4}, 4, 0, "4-5");
}
END_TEST

START_TEST(test_ranges_300_threads_are_one_range)
{
	struct ranges r = {0};

	for (int64_t i = 299; i >= 1; i--)
		ranges_add(&r, i);
	char *text = ranges_format(&r, 0);
	ck_assert_str_eq(text, "1-299");
	free(text);
	ranges_deinit(&r);
}
END_TEST

START_TEST(test_ranges_limits_of_int64_do_not_overflow)
{
	assert_ranges((int64_t[]){INT64_MAX, INT64_MIN, INT64_MAX - 1}, 3, 0,
		      "-9223372036854775808,9223372036854775806-9223372036854775807");
}
END_TEST

START_TEST(test_ranges_too_long_a_list_is_cut_between_pieces)
{
	assert_ranges((int64_t[]){1, 3, 5, 7, 9, 11}, 6, 8, "1,3,5,..");
	assert_ranges((int64_t[]){1, 3, 5}, 3, 5, "1,3,5");
	assert_ranges((int64_t[]){1000000, 2000000}, 2, 3, "1000000,..");
}
END_TEST

START_TEST(test_ranges_all_of_another_set_are_added)
{
	struct ranges a = {0}, b = {0};

	ranges_add(&a, 1);
	ranges_add(&b, 2);
	ranges_add(&b, 3);
	free(ranges_format(&a, 0));
	ranges_add_all(&a, &b);
	char *text = ranges_format(&a, 0);
	ck_assert_str_eq(text, "1-3");
	free(text);
	ranges_deinit(&a);
	ranges_deinit(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranges");
	TCase *format = tcase_create("ranges_format");

	tcase_add_test(format, test_ranges_empty_set_is_empty_text);
	tcase_add_test(format, test_ranges_neighbours_become_a_range_in_any_order);
	tcase_add_test(format, test_ranges_duplicates_count_once);
	tcase_add_test(format, test_ranges_300_threads_are_one_range);
	tcase_add_test(format, test_ranges_limits_of_int64_do_not_overflow);
	tcase_add_test(format, test_ranges_too_long_a_list_is_cut_between_pieces);
	tcase_add_test(format, test_ranges_all_of_another_set_are_added);
	suite_add_tcase(suite, format);
	return check_main(suite);
}
