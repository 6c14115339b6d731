/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/elf/elf_file: which files are opened, and which are accepted as the mapped file. */
#include "target/elf/elf_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "scratch.h"
#include "target/elf/elf_sections.h"
#include "target/elf/symbols.h"

static struct stat st;

static void write_file(const char *name, const char *text)
{
	int fd = open(scratch_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* open() would block on a fifo, and might have side effects on a device. */
START_TEST(test_only_regular_files_are_opened)
{
	write_file("file", "text");
	ck_assert_int_eq(mkfifo(scratch_path("fifo"), 0600), 0);
	int fd = elf_file_open_regular(AT_FDCWD, scratch_path("file"), false, &st);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(st.st_size, 4);
	close(fd);
	errno = EIO;
	ck_assert_int_eq(elf_file_open_regular(AT_FDCWD, scratch_path("fifo"), false, &st), -1);
	ck_assert_int_eq(errno, 0);
	ck_assert_int_eq(elf_file_open_regular(AT_FDCWD, scratch, false, &st), -1);
	ck_assert_int_eq(errno, 0);
	ck_assert_int_eq(elf_file_open_regular(AT_FDCWD, "/dev/null", false, &st), -1);
	ck_assert_int_eq(errno, 0);
	ck_assert_int_eq(elf_file_open_regular(AT_FDCWD, scratch_path("none"), false, &st), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(test_links_stay_below_the_root)
{
	static const char *const links[] = {"/file", "../../../../../../file", "/etc/../file"};
	char outside[128];

	ck_assert_int_eq(mkdir(scratch_path("root"), 0700), 0);
	ck_assert_int_eq(mkdir(scratch_path("root/etc"), 0700), 0);
	write_file("root/file", "inside");
	write_file("outside", "text");
	int root = open(scratch_path("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(symlinkat(links[i], root, "link"), 0);
		int fd = elf_file_open_regular(root, "/link", true, &st);
		ck_assert_msg(fd >= 0, "%s: %s", links[i], strerror(errno));
		ck_assert_int_eq(st.st_size, 6);
		close(fd);
		unlinkat(root, "link", 0);
	}
	strcpy(outside, scratch_path("outside"));
	ck_assert_int_eq(symlinkat(outside, root, "link"), 0);
	ck_assert_int_eq(elf_file_open_regular(root, "/link", true, &st), -1);
	ck_assert_int_eq(elf_file_open_regular(root, "/../outside", true, &st), -1);
	close(root);
}
END_TEST

/* The fallback without openat2(), where the root is our own. */
START_TEST(test_links_below_our_own_root)
{
	char file[128];

	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	write_file("file", "inside");
	strcpy(file, scratch_path("file"));
	ck_assert_int_eq(symlink(file, scratch_path("link")), 0);
	ck_assert_int_eq(mkfifo(scratch_path("fifo"), 0600), 0);
	for (int i = 0; i < 2; i++) {
		int fd = elf_file_open_regular(root, scratch_path(i ? "link" : "file"), true, &st);
		ck_assert_msg(fd >= 0, "%s", strerror(errno));
		ck_assert_int_eq(st.st_size, 6);
		close(fd);
	}
	ck_assert_int_eq(elf_file_open_regular(root, scratch_path("none"), true, &st), -1);
	ck_assert_int_eq(errno, ENOENT);
	errno = EIO;
	ck_assert_int_eq(elf_file_open_regular(root, scratch_path("fifo"), true, &st), -1);
	ck_assert_int_eq(errno, 0);
	close(root);
}
END_TEST

START_TEST(test_what_is_no_elf_is_not_begun)
{
	write_file("text", "#!/bin/sh\n");
	write_file("empty", "");
	write_file("archive", "!<arch>\n");
	static const char *const names[] = {"text", "empty", "archive"};
	for (int i = 0; i < 3; i++) {
		int fd = open(scratch_path(names[i]), O_RDONLY | O_CLOEXEC);
		ck_assert_ptr_null(elf_file_begin(fd));
		close(fd);
	}
}
END_TEST

/* Returns whether the file of @id is opened as this process sees it. */
static bool opens(const struct elf_file_identity *id)
{
	int dirfd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	Elf *elf = elf_file_open(dirfd, id, &fd);

	close(dirfd);
	if (!elf)
		return false;
	ck_assert_int_ge(fd, 0);
	elf_end(elf);
	close(fd);
	return true;
}

START_TEST(test_only_the_file_that_is_mapped)
{
	char build_id[41];
	Dl_info libc;

	ck_assert_int_ne(dladdr((void *)gnu_get_libc_version, &libc), 0);
	int fd = open(libc.dli_fname, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &st), 0);
	Elf *elf = elf_file_begin(fd);
	elf_sections_build_id(elf, build_id);
	ck_assert_str_ne(build_id, "");
	elf_end(elf);
	close(fd);
	struct elf_file_identity id = {
		.path = libc.dli_fname,
		.name = "libc",
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
		.inode = st.st_ino,
		.build_id = "",
	};
	/* By its inode number, */
	ck_assert(opens(&id));
	id.inode++;
	ck_assert(!opens(&id));
	/* or its build-id. */
	id.build_id = build_id;
	ck_assert(opens(&id));
	build_id[0] = build_id[0] == '0' ? '1' : '0';
	ck_assert(!opens(&id));
	/* The kernel still has a program whose file is deleted, but only the program. */
	ck_assert_int_eq(stat("/proc/self/exe", &st), 0);
	id = (struct elf_file_identity){
		.path = "/nonexistent",
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
		.inode = st.st_ino,
		.build_id = "",
	};
	ck_assert(!opens(&id));
	id.is_exe = true;
	ck_assert(opens(&id));
	id.inode++;
	ck_assert(!opens(&id));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_elf_file");
	TCase *tc = tcase_create("elf_file");

	tcase_add_checked_fixture(tc, scratch_setup, scratch_teardown);
	tcase_add_test(tc, test_only_regular_files_are_opened);
	tcase_add_test(tc, test_links_stay_below_the_root);
	tcase_add_test(tc, test_links_below_our_own_root);
	tcase_add_test(tc, test_what_is_no_elf_is_not_begun);
	tcase_add_test(tc, test_only_the_file_that_is_mapped);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
