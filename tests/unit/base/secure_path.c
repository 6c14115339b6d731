/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/secure_path: which users could replace a file. */
#include "scratch.h"

#include "base/secure_path.h"

static void make(const char *name, mode_t mode)
{
	ck_assert_int_eq(mkdir(scratch_path(name), 0700), 0);
	ck_assert_int_eq(chmod(scratch_path(name), mode), 0);
}

START_TEST(test_private_folder_is_fine)
{
	make("a", 0700);
	ck_assert_no_err(secure_path_check(scratch_path("a/file")));
}
END_TEST

START_TEST(test_sticky_folder_is_fine)
{
	make("a", 01777);
	ck_assert_no_err(secure_path_check(scratch_path("a/file")));
}
END_TEST

START_TEST(test_folder_writable_by_others_is_refused)
{
	make("a", 0707);
	ck_assert_err(secure_path_check(scratch_path("a/file")), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_folder_writable_by_its_group_is_refused)
{
	make("a", 0770);
	ck_assert_err(secure_path_check(scratch_path("a/file")), ERR_UNAUTHORIZED);
	make("b", 01770);
	ck_assert_no_err(secure_path_check(scratch_path("b/file")));
}
END_TEST

START_TEST(test_every_parent_counts)
{
	make("a", 0707);
	make("a/b", 0700);
	ck_assert_err(secure_path_check(scratch_path("a/b/file")), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_link_into_a_writable_folder_is_refused)
{
	char target[128];

	make("open", 0707);
	make("open/inner", 0700);
	strcpy(target, scratch_path("open/inner"));
	ck_assert_int_eq(symlink(target, scratch_path("link")), 0);
	ck_assert_err(secure_path_check(scratch_path("link/file")), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_path_without_links)
{
	char wanted[128], resolved[PATH_MAX], text[256];

	make("a", 0700);
	make("a/b", 0700);
	strcpy(wanted, scratch_path("a/file"));
	ck_assert_int_eq(symlink("./b//..", scratch_path("a/link")), 0);
	snprintf(text, sizeof(text), "%s", scratch_path("a/link/link/../a/./file"));
	ck_assert_no_err(secure_path_resolve(text, resolved));
	ck_assert_str_eq(resolved, wanted);
	/* A link as the last component is followed, too. */
	ck_assert_int_eq(symlink(wanted, scratch_path("a/b/last")), 0);
	ck_assert_no_err(secure_path_resolve(scratch_path("a/b/last"), resolved));
	ck_assert_str_eq(resolved, wanted);
	ck_assert_no_err(secure_path_resolve("/../..", resolved));
	ck_assert_str_eq(resolved, "/");
	ck_assert_int_eq(chdir(scratch_path("a")), 0);
	ck_assert_no_err(secure_path_resolve("file", resolved));
	ck_assert_str_eq(resolved, wanted);
	ck_assert_int_eq(symlink("round", scratch_path("a/round")), 0);
	ck_assert_err(secure_path_check("round/file"), ERR_INTERNAL_ERROR);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(test_each_folder_on_the_way_counts)
{
	/* A user who can write to the link's folder can replace the link, wherever the link leads now. */
	make("open", 0707);
	make("safe", 0700);
	ck_assert_int_eq(symlink("../safe", scratch_path("open/link")), 0);
	ck_assert_err(secure_path_check(scratch_path("open/link/file")), ERR_UNAUTHORIZED);
	ck_assert_err(secure_path_check(scratch_path("open/../safe/file")), ERR_UNAUTHORIZED);
	ck_assert_int_eq(symlink("open/link", scratch_path("two")), 0);
	ck_assert_err(secure_path_check(scratch_path("two/file")), ERR_UNAUTHORIZED);
	ck_assert_int_eq(symlink("open/file", scratch_path("last")), 0);
	ck_assert_err(secure_path_check(scratch_path("last")), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_link_of_another_user_in_a_sticky_folder_is_refused)
{
	make("shared", 01777);
	make("safe", 0700);
	ck_assert_int_eq(symlink("../safe", scratch_path("shared/link")), 0);
	ck_assert_no_err(secure_path_check(scratch_path("shared/link/file")));
	if (geteuid() != 0)
		CHECK_SKIP("needs root, who can give a link away");
	ck_assert_int_eq(lchown(scratch_path("shared/link"), 12345, 12345), 0);
	ck_assert_err(secure_path_check(scratch_path("shared/link/file")), ERR_UNAUTHORIZED);
	/* No other user can replace a link in a folder that only we can write to. */
	ck_assert_int_eq(chmod(scratch_path("shared"), 0755), 0);
	ck_assert_no_err(secure_path_check(scratch_path("shared/link/file")));
}
END_TEST

START_TEST(test_folder_of_another_user_is_refused)
{
	if (geteuid() != 0)
		CHECK_SKIP("needs root, who can give a folder away");
	make("a", 0700);
	ck_assert_int_eq(chown(scratch_path("a"), 12345, 12345), 0);
	ck_assert_err(secure_path_check(scratch_path("a/file")), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_missing_folder_is_an_error)
{
	ck_assert_err(secure_path_check(scratch_path("none/file")), ERR_INTERNAL_ERROR);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("secure_path");
	TCase *t = tcase_create("secure_path_check");

	tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
	tcase_add_test(t, test_private_folder_is_fine);
	tcase_add_test(t, test_sticky_folder_is_fine);
	tcase_add_test(t, test_folder_writable_by_others_is_refused);
	tcase_add_test(t, test_folder_writable_by_its_group_is_refused);
	tcase_add_test(t, test_every_parent_counts);
	tcase_add_test(t, test_link_into_a_writable_folder_is_refused);
	tcase_add_test(t, test_path_without_links);
	tcase_add_test(t, test_each_folder_on_the_way_counts);
	tcase_add_test(t, test_link_of_another_user_in_a_sticky_folder_is_refused);
	tcase_add_test(t, test_folder_of_another_user_is_refused);
	tcase_add_test(t, test_missing_folder_is_an_error);
	suite_add_tcase(s, t);
	return check_main(s);
}
