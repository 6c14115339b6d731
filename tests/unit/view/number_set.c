/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/view/number_set.c. */
#include "view/number_set.h"

#include "check_main.h"
#include "view/phrase.h"

static void assert_set(struct number_set *set, const char *expected)
{
	struct buf text = {0};

	number_set_format(set, &text);
	ck_assert_str_eq(phrase_text(&text), expected);
	buf_deinit(&text);
}

static void assert_numbers(const int64_t *numbers, size_t n, const char *expected)
{
	struct number_set set = {0};

	for (size_t i = 0; i < n; i++)
		number_set_add(&set, numbers[i]);
	assert_set(&set, expected);
	number_set_deinit(&set);
}

START_TEST(test_number_set_empty_set_is_empty_text)
{
	assert_numbers(NULL, 0, "");
}
END_TEST

START_TEST(test_number_set_neighbours_become_a_range_in_any_order)
{
	assert_numbers((int64_t[]){3, 1, 2, 7, 9, 8, 5}, 7, "1-3,5,7-9");
}
END_TEST

START_TEST(test_number_set_duplicates_count_once)
{
	assert_numbers((int64_t[]){4, 4, 5, 4}, 4, "4-5");
}
END_TEST

START_TEST(test_number_set_300_threads_are_one_range)
{
	struct number_set set = {0};

	for (int64_t i = 299; i >= 1; i--)
		number_set_add(&set, i);
	assert_set(&set, "1-299");
	number_set_deinit(&set);
}
END_TEST

START_TEST(test_number_set_limits_of_int64_do_not_overflow)
{
	assert_numbers((int64_t[]){INT64_MAX, INT64_MIN, INT64_MAX - 1}, 3,
		       "-9223372036854775808,9223372036854775806-9223372036854775807");
}
END_TEST

START_TEST(test_number_set_all_of_another_set_are_added)
{
	struct number_set a = {0}, b = {0};

	number_set_add(&a, 1);
	number_set_add(&b, 2);
	number_set_add(&b, 3);
	assert_set(&a, "1");
	number_set_add_all(&a, &b);
	assert_set(&a, "1-3");
	ck_assert_uint_eq(number_set_count(&a), 3);
	number_set_deinit(&a);
	number_set_deinit(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("number_set");
	TCase *format = tcase_create("number_set_format");

	tcase_add_test(format, test_number_set_empty_set_is_empty_text);
	tcase_add_test(format, test_number_set_neighbours_become_a_range_in_any_order);
	tcase_add_test(format, test_number_set_duplicates_count_once);
	tcase_add_test(format, test_number_set_300_threads_are_one_range);
	tcase_add_test(format, test_number_set_limits_of_int64_do_not_overflow);
	tcase_add_test(format, test_number_set_all_of_another_set_are_added);
	suite_add_tcase(suite, format);
	return check_main(suite);
}
