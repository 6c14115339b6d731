/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/progress: the CPUs that threads may use. */
#include "target/process/progress.h"

#include <sched.h>

#include "check_main.h"
#include "child_fixture.h"

static void set_affinity(pid_t tid, const int *cpus, size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		CPU_SET(cpus[i], &set);
	ck_assert_int_eq(sched_setaffinity(tid, sizeof(set), &set), 0);
}

START_TEST(test_the_cpus_of_a_thread)
{
	struct target_cpus all, one;
	cpu_set_t own;

	attach_child(child_sleeper, 1, TARGET_OBSERVE, 1000);
	ck_assert(target_thread_cpus(t, child, &all));
	sched_getaffinity(child, sizeof(own), &own);
	ck_assert_uint_eq(target_cpus_count(&all), (unsigned)CPU_COUNT(&own));
	int first = 0;
	while (!CPU_ISSET(first, &own))
		first++;
	set_affinity(child, &first, 1);
	ck_assert(target_thread_cpus(t, child, &one));
	ck_assert_uint_eq(target_cpus_count(&one), 1);
	ck_assert_uint_eq(one.bits[first / 64], UINT64_C(1) << first % 64);
	ck_assert(target_cpus_are_in(&one, &all));
	ck_assert(target_cpus_are_in(&all, &one) == (target_cpus_count(&all) == 1));
	ck_assert(!target_thread_cpus(t, 1, &one));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/progress");
	TCase *tc = tcase_create("progress");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_the_cpus_of_a_thread);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
