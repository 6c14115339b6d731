/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* server/token: the file behind --token-file, made and read. */
#include "scratch.h"

#include <fcntl.h>

#include "server/token.h"

static char *token;

static void setup(void)
{
	scratch_setup();
	token = NULL;
}

static void teardown(void)
{
	free(token);
	scratch_teardown();
}

static void put(const char *text, mode_t mode)
{
	int fd = open(scratch_path("t"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_int_eq(chmod(scratch_path("t"), mode), 0);
}

START_TEST(test_missing_file_is_made_private_and_random)
{
	struct stat st;
	char *again = NULL;

	ck_assert_no_err(token_load(scratch_path("t"), &token));
	ck_assert_uint_eq(strlen(token), 64);
	ck_assert_uint_eq(strspn(token, "0123456789abcdef"), 64);
	ck_assert_int_eq(stat(scratch_path("t"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_no_err(token_load(scratch_path("t"), &again));
	ck_assert_str_eq(token, again);
	free(again);
	again = NULL;
	ck_assert_no_err(token_load(scratch_path("u"), &again));
	ck_assert_str_ne(token, again);
	free(again);
}
END_TEST

static const struct {
	const char *text;
	mode_t mode;
	const char *token; /* NULL: refused */
} files[] = {
	{"0123456789abcdef\n", 0600, "0123456789abcdef"},
	{"0123456789abcdef", 0400, "0123456789abcdef"},
	{"0123456789abcdef\r\n", 0600, "0123456789abcdef"},
	{"0123456789abcde\n", 0600, NULL},
	{"", 0600, NULL},
	{"0123456789abcdef\nmore\n", 0600, NULL},
	{"0123456789 abcdef\n", 0600, NULL},
	{"0123456789\001abcdef\n", 0600, NULL},
	{"0123456789abcdef\n", 0640, NULL},
	{"0123456789abcdef\n", 0604, NULL},
	{"0123456789abcdef\n", 0620, NULL},
};

START_TEST(test_existing_file)
{
	put(files[_i].text, files[_i].mode);
	if (!files[_i].token) {
		ck_assert_err(token_load(scratch_path("t"), &token), ERR_UNAUTHORIZED);
		ck_assert_ptr_null(token);
		return;
	}
	ck_assert_no_err(token_load(scratch_path("t"), &token));
	ck_assert_str_eq(token, files[_i].token);
}
END_TEST

START_TEST(test_over_long_token_is_refused)
{
	char text[TOKEN_MAX_LEN + 2];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	put(text, 0600);
	ck_assert_err(token_load(scratch_path("t"), &token), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_link_is_refused)
{
	char target[128];

	put("0123456789abcdef\n", 0600);
	strcpy(target, scratch_path("t"));
	ck_assert_int_eq(symlink(target, scratch_path("link")), 0);
	ck_assert_err(token_load(scratch_path("link"), &token), ERR_UNAUTHORIZED);
	ck_assert_int_eq(symlink("nowhere", scratch_path("dangling")), 0);
	ck_assert_err(token_load(scratch_path("dangling"), &token), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_fifo_is_refused_without_waiting)
{
	ck_assert_int_eq(mkfifo(scratch_path("t"), 0600), 0);
	ck_assert_err(token_load(scratch_path("t"), &token), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_file_of_another_user_is_refused)
{
	if (geteuid() != 0)
		return; /* only root can make one */
	put("0123456789abcdef\n", 0600);
	ck_assert_int_eq(chown(scratch_path("t"), 12345, 12345), 0);
	ck_assert_err(token_load(scratch_path("t"), &token), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_file_in_an_open_folder_is_refused)
{
	ck_assert_int_eq(chmod(scratch, 0707), 0);
	ck_assert_err(token_load(scratch_path("t"), &token), ERR_UNAUTHORIZED);
	ck_assert_int_ne(access(scratch_path("t"), F_OK), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("token");
	TCase *t = tcase_create("token_load");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_missing_file_is_made_private_and_random);
	tcase_add_loop_test(t, test_existing_file, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_test(t, test_over_long_token_is_refused);
	tcase_add_test(t, test_link_is_refused);
	tcase_add_test(t, test_fifo_is_refused_without_waiting);
	tcase_add_test(t, test_file_of_another_user_is_refused);
	tcase_add_test(t, test_file_in_an_open_folder_is_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
