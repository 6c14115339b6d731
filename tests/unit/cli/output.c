/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/output.c. */
#include "output.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "check_main.h"

#define NOBODY 65534

static char folder[] = "/tmp/ompdd-output-XXXXXX";

static void set_up(void)
{
	strcpy(folder, "/tmp/ompdd-output-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void assert_text(const char *name, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(name, "r");

	ck_assert_msg(file, "%s", name);
	found[fread(found, 1, sizeof(found) - 1, file)] = 0;
	fclose(file);
	ck_assert_str_eq(found, text);
}

static size_t n_entries(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	size_t n = 0;

	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return n;
}

static struct error *write_to(const char *path, const char *text)
{
	struct output o;
	struct error *f = output_open(&o, path);

	if (!f)
		f = output_write(&o, text, strlen(text));
	output_close(&o);
	return f;
}

static void assert_written(const char *path, const char *text)
{
	struct error *f = write_to(path, text);

	ck_assert_msg(!f, "%s", f ? f->message : "");
}

/* The path is refused before anything is created. */
static void assert_refused(const char *path, const char *why)
{
	struct output o;
	size_t before = n_entries();
	struct error *f = output_open(&o, path);

	ck_assert_msg(f, "%s was accepted", path);
	ck_assert_int_eq(f->code, ERR_OUTPUT);
	ck_assert_msg(!strncmp(f->message, "cannot write ", 13) && strstr(f->message, why), "%s", f->message);
	error_destroy(f);
	output_close(&o);
	ck_assert_uint_eq(n_entries(), before);
}

START_TEST(test_new_file)
{
	struct stat st;
	struct output o;

	umask(027);
	ck_assert_ptr_null(output_open(&o, "x"));
	ck_assert_uint_eq(n_entries(), 0);
	ck_assert_ptr_null(output_write(&o, "new", 3));
	output_close(&o);
	assert_text("x", "new");
	ck_assert_int_eq(stat("x", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	ck_assert_uint_eq(n_entries(), 1);
}
END_TEST

START_TEST(test_file_that_exists)
{
	struct stat before, after;

	put("x", "the old one, which is longer");
	ck_assert_int_eq(chmod("x", 04604), 0);
	if (!geteuid())
		ck_assert_int_eq(chown("x", NOBODY, NOBODY), 0);
	ck_assert_int_eq(stat("x", &before), 0);
	int reader = open("x", O_RDONLY);
	assert_written("./x", "new");
	assert_text("x", "new");
	ck_assert_int_eq(stat("x", &after), 0);
	ck_assert_int_eq(after.st_mode & 07777, 0604);
	ck_assert_uint_eq(after.st_uid, before.st_uid);
	ck_assert_uint_eq(after.st_gid, before.st_gid);
	/* A reader that has the old file open still reads all of it. */
	ck_assert_int_eq(fstat(reader, &after), 0);
	ck_assert_int_eq(after.st_size, before.st_size);
	close(reader);
	ck_assert_uint_eq(n_entries(), 1);
}
END_TEST

START_TEST(test_own_links_are_followed)
{
	struct stat st;

	ck_assert_int_eq(mkdir("real", 0700), 0);
	ck_assert_int_eq(symlink("real", "way"), 0);
	ck_assert_int_eq(symlink("way/../way/x", "link"), 0);
	ck_assert_int_eq(symlink("link", "link2"), 0);
	assert_written("link2", "1");
	assert_text("real/x", "1");
	ck_assert(!lstat("link", &st) && S_ISLNK(st.st_mode));
	assert_written("way/y", "2");
	assert_text("real/y", "2");
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	assert_refused("loop", "Too many levels");
}
END_TEST

START_TEST(test_links_of_others_are_not)
{
	if (geteuid())
		return;
	ck_assert_int_eq(mkdir("shared", 0777), 0);
	ck_assert_int_eq(chmod("shared", 01777), 0);
	ck_assert_int_eq(mkdir("private", 0700), 0);
	put("private/x", "precious");
	ck_assert_int_eq(symlink("../private/x", "shared/file"), 0);
	ck_assert_int_eq(symlink("../private", "shared/way"), 0);
	/* Our own links are followed. */
	assert_written("shared/file", "1");
	assert_written("shared/way/x", "2");
	ck_assert_int_eq(lchown("shared/file", NOBODY, NOBODY), 0);
	ck_assert_int_eq(lchown("shared/way", NOBODY, NOBODY), 0);
	assert_refused("shared/file", "belongs to another user");
	assert_refused("shared/way/x", "belongs to another user");
	/* Outside shared folders, an administrator's link may be on the way, but not as the last component. */
	ck_assert_int_eq(symlink("private", "way"), 0);
	ck_assert_int_eq(symlink("private/x", "file"), 0);
	ck_assert_int_eq(lchown("way", NOBODY, NOBODY), 0);
	ck_assert_int_eq(lchown("file", NOBODY, NOBODY), 0);
	assert_refused("file", "belongs to another user");
	assert_text("private/x", "2");
	assert_written("way/x", "3");
	assert_text("private/x", "3");
	/* Files that another user created there. */
	put("shared/planted", "");
	ck_assert_int_eq(mkfifo("shared/pipe", 0666), 0);
	ck_assert_int_eq(chown("shared/planted", NOBODY, NOBODY), 0);
	ck_assert_int_eq(chown("shared/pipe", NOBODY, NOBODY), 0);
	assert_refused("shared/planted", "belongs to another user");
	assert_refused("shared/pipe", "belongs to another user");
}
END_TEST

START_TEST(test_pipe)
{
	char text[8] = "";
	struct output o;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	assert_refused("pipe", "no program reads from it");
	int reader = open("pipe", O_RDONLY | O_NONBLOCK);
	ck_assert_ptr_null(output_open(&o, "pipe"));
	ck_assert_int_eq(fcntl(o.stream, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_ptr_null(output_write(&o, "piped", 5));
	ck_assert_int_eq(read(reader, text, sizeof(text)), 5);
	ck_assert_str_eq(text, "piped");
	close(reader);
	struct error *f = output_write(&o, "x", 1);
	ck_assert_msg(f && strstr(f->message, "its reader has closed it"), "%s", f ? f->message : "written");
	error_destroy(f);
	output_close(&o);
}
END_TEST

START_TEST(test_what_is_no_file)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_refused("socket", "it is a socket");
	close(fd);
	assert_refused(".", "it is a directory");
	assert_refused("/", "it is a directory");
	assert_refused("no/x", "No such file");
	assert_refused("no/", "No such file");
	assert_refused("", "No such file");
	put("x", "");
	assert_refused("x/y", "Not a directory");
	if (!geteuid() && !mknod("disk", S_IFBLK | 0600, 0))
		assert_refused("disk", "it is a block device");
	struct error *f = write_to("/dev/full", "x");
	ck_assert_msg(f && strstr(f->message, "/dev/full: No space left"), "%s", f ? f->message : "written");
	error_destroy(f);
	assert_written("/dev/null", "x");
}
END_TEST

START_TEST(test_own_descriptors)
{
	static const char *const forms[] = {"/dev/fd/", "/proc/self/fd/"};
	char path[64];

	put("x", "kept ");
	int fd = open("x", O_WRONLY | O_APPEND);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%d", forms[i], fd);
		assert_written(path, "a");
	}
	/* A link of our own leads there, as /dev/stdout does. */
	ck_assert_int_eq(symlink(path, "link"), 0);
	assert_written("link", "b");
	assert_text("x", "kept aab");
	close(fd);
	assert_refused(path, "not open");
	fd = open("x", O_RDONLY);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_refused(path, "for reading only");
	close(fd);
	int before = dup(STDOUT_FILENO);
	fd = open("x", O_WRONLY | O_APPEND);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	struct error *f = write_to("-", "-");
	if (!f)
		f = write_to("/dev/stdout", "o");
	dup2(before, STDOUT_FILENO);
	close(before);
	ck_assert_ptr_null(f);
	assert_text("x", "kept aab-o");
}
END_TEST

START_TEST(test_full_disk_keeps_the_old_file)
{
	struct rlimit limit = {1000, RLIM_INFINITY};
	char large[4096];

	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = 0;
	put("x", "old");
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct error *f = write_to("x", large);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_msg(f && strstr(f->message, "cannot write x: File too large"), "%s", f ? f->message : "written");
	error_destroy(f);
	assert_text("x", "old");
	ck_assert_uint_eq(n_entries(), 1);
}
END_TEST

START_TEST(test_old_report_is_removed)
{
	struct output o;

	put("x", "old");
	ck_assert_ptr_null(output_open(&o, "x"));
	ck_assert_ptr_null(output_remove_old(&o));
	ck_assert_ptr_null(output_remove_old(&o));
	output_close(&o);
	ck_assert_uint_eq(n_entries(), 0);
	ck_assert_ptr_null(output_open(&o, "/dev/null"));
	ck_assert_ptr_null(output_remove_old(&o));
	output_close(&o);
	ck_assert_int_eq(access("/dev/null", W_OK), 0);
}
END_TEST

START_TEST(test_file_in_pieces)
{
	struct output o;
	struct stat st;

	put("x", "old");
	/* Not placed: nothing remains. */
	ck_assert_ptr_null(output_open(&o, "x"));
	ck_assert_ptr_null(output_begin(&o));
	ck_assert_uint_eq(n_entries(), 2);
	ck_assert_int_eq(write(o.fd, "half", 4), 4);
	output_close(&o);
	ck_assert_uint_eq(n_entries(), 1);
	assert_text("x", "old");

	ck_assert_ptr_null(output_open(&o, "x"));
	ck_assert_ptr_null(output_begin(&o));
	ck_assert_int_eq(pwrite(o.fd, "new", 3, 0), 3);
	ck_assert_ptr_null(output_place(&o));
	output_close(&o);
	assert_text("x", "new");
	ck_assert_int_eq(stat("x", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_uint_eq(n_entries(), 1);

	/* A stream has no pieces. */
	ck_assert_ptr_null(output_open(&o, "/dev/null"));
	ck_assert_err(output_begin(&o), ERR_OUTPUT);
	output_close(&o);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("output");
	TCase *t = tcase_create("output");

	signal(SIGPIPE, SIG_IGN);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, test_new_file);
	tcase_add_test(t, test_file_that_exists);
	tcase_add_test(t, test_own_links_are_followed);
	tcase_add_test(t, test_links_of_others_are_not);
	tcase_add_test(t, test_pipe);
	tcase_add_test(t, test_what_is_no_file);
	tcase_add_test(t, test_own_descriptors);
	tcase_add_test(t, test_full_disk_keeps_the_old_file);
	tcase_add_test(t, test_old_report_is_removed);
	tcase_add_test(t, test_file_in_pieces);
	suite_add_tcase(s, t);
	return check_main(s);
}
