/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/arch/syscalls: names of system calls. */
#include "check_main.h"

#include <sys/syscall.h>

#include "target/arch/syscalls.h"

START_TEST(test_names)
{
	ck_assert_str_eq(syscall_name(SYS_read), "read");
	ck_assert_str_eq(syscall_name(SYS_futex), "futex");
	ck_assert_str_eq(syscall_name(SYS_clock_nanosleep), "clock_nanosleep");
}
END_TEST

START_TEST(test_no_call_has_no_name)
{
	ck_assert_ptr_null(syscall_name(-1));
	ck_assert_ptr_null(syscall_name(1 << 30));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/arch/syscalls");
	TCase *tc = tcase_create("syscalls");

	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_no_call_has_no_name);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
