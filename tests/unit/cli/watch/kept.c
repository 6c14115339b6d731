/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/watch/kept.c. */
#include "watch/kept.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "check_main.h"

static char folder[] = "/tmp/ompdd-kept-XXXXXX";
static const struct kept_limits wide = {.max_files = 100, .max_bytes = 1 << 20};

static void set_up(void)
{
	strcpy(strstr(folder, "kept-"), "kept-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static char *keep(const struct kept_limits *limits, const char *data)
{
	char *path = NULL;

	ck_assert_no_err(kept_write(folder, limits, "1-a.json", data, strlen(data), &path));
	return path;
}

static void assert_refused(const char *where, const struct kept_limits *limits, size_t len, const char *why)
{
	char *path = NULL;
	struct error *f = kept_write(where, limits, "1-a.json", "12345678", len, &path);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->code, ERR_OUTPUT);
	ck_assert_msg(strstr(f->message, why), "%s", f->message);
	error_destroy(f);
	ck_assert_int_ne(access(".ompdd-unfinished", F_OK), 0);
}

START_TEST(test_kept_file)
{
	struct stat st;
	char text[10] = {0};
	char *path = keep(&wide, "contents");
	int fd = open(path, O_RDONLY);

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(read(fd, text, sizeof(text)), 8);
	ck_assert_str_eq(text, "contents");
	close(fd);
	free(path);
}
END_TEST

START_TEST(test_kept_limits)
{
	const struct kept_limits narrow = {.max_files = 2, .max_bytes = 10};
	char *first = keep(&wide, "1234"), *second = keep(&wide, "1234"), *third = keep(&narrow, "1234");

	ck_assert_int_ne(access(first, F_OK), 0);
	ck_assert_int_eq(access(second, F_OK), 0);
	char *fourth = keep(&narrow, "1234567");
	ck_assert_int_ne(access(second, F_OK), 0);
	ck_assert_int_ne(access(third, F_OK), 0);
	const struct kept_limits tiny = {.max_files = 2, .max_bytes = 7};
	assert_refused(folder, &tiny, 8, "larger than size=");
	ck_assert_int_eq(access(fourth, F_OK), 0);
	free(first);
	free(second);
	free(third);
	free(fourth);
}
END_TEST

START_TEST(test_kept_folder_of_others)
{
	ck_assert_int_eq(mkdir("open", 0700) + chmod("open", 0777) + symlink(folder, "link"), 0);
	assert_refused("open", &wide, 1, "other users can write");
	assert_refused("link", &wide, 1, "symbolic link");
	assert_refused("link/", &wide, 1, "symbolic link");
	assert_refused("no/such", &wide, 1, "No such file");
	assert_refused("/proc", &wide, 1, "cannot keep files in /proc");
}
END_TEST

START_TEST(test_kept_lock)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY);

	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	assert_refused(folder, &wide, 1, "holds its lock");
	close(fd);
	free(keep(&wide, "x"));
}
END_TEST

START_TEST(test_kept_full_disk)
{
	const struct rlimit four = {4, 4};

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &four), 0);
	assert_refused(folder, &wide, 8, "File too large");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kept");
	TCase *tc = tcase_create("kept");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_kept_file);
	tcase_add_test(tc, test_kept_limits);
	tcase_add_test(tc, test_kept_folder_of_others);
	tcase_add_test(tc, test_kept_lock);
	tcase_add_test(tc, test_kept_full_disk);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
