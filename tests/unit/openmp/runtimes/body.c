/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/body.c: names of functions that gcc and clang create for constructs. */
#include "openmp/runtimes/body.h"

#include <stddef.h>

#include "check_main.h"

START_TEST(test_outlined)
{
	ck_assert(body_is_outlined("main._omp_fn.0"));
	ck_assert(body_is_outlined("main._omp_cpyfn.1"));
	ck_assert(body_is_outlined(".omp_outlined."));
	ck_assert(body_is_outlined(".omp_task_entry..2"));
	ck_assert(!body_is_outlined("main"));
	ck_assert(!body_is_outlined(NULL));
	ck_assert(body_is_copier("main._omp_cpyfn.1"));
	ck_assert(!body_is_copier("main._omp_fn.1"));
}
END_TEST

START_TEST(test_called_by_the_runtime)
{
	ck_assert(body_is_called_by_runtime("main._omp_fn.12"));
	ck_assert(body_is_called_by_runtime("work.omp_outlined"));
	ck_assert(body_is_called_by_runtime(".omp_task_entry."));
	ck_assert(!body_is_called_by_runtime("main._omp_fn.0.cold"));
	ck_assert(!body_is_called_by_runtime("main._omp_fn."));
	ck_assert(!body_is_called_by_runtime("main._omp_fn.0.part.1"));
	ck_assert(!body_is_called_by_runtime(".omp_outlined._debug__"));
	ck_assert(!body_is_called_by_runtime("work.omp_outlined.cold"));
	ck_assert(!body_is_called_by_runtime("main"));
	ck_assert(!body_is_called_by_runtime(NULL));
}
END_TEST

START_TEST(test_called_directly)
{
	ck_assert_int_eq(body_direct_construct(".omp_outlined.", "main"), CONSTRUCT_PARALLEL);
	ck_assert_int_eq(body_direct_construct(".omp_task_entry.", "main"), CONSTRUCT_TASK);
	/* A task's own code is in the function that the runtime calls. With -g, a region's own code is, too. */
	ck_assert_int_eq(body_direct_construct(".omp_outlined.", ".omp_task_entry."), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(body_direct_construct(".omp_outlined._debug__", ".omp_outlined."), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(body_direct_construct("main._omp_fn.0", "main"), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(body_direct_construct(".omp_outlined.", NULL), CONSTRUCT_PARALLEL);
	ck_assert_int_eq(body_direct_construct(NULL, "main"), CONSTRUCT_UNKNOWN);
}
END_TEST

START_TEST(test_names_of_bodies)
{
	char name[20];

	ck_assert(body_format_name(0, "work", 0, name, sizeof(name)));
	ck_assert_str_eq(name, "work._omp_fn.0");
	ck_assert(body_format_name(1, "work", 0, name, sizeof(name)));
	ck_assert_str_eq(name, "work.omp_outlined");
	ck_assert(body_format_name(1, "work", 2, name, sizeof(name)));
	ck_assert_str_eq(name, "work.omp_outlined.2");
	ck_assert(!body_format_name(1, "work", 12, name, sizeof(name)));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("body");
	TCase *c = tcase_create("names");

	tcase_add_test(c, test_outlined);
	tcase_add_test(c, test_called_by_the_runtime);
	tcase_add_test(c, test_called_directly);
	tcase_add_test(c, test_names_of_bodies);
	suite_add_tcase(s, c);
	return check_main(s);
}
