/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/by_tid: finding a thread, or its insertion place, in a sorted array. */
#include "base/by_tid.h"

#include <check.h>

#include "check_main.h"

struct entry {
	char before[3];
	pid_t tid;
	char behind;
};

START_TEST(test_where_it_is_or_belongs)
{
	const struct entry entries[] = {{.tid = 3}, {.tid = 5}, {.tid = 9}};

	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 2), 0);
	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 3), 0);
	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 4), 1);
	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 5), 1);
	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 9), 2);
	ck_assert_uint_eq(BY_TID_PLACE(entries, 3, 10), 3);
}
END_TEST

START_TEST(test_near_finds_the_same)
{
	const struct entry entries[] = {{.tid = 3}, {.tid = 5}, {.tid = 9}};

	for (size_t begin = 0; begin < 6; begin++) {
		for (pid_t tid = 2; tid < 11; tid++) {
			size_t near = begin;

			ck_assert_uint_eq(BY_TID_PLACE_NEAR(entries, 3, tid, &near), BY_TID_PLACE(entries, 3, tid));
			ck_assert_uint_eq(near, BY_TID_PLACE(entries, 3, tid));
		}
	}
}
END_TEST

START_TEST(test_nothing_is_in_an_empty_array)
{
	const struct entry *none = NULL;
	size_t near = 0;

	ck_assert_uint_eq(BY_TID_PLACE(none, 0, 7), 0);
	ck_assert_uint_eq(BY_TID_PLACE_NEAR(none, 0, 7, &near), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/by_tid");
	TCase *tc = tcase_create("by_tid");

	tcase_add_test(tc, test_where_it_is_or_belongs);
	tcase_add_test(tc, test_near_finds_the_same);
	tcase_add_test(tc, test_nothing_is_in_an_empty_array);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
