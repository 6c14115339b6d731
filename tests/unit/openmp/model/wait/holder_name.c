/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/wait/holder_name: every possible value has a name. */
#include "check_main.h"

#include "openmp/model/wait/holder.h"

START_TEST(test_names_are_all_there)
{
	for (int i = 0; i < HOLDER_KINDS; i++)
		ck_assert_ptr_nonnull(holder_kind_name((enum holder_kind)i));
	for (int i = 0; i <= HOLDER_INFERRED; i++)
		ck_assert_ptr_nonnull(holder_source_name((enum holder_source)i));
	for (int i = 0; i <= HOLDER_ELSEWHERE; i++)
		ck_assert_ptr_nonnull(holder_doing_name((enum holder_doing)i));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/wait/holder_name");
	TCase *tc = tcase_create("names");

	tcase_add_test(tc, test_names_are_all_there);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
