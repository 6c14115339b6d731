/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offsets from several derivations: their differences and their union. */
#include "offsets.h"

#include <check.h>

#include "check_main.h"

#define U OFFSET_UNKNOWN

static const char *const names[] = {"a", "b", "c", "d"};
static const struct offsets_table table = {.names = names, .n = 4};

START_TEST(test_witnesses_that_agree)
{
	uint32_t one[] = {0, 8, U, U}, other[] = {0, U, 16, U};
	unsigned agreed;

	ck_assert_ptr_null(offsets_differ(&table, one, other, &agreed));
	ck_assert_uint_eq(agreed, 1);
	offsets_merge(&table, one, other);
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

	ck_assert_str_eq(offsets_differ(&table, one, other, &agreed), "c");
	ck_assert_uint_eq(agreed, 1);
}
END_TEST

START_TEST(test_nothing_is_known_of_what_is_cleared)
{
	uint32_t one[] = {0, 8, 16, 24};
	const uint32_t other[] = {0, 8, 16, 25};
	unsigned agreed;

	offsets_clear(&table, one);
	ck_assert_ptr_null(offsets_differ(&table, one, other, &agreed));
	ck_assert_uint_eq(agreed, 0);
	offsets_merge(&table, one, other);
	ck_assert_mem_eq(one, other, sizeof(one));
}
END_TEST

START_TEST(test_rows_by_version)
{
	static const uint32_t newer[] = {1}, older[] = {2};
	const struct offsets_row rows[] = {{12, "f12", newer}, {9, "f9", older}};
	const struct offsets_table releases = {.rows = rows, .n_rows = 2};

	ck_assert_ptr_eq(offsets_of(12, &releases), newer);
	ck_assert_ptr_eq(offsets_of(9, &releases), older);
	ck_assert_ptr_null(offsets_of(10, &releases));
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

START_TEST(test_members_are_copied_if_their_offset_is_known)
{
	const uint32_t layout[] = {4, U, 0};
	static const struct offsets_member members[] = {{0, 0, 4}, {4, 4, 4}, {8, 8, 2}};
	uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint32_t copy[] = {9, 9, 9};

	ck_assert_uint_eq(offsets_measure(layout, members, 3), 8);
	offsets_copy(layout, members, 3, bytes, copy);
	ck_assert_uint_eq(copy[0], 0x08070605);
	ck_assert_uint_eq(copy[1], 9);
	ck_assert_uint_eq(copy[2], 0x0201);
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
	tcase_add_test(tcase, test_members_are_copied_if_their_offset_is_known);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
