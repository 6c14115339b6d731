/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/token: the file behind --token-file, created and removed. */
#include "scratch.h"

#include <fcntl.h>

#include "server/token.h"

static char *token;
static int fd = -1;

static void setup(void)
{
	scratch_setup();
	token = NULL;
}

static void teardown(void)
{
	free(token);
	if (fd >= 0)
		close(fd);
	fd = -1;
	scratch_teardown();
}

static void put(const char *text, mode_t mode)
{
	int file = open(scratch_path("t"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
	ck_assert_int_eq(chmod(scratch_path("t"), mode), 0);
}

static const char *content(const char *name)
{
	static char text[1024];
	int file = open(scratch_path(name), O_RDONLY);

	ck_assert_int_ge(file, 0);
	ssize_t n = read(file, text, sizeof(text) - 1);
	close(file);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

#define CERTIFICATE "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"

START_TEST(test_file_is_private_random_and_of_one_run)
{
	struct stat st;
	char *again = NULL, text[512];
	int other;

	ck_assert_no_err(token_make(scratch_path("t"), NULL, &token, &fd));
	ck_assert_uint_eq(strlen(token), 64);
	ck_assert_uint_eq(strspn(token, "0123456789abcdef"), 64);
	ck_assert_int_eq(stat(scratch_path("t"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	snprintf(text, sizeof(text), "%s\n", token);
	ck_assert_str_eq(content("t"), text);
	/* The file belongs to another server while that one runs. */
	ck_assert_err(token_make(scratch_path("t"), NULL, &again, &other), ERR_LIMIT_EXCEEDED);
	ck_assert_str_eq(content("t"), text);
	/* As after a kill of the server. */
	close(fd);
	fd = -1;
	ck_assert_no_err(token_make(scratch_path("t"), CERTIFICATE, &again, &fd));
	ck_assert_str_ne(token, again);
	snprintf(text, sizeof(text), "%s\n" CERTIFICATE, again);
	ck_assert_str_eq(content("t"), text);
	free(again);
	/* A file with a certificate is replaced, too. */
	close(fd);
	ck_assert_no_err(token_make(scratch_path("t"), NULL, &again, &fd));
	free(again);
	ck_assert_int_ne(access(scratch_path("t.new"), F_OK), 0);
}
END_TEST

START_TEST(test_it_is_removed_unless_it_is_another)
{
	char *second = NULL;
	int other;

	ck_assert_no_err(token_make(scratch_path("t"), NULL, &token, &fd));
	ck_assert_int_eq(unlink(scratch_path("t")), 0);
	ck_assert_no_err(token_make(scratch_path("t"), NULL, &second, &other));
	token_remove(scratch_path("t"), fd);
	fd = -1;
	ck_assert_int_eq(access(scratch_path("t"), F_OK), 0);
	token_remove(scratch_path("t"), other);
	ck_assert_int_ne(access(scratch_path("t"), F_OK), 0);
	free(second);
}
END_TEST

static const struct {
	const char *text;
	mode_t mode;
	bool replaced;
} files[] = {
	{"0123456789abcdef\n", 0600, true},
	{"0123456789abcdef", 0400, true},
	{"0123456789abcdef\r\n", 0600, true},
	{"0123456789abcde\n", 0600, false},
	{"", 0600, false},
	{"0123456789abcdef\nmore\n", 0600, false},
	{"0123456789 abcdef\n", 0600, false},
	{"0123456789\001abcdef\n", 0600, false},
	{"0123456789abcdef\n", 0640, false},
	{"0123456789abcdef\n", 0604, false},
	{"0123456789abcdef\n", 0620, false},
};

START_TEST(test_existing_file)
{
	put(files[_i].text, files[_i].mode);
	if (!files[_i].replaced) {
		ck_assert_err(token_make(scratch_path("t"), NULL, &token, &fd), ERR_UNAUTHORIZED);
		ck_assert_ptr_null(token);
		ck_assert_str_eq(content("t"), files[_i].text);
		return;
	}
	ck_assert_no_err(token_make(scratch_path("t"), NULL, &token, &fd));
	ck_assert_str_ne(token, "0123456789abcdef");
}
END_TEST

START_TEST(test_over_long_token_is_refused)
{
	char text[TOKEN_MAX_LEN + 2];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	put(text, 0600);
	ck_assert_err(token_make(scratch_path("t"), NULL, &token, &fd), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_link_is_refused)
{
	char target[128];

	put("0123456789abcdef\n", 0600);
	strcpy(target, scratch_path("t"));
	ck_assert_int_eq(symlink(target, scratch_path("link")), 0);
	ck_assert_err(token_make(scratch_path("link"), NULL, &token, &fd), ERR_UNAUTHORIZED);
	ck_assert_int_eq(symlink("nowhere", scratch_path("dangling")), 0);
	ck_assert_err(token_make(scratch_path("dangling"), NULL, &token, &fd), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_fifo_is_refused_without_waiting)
{
	ck_assert_int_eq(mkfifo(scratch_path("t"), 0600), 0);
	ck_assert_err(token_make(scratch_path("t"), NULL, &token, &fd), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_file_of_another_user_is_refused)
{
	if (geteuid() != 0)
		CHECK_SKIP("needs root, who can give a file away");
	put("0123456789abcdef\n", 0600);
	ck_assert_int_eq(chown(scratch_path("t"), 12345, 12345), 0);
	ck_assert_err(token_make(scratch_path("t"), NULL, &token, &fd), ERR_UNAUTHORIZED);
}
END_TEST

START_TEST(test_file_in_an_open_folder_is_refused)
{
	ck_assert_int_eq(chmod(scratch, 0707), 0);
	ck_assert_err(token_make(scratch_path("t"), NULL, &token, &fd), ERR_UNAUTHORIZED);
	ck_assert_int_ne(access(scratch_path("t"), F_OK), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("token");
	TCase *t = tcase_create("token_make");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_file_is_private_random_and_of_one_run);
	tcase_add_test(t, test_it_is_removed_unless_it_is_another);
	tcase_add_loop_test(t, test_existing_file, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_test(t, test_over_long_token_is_refused);
	tcase_add_test(t, test_link_is_refused);
	tcase_add_test(t, test_fifo_is_refused_without_waiting);
	tcase_add_test(t, test_file_of_another_user_is_refused);
	tcase_add_test(t, test_file_in_an_open_folder_is_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
