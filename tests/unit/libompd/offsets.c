/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offsets from several derivations: their differences and their union. */
#include "offsets.h"

#include <check.h>

#include "check_main.h"

#define U OFFSET_UNKNOWN

static const char *const names[] = {"a", "b", "c", "d"};

START_TEST(test_witnesses_that_agree)
{
	uint32_t one[] = {0, 8, U, U}, other[] = {0, U, 16, U};
	unsigned agreed;

	ck_assert_ptr_null(offsets_differ(one, other, names, 4, &agreed));
	ck_assert_uint_eq(agreed, 1);
	offsets_merge(one, other, 4);
	ck_assert_uint_eq(one[0], 0);
	ck_assert_uint_eq(one[1], 8);
	ck_assert_uint_eq(one[2], 16);
	ck_assert(!offset_known(one[3]));
}
END_TEST

START_TEST(test_the_first_that_differs_is_named)
{
	const uint32_t one[] = {0, 8, 16, 24}, other[] = {0, U, 17, 25};
	unsigned agreed;

	ck_assert_str_eq(offsets_differ(one, other, names, 4, &agreed), "c");
	ck_assert_uint_eq(agreed, 1);
}
END_TEST

START_TEST(test_nothing_is_known_of_what_is_cleared)
{
	uint32_t one[] = {0, 8, 16, 24};
	const uint32_t other[] = {0, 8, 16, 25};
	unsigned agreed;

	offsets_clear(one, 4);
	ck_assert_ptr_null(offsets_differ(one, other, names, 4, &agreed));
	ck_assert_uint_eq(agreed, 0);
	offsets_merge(one, other, 4);
	ck_assert_mem_eq(one, other, sizeof(one));
}
END_TEST

START_TEST(test_rows_by_version)
{
	static const uint32_t offsets[] = {1};
	const struct offsets_row rows[] = {{12, "f12", offsets}, {9, "f9", NULL}};

	ck_assert_ptr_eq(offsets_of(12, rows, 2), &rows[0]);
	ck_assert_ptr_eq(offsets_of(9, rows, 2), &rows[1]);
	ck_assert_ptr_null(offsets_of(10, rows, 2));
}
END_TEST

START_TEST(test_a_span_covers_what_is_known)
{
	uint32_t span = 0;

	offsets_span(&span, 16, 8);
	ck_assert_uint_eq(span, 24);
	offsets_span(&span, 8, 4);
	ck_assert_uint_eq(span, 24);
	offsets_span(&span, U, 8);
	ck_assert_uint_eq(span, 24);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("offsets");
	TCase *tcase = tcase_create("offsets");

	tcase_add_test(tcase, test_witnesses_that_agree);
	tcase_add_test(tcase, test_the_first_that_differs_is_named);
	tcase_add_test(tcase, test_nothing_is_known_of_what_is_cleared);
	tcase_add_test(tcase, test_rows_by_version);
	tcase_add_test(tcase, test_a_span_covers_what_is_known);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
