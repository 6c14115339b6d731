/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/variables: which environment variables runtimes read. */
#include "openmp/runtimes/variables.h"

#include "check_main.h"

START_TEST(test_variables_of_runtimes)
{
	static const char *const own[] = {"OMP_NUM_THREADS=4", "GOMP_SPINCOUNT", "KMP_BLOCKTIME=0",
					  "LIBOMPTARGET_DEBUG=1", "LIBOMP_NUM_HIDDEN_HELPER_THREADS=0"};
	static const char *const others[] = {
		"", "=", "OMP", "HOMP_X=1", "XKMP_BLOCKTIME=0", "OMPI_COMM_WORLD_RANK=0", "PATH=OMP_"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		ck_assert_msg(variable_is_of_runtime(own[i]), "%s", own[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!variable_is_of_runtime(others[i]), "%s", others[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/runtimes/variables");
	TCase *tc = tcase_create("variables");

	tcase_add_test(tc, test_variables_of_runtimes);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
