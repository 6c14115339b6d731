/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/plugin/guard: each runs in its own process (CK_FORK). */
#include "check_main.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/contract.h"
#include "base/error.h"
#include "openmp/plugin/guard.h"

static void setup(void)
{
	ck_assert_no_err(guard_init());
	ck_assert_no_err(guard_init());
}

#ifndef __SANITIZE_ADDRESS__
static int recurse(volatile char *before)
{
	volatile char here[4096];

	here[0] = before ? before[0] : 1;
	/* Always true, but the compiler does not know. */
	return here[0] ? recurse(here) + here[0] : 0;
}
#endif

START_TEST(test_crash_in_the_library)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

	guard_in_plugin = 1;
	raise(signals[_i]);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
START_TEST(test_crash_outside_is_our_own)
{
	raise(SIGSEGV);
}
END_TEST

START_TEST(test_abort_outside_is_our_own)
{
	abort();
}
END_TEST

START_TEST(test_stack_overflow_in_the_library)
{
	guard_in_plugin = 1;
	_exit(recurse(NULL) ? 1 : 2);
}
END_TEST
#endif

START_TEST(test_exit_in_the_library)
{
	guard_in_plugin = 1;
	exit(0);
}
END_TEST

START_TEST(test_quick_exit_in_the_library)
{
	guard_in_plugin = 1;
	_exit(0);
}
END_TEST

START_TEST(test_exit_outside_keeps_its_status)
{
	_exit(7);
}
END_TEST

START_TEST(test_hang_in_the_library)
{
	guard_enter(20);
	guard_in_plugin = 1;
	for (;;)
		;
}
END_TEST

START_TEST(test_hang_that_begins_after_the_limit)
{
	struct timespec pause = {0, 60 * 1000 * 1000};

	guard_enter(20);
	while (nanosleep(&pause, &pause) < 0)
		;
	guard_in_plugin = 1;
	for (;;)
		;
}
END_TEST

START_TEST(test_no_hang_after_leaving)
{
	struct timespec pause = {0, 60 * 1000 * 1000};

	guard_enter(20);
	guard_enter(20);
	guard_leave();
	guard_leave();
	guard_in_plugin = 1;
	ck_assert_int_eq(nanosleep(&pause, NULL), 0);
	guard_in_plugin = 0;
	_exit(7);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("guard");
	TCase *t = tcase_create("guard");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_exit_test(t, test_crash_in_the_library, CONTRACT_EXIT_PLUGIN_CRASHED, 0, 5);
#ifndef __SANITIZE_ADDRESS__
	/* AddressSanitizer turns these signals into its own reports. */
	tcase_add_test_raise_signal(t, test_crash_outside_is_our_own, SIGSEGV);
	tcase_add_test_raise_signal(t, test_abort_outside_is_our_own, SIGABRT);
	tcase_add_exit_test(t, test_stack_overflow_in_the_library, CONTRACT_EXIT_PLUGIN_CRASHED);
#endif
	tcase_add_exit_test(t, test_exit_in_the_library, CONTRACT_EXIT_PLUGIN_CRASHED);
	tcase_add_exit_test(t, test_quick_exit_in_the_library, CONTRACT_EXIT_PLUGIN_CRASHED);
	tcase_add_exit_test(t, test_exit_outside_keeps_its_status, 7);
	tcase_add_exit_test(t, test_hang_in_the_library, CONTRACT_EXIT_PLUGIN_HUNG);
	tcase_add_exit_test(t, test_hang_that_begins_after_the_limit, CONTRACT_EXIT_PLUGIN_HUNG);
	tcase_add_exit_test(t, test_no_hang_after_leaving, 7);
	suite_add_tcase(s, t);
	return check_main(s);
}
