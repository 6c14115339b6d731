/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the three tables of lines, and of texts. */
#include "openmp/python/python_lines.h"

#include <check.h>
#include <stdlib.h>

#include "check_main.h"
#include "openmp/python/python_layout.h"
#include "openmp/python/python_text.h"

#define FIND(minor, table, offset) python_lines_find(PYTHON_VERSION(minor), table, sizeof(table), 10, offset)

START_TEST(test_increments)
{
	static const unsigned char table[] = {0, 1, 6, 2, 8, 0xff};

	ck_assert_int_eq(FIND(9, table, 0), 11);
	ck_assert_int_eq(FIND(9, table, 5), 11);
	ck_assert_int_eq(FIND(9, table, 6), 13);
	ck_assert_int_eq(FIND(9, table, 14), 12);
	ck_assert_int_eq(python_lines_find(PYTHON_VERSION(9), table, 0, 10, 4), 10);
}
END_TEST

START_TEST(test_ranges)
{
	static const unsigned char table[] = {4, 1, 2, 0x80, 4, 3};

	ck_assert_int_eq(FIND(10, table, 3), 11);
	ck_assert_int_eq(FIND(10, table, 4), 0);
	ck_assert_int_eq(FIND(10, table, 6), 14);
	ck_assert_int_eq(FIND(10, table, 10), 0);
}
END_TEST

START_TEST(test_entries)
{
	/* Short form; one line down; no location; long form back by 40 lines. */
	static const unsigned char table[] = {
		0x80, 0x11, 0x80 | 11 << 3 | 1, 1,   2, 0x80 | 15 << 3, 0x80 | 14 << 3, 0x40 | 0x11, 1, 0,
		1,    1,    0x80 | 13 << 3,	0x40};

	ck_assert_int_eq(FIND(11, table, 0), 10);
	ck_assert_int_eq(FIND(11, table, 2), 11);
	ck_assert_int_eq(FIND(11, table, 5), 11);
	ck_assert_int_eq(FIND(12, table, 6), 0);
	ck_assert_int_eq(python_lines_find(PYTHON_VERSION(13), table, sizeof(table), 100, 8), 61);
	ck_assert_int_eq(FIND(13, table, 8), 0);  /* below line 1 */
	ck_assert_int_eq(FIND(13, table, 10), 0); /* cut number */
	ck_assert_int_eq(FIND(13, table, 100), 0);
}
END_TEST

START_TEST(test_texts)
{
	static const unsigned char one[] = {'a', 0xe9, 7}, two[] = {0x2d, 0x4e, 0, 0xd8},
				   four[] = {0x0d, 0xf4, 1, 0, 0, 0, 0x11, 0};
	char *text = python_text_decode(one, 3, 1);

	ck_assert_str_eq(text, "aé?");
	free(text);
	text = python_text_decode(two, 2, 2);
	ck_assert_str_eq(text, "中?");
	free(text);
	text = python_text_decode(four, 2, 4);
	ck_assert_str_eq(text, "🐍?");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_python_lines");
	TCase *tc = tcase_create("python_lines");

	tcase_add_test(tc, test_increments);
	tcase_add_test(tc, test_ranges);
	tcase_add_test(tc, test_entries);
	tcase_add_test(tc, test_texts);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
