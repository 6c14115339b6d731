/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/elf/code_files.c on this very process. */
#include "target/elf/code_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scratch.h"

static int self;
static struct code_files files;
static struct code_cache *cache;

static void setup(void)
{
	scratch_setup();
	self = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_no_err(code_files_read(self, &files));
	cache = code_cache_create();
}

static void teardown(void)
{
	code_cache_destroy(cache);
	code_files_deinit(&files);
	close(self);
	scratch_teardown();
}

/* Returns the mapped file whose path contains @part. */
static const struct proc_map *find(const char *part)
{
	for (size_t i = 0; i < files.n; i++) {
		if (memmem(files.files[i]->path, files.files[i]->path_len, part, strlen(part)))
			return files.files[i];
	}
	return NULL;
}

START_TEST(test_each_file_is_there_once)
{
	ck_assert_ptr_nonnull(find("/libc"));
	for (size_t i = 0; i < files.n; i++) {
		ck_assert(files.files[i]->exec && files.files[i]->path[0] == '/');
		for (size_t k = 0; k < i; k++)
			ck_assert(files.files[k]->inode != files.files[i]->inode ||
				  files.files[k]->dev_minor != files.files[i]->dev_minor);
	}
}
END_TEST

/* These functions are not static. Exported or not, they are in this program's symbol table. */
int code_files_mark(void);
int code_files_mark(void)
{
	return 1;
}

static enum code_answer defines(const struct proc_map *map, const char *symbol)
{
	struct code_file file;

	code_file_open(self, map, &file);
	enum code_answer answer = code_file_defines(cache, &file, symbol);
	/* The answer is the same for an open file. */
	ck_assert_int_eq(code_file_defines(cache, &file, symbol), answer);
	code_file_close(&file);
	return answer;
}

START_TEST(test_definitions_of_a_library_and_of_the_program)
{
	const struct proc_map *libc = find("/libc");

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(defines(libc, "fopen"), CODE_YES);
		ck_assert_int_eq(defines(libc, "code_files_mark"), CODE_NO);
		ck_assert_int_eq(defines(NULL, "code_files_mark"), CODE_YES);
		/* These functions are used, but not defined here. */
		ck_assert_int_eq(defines(NULL, "memmem"), CODE_NO);
	}
	ck_assert_int_eq(code_files_mark(), 1);
}
END_TEST

START_TEST(test_a_file_that_is_another_by_now)
{
	const char *path = scratch_path("code.so");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);

	ck_assert_int_eq(ftruncate(fd, 8192), 0);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED)
		CHECK_SKIP("no file in the folder of temporary files can be executed");
	close(fd);
	code_files_deinit(&files);
	ck_assert_no_err(code_files_read(self, &files));
	const struct proc_map *file = find("code.so");
	ck_assert_ptr_nonnull(file);
	/* It is not an ELF file. */
	ck_assert_int_eq(defines(file, "main"), CODE_UNKNOWN);
	unlink(path);
	ck_assert_int_eq(link("/proc/self/exe", path) == 0 || symlink("/proc/self/exe", path) == 0, 1);
	ck_assert_int_eq(defines(file, "main"), CODE_UNKNOWN);
	munmap(code, 4096);
}
END_TEST

START_TEST(test_no_process)
{
	struct code_files none;

	int fd = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_err(code_files_read(fd, &none), ERR_TARGET_EXITED);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target/elf/code_files");
	TCase *t = tcase_create("code_files");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_each_file_is_there_once);
	tcase_add_test(t, test_definitions_of_a_library_and_of_the_program);
	tcase_add_test(t, test_a_file_that_is_another_by_now);
	tcase_add_test(t, test_no_process);
	suite_add_tcase(s, t);
	return check_main(s);
}
