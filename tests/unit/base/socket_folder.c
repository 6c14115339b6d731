/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of ompdd/base/socket_folder.c. */
#include "base/socket_folder.h"

#include <stdlib.h>

#include "check_main.h"

/* No such user has logged in. */
#define NOBODY 4123456789u

static void assert_folder(uid_t uid, const char *expected)
{
	char folder[80];

	ck_assert(socket_folder_find(uid, folder, sizeof(folder)));
	ck_assert_str_eq(folder, expected);
}

START_TEST(test_socket_folder_of_a_login)
{
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	assert_folder(7, "/run/user/7/ompdd");
	assert_folder(0, "/run/user/7/ompdd");
}
END_TEST

START_TEST(test_socket_folder_without_a_login)
{
	setenv("XDG_RUNTIME_DIR", "", 1);
	unsetenv("TMPDIR");
	assert_folder(0, "/run/ompdd");
	assert_folder(NOBODY, "/tmp/ompdd-4123456789");
	setenv("TMPDIR", "/scratch/job7", 1);
	assert_folder(NOBODY, "/scratch/job7/ompdd-4123456789");
	assert_folder(0, "/run/ompdd");
}
END_TEST

START_TEST(test_socket_folder_that_is_too_long)
{
	char folder[16];

	setenv("XDG_RUNTIME_DIR", "/a/long/runtime/dir", 1);
	ck_assert(!socket_folder_find(7, folder, sizeof(folder)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/socket_folder");
	TCase *tc = tcase_create("socket_folder");

	tcase_add_test(tc, test_socket_folder_of_a_login);
	tcase_add_test(tc, test_socket_folder_without_a_login);
	tcase_add_test(tc, test_socket_folder_that_is_too_long);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
