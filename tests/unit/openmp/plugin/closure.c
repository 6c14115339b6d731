/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/plugin/closure and of target/elf_needs, on the libraries that other tests load. */
#include "check_main.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "openmp/plugin/closure.h"
#include "target/elf/elf_needs.h"

static int opened(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(test_an_ompd_library_is_one)
{
	_cleanup_close_ int fd = opened(FAKE_LIBOMPD);
	_cleanup_close_ int self = opened("/proc/self/exe");
	_cleanup_close_ int null = opened("/dev/null");

	ck_assert_no_err(closure_check_kind("/x", fd));
	ck_assert_err(closure_check_kind("/x", self), ERR_PLUGIN_LOAD_FAILED);
	ck_assert_err(closure_check_kind("/x", null), ERR_PLUGIN_LOAD_FAILED);
}
END_TEST

START_TEST(test_what_it_needs)
{
	_cleanup_close_ int fd = opened(FAKE_LIBOMPD);
	struct elf_needs needs;
	bool libc = false;

	ck_assert(elf_needs_read(fd, "ompd_no_such_routine", &needs));
	ck_assert(!needs.has_symbol);
	for (size_t i = 0; i < needs.n_names; i++)
		libc |= !strncmp(needs.names[i], "libc.so", 7);
	ck_assert(libc);
	elf_needs_deinit(&needs);
}
END_TEST

/* With arbitrary bytes the read may succeed or fail: there is nothing more to check. */
START_TEST(test_broken_files)
{
	_cleanup_close_ int fd = opened(FAKE_LIBOMPD);
	_cleanup_close_ int copy = memfd_create("broken", MFD_CLOEXEC);
	struct elf_needs needs;
	struct stat st;
	unsigned seed = 1;

	ck_assert_int_eq(fstat(fd, &st), 0);
	_cleanup_free_ unsigned char *bytes = malloc((size_t)st.st_size);
	ck_assert_int_eq(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	for (int i = 0; i < 3000; i++) {
		/* The header, the segments, and the tables behind them. */
		size_t at = (size_t)rand_r(&seed) % (i % 2 ? 1024 : (size_t)st.st_size), len = (size_t)st.st_size;
		unsigned char was = bytes[at];

		if (i % 16 == 0)
			len = at;
		bytes[at] ^= (unsigned char)(1 << (rand_r(&seed) % 8));
		ck_assert_int_eq(ftruncate(copy, 0), 0);
		ck_assert_int_eq(pwrite(copy, bytes, len, 0), (ssize_t)len);
		if (elf_needs_read(copy, "ompd_initialize", &needs))
			elf_needs_deinit(&needs);
		bytes[at] = was;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/plugin/closure");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, test_an_ompd_library_is_one);
	tcase_add_test(tcase, test_what_it_needs);
	tcase_add_test(tcase, test_broken_files);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
