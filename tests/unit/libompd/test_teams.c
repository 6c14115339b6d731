/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and regions of the system's libgomp as libompd sees them, against omp_get_*. */
#include <omp.h>
#include <stdlib.h>

#include "check_main.h"
#include "oracle.h"
#include "self_target.h"

static void program_flat(void)
{
#pragma omp parallel num_threads(4)
	oracle_park(omp_get_thread_num());
}

START_TEST(test_teams_flat_region_agrees)
{
	oracle_run(program_flat, 4, 0, oracle_check_all);
}
END_TEST

static void program_nested(void)
{
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
	oracle_park(10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
}

START_TEST(test_teams_nested_regions_agree)
{
	oracle_run(program_nested, 6, 0, oracle_check_all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("teams");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_teams_flat_region_agrees);
	tcase_add_test(tcase, test_teams_nested_regions_agree);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
