/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/cpu_budget.c: the CPU time that one piece of work may spend, with and without a limit. */
#include "base/cpu_budget.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define EXIT_OVERRUN 7

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void burn(int64_t us)
{
	for (int64_t end = cpu_us() + us; cpu_us() < end;)
		;
}

static void on_overrun(void)
{
	_exit(EXIT_OVERRUN);
}

START_TEST(test_who_asks_is_told)
{
	ck_assert(!cpu_budget_is_spent());
	cpu_budget_begin(20000);
	ck_assert(!cpu_budget_is_spent());
	ck_assert(!cpu_budget_was_spent());
	burn(30000);
	ck_assert(!cpu_budget_was_spent());
	ck_assert(cpu_budget_is_spent());
	ck_assert(cpu_budget_was_spent());
	cpu_budget_begin(0);
	ck_assert(!cpu_budget_is_spent());
	ck_assert(!cpu_budget_was_spent());
}
END_TEST

START_TEST(test_work_that_takes_long_is_ended)
{
	ck_assert_no_err(cpu_budget_watch(1, on_overrun));
	cpu_budget_begin(0);
	burn(30000000);
}
END_TEST

START_TEST(test_much_work_is_not)
{
	ck_assert_no_err(cpu_budget_watch(1, on_overrun));
	for (int i = 0; i < 30; i++) {
		cpu_budget_begin(0);
		burn(100000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base_cpu_budget");
	TCase *t = tcase_create("budget");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_who_asks_is_told);
	tcase_add_exit_test(t, test_work_that_takes_long_is_ended, EXIT_OVERRUN);
	tcase_add_test(t, test_much_work_is_not);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
