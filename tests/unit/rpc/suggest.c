/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/suggest: the edit distance, and names that are close enough for a suggestion. */
#include "check_main.h"

#include <string.h>

#include "rpc/suggest.h"

START_TEST(test_suggest_distance)
{
	ck_assert_int_eq(suggest_distance("", ""), 0);
	ck_assert_int_eq(suggest_distance("abc", ""), 3);
	ck_assert_int_eq(suggest_distance("abc", "abc"), 0);
	ck_assert_int_eq(suggest_distance("abc", "abd"), 1);
	ck_assert_int_eq(suggest_distance("abc", "acb"), 1);
	ck_assert_int_eq(suggest_distance("kitten", "sitting"), 3);
}
END_TEST

START_TEST(test_suggest_distance_of_long_names_is_far)
{
	char name[200];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(suggest_distance(name, name), SUGGEST_MAX_NAME);
	name[SUGGEST_MAX_NAME] = '\0';
	ck_assert_int_eq(suggest_distance(name, name), 0);
}
END_TEST

START_TEST(test_suggest_consider_keeps_the_closest)
{
	const char *best = NULL;

	suggest_consider("modes", "max_stop_ms", &best);
	ck_assert_ptr_null(best);
	suggest_consider("modes", "model", &best);
	suggest_consider("modes", "mode", &best);
	ck_assert_str_eq(best, "model");
	suggest_consider("modes", "modes", &best);
	ck_assert_str_eq(best, "modes");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/suggest");
	TCase *tc = tcase_create("suggest");

	tcase_add_test(tc, test_suggest_distance);
	tcase_add_test(tc, test_suggest_distance_of_long_names_is_far);
	tcase_add_test(tc, test_suggest_consider_keeps_the_closest);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
