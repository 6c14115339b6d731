/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/memory/timed_reader on this process: present memory, missing memory, and memory that never arrives.
 */
#include "target/memory/timed_reader.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_main.h"

#define PAGE 4096

static struct timed_reader *open_self(void)
{
	return timed_reader_create(open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
				   open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
}

START_TEST(test_reads_what_is_there_and_what_has_to_come)
{
	struct timed_reader *r = open_self();
	char *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char got[16];

	ck_assert_ptr_nonnull(r);
	memcpy(memory + PAGE - 8, "0123456789abcdef", 16);
	ck_assert(timed_reader_is_present(r, (uint64_t)(uintptr_t)memory + PAGE - 8, 16));
	ck_assert(timed_reader_read(r, (uint64_t)(uintptr_t)memory + PAGE - 8, got, 16, 10000));
	ck_assert_mem_eq(got, "0123456789abcdef", 16);
	/* No access has touched the third page yet. */
	ck_assert(!timed_reader_is_present(r, (uint64_t)(uintptr_t)memory + 2 * PAGE, 16));
	ck_assert(timed_reader_read(r, (uint64_t)(uintptr_t)memory + 2 * PAGE, got, 16, 10000));
	ck_assert_int_eq(got[0], 0);
	munmap(memory, 3 * PAGE);
	ck_assert(!timed_reader_read(r, (uint64_t)(uintptr_t)memory, got, 16, 10000));
	ck_assert(!timed_reader_read(r, UINT64_MAX - 4, got, 16, 10000));
	timed_reader_destroy(r);
}
END_TEST

START_TEST(test_waits_no_longer_than_asked)
{
	struct timed_reader *r = open_self();
	char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char got[16], page[PAGE] = "came";
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(uintptr_t)memory, PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)) {
		fprintf(stderr, "no userfaultfd here\n");
		timed_reader_destroy(r);
		return;
	}
	memory[PAGE] = 'x';
	ck_assert(!timed_reader_read(r, (uint64_t)(uintptr_t)memory, got, 16, 50));
	/* Present memory is still read. Missing memory does not cause a second wait. */
	ck_assert(timed_reader_read(r, (uint64_t)(uintptr_t)memory + PAGE, got, 1, 10000));
	ck_assert_int_eq(got[0], 'x');
	ck_assert(!timed_reader_read(r, (uint64_t)(uintptr_t)memory, got, 16, 600000));
	struct uffdio_copy copy = {.dst = (uintptr_t)memory, .src = (uintptr_t)page, .len = PAGE};
	ck_assert_int_eq(ioctl(fd, UFFDIO_COPY, &copy), 0);
	ck_assert(timed_reader_read(r, (uint64_t)(uintptr_t)memory, got, 5, 10000));
	ck_assert_str_eq(got, "came");
	timed_reader_destroy(r);
	close(fd);
	munmap(memory, 2 * PAGE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_reach");
	TCase *tc = tcase_create("timed_reader");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_reads_what_is_there_and_what_has_to_come);
	tcase_add_test(tc, test_waits_no_longer_than_asked);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
