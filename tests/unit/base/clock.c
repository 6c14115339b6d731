/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/clock: units, and that time passes. */
#include "base/clock.h"

#include <unistd.h>

#include "check_main.h"

START_TEST(test_clock_counts_microseconds)
{
	int64_t before = clock_now_us();

	usleep(2000);
	ck_assert_int_ge(clock_now_us() - before, 2000);
	ck_assert_int_lt(clock_now_us() - before, INT64_C(60000000));
}
END_TEST

START_TEST(test_clock_reads_each_clock)
{
	ck_assert_int_lt(clock_read_us(CLOCK_PROCESS_CPUTIME_ID), INT64_C(3600000000));
	ck_assert_int_eq(clock_read_us(CLOCK_REALTIME) / INT64_C(100000000), time(NULL) / 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/clock");
	TCase *tc = tcase_create("clock");

	tcase_add_test(tc, test_clock_counts_microseconds);
	tcase_add_test(tc, test_clock_reads_each_clock);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
