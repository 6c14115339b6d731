/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/own_usage: the figures of this process, which the test changes itself. */
#include "server/own_usage.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define SIZE (64 << 20)

START_TEST(test_memory)
{
	struct own_usage before, mapped, touched;

	own_usage_get(&before);
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	own_usage_get(&mapped);
	memset(p, 1, SIZE);
	own_usage_get(&touched);
	ck_assert_int_ge(mapped.virtual_bytes - before.virtual_bytes, SIZE);
	ck_assert_int_lt(mapped.resident_bytes - before.resident_bytes, SIZE / 2);
	ck_assert_int_gt(touched.resident_bytes - before.resident_bytes, SIZE / 2);
	munmap(p, SIZE);
}
END_TEST

static int count_open(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

START_TEST(test_file_descriptors)
{
	struct own_usage before, after;
	struct rlimit limit = {100, 100};

	own_usage_get(&before);
	int fds[] = {dup(0), dup(0), dup(0)};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	own_usage_get(&after);
	ck_assert_int_eq(before.open_fds, count_open() - 3);
	ck_assert_int_eq(after.open_fds, before.open_fds + 3);
	ck_assert_int_eq(after.max_fds, 100);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	own_usage_get(&after);
	ck_assert_int_eq(after.open_fds, before.open_fds);
}
END_TEST

START_TEST(test_processor_time)
{
	struct timespec used;
	struct own_usage u;

	do {
		/* The time is spent in the program, not in the kernel. */
		for (volatile int i = 0; i < 1000000; i++)
			continue;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (!used.tv_sec && used.tv_nsec < 200000000);
	own_usage_get(&u);
	/* The kernel has not counted the last few ticks yet. */
	ck_assert_double_gt(u.cpu_s, 0.1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	ck_assert_double_lt(u.cpu_s, (double)used.tv_sec + (double)used.tv_nsec / 1e9 + 0.1);
}
END_TEST

/* Check runs the test in its own process, which is started right before it. */
START_TEST(test_start_whatever_the_process_is_called)
{
	struct own_usage u;

	ck_assert_int_eq(prctl(PR_SET_NAME, ") 7 8 (9)"), 0);
	own_usage_get(&u);
	time_t now = time(NULL);
	ck_assert_double_gt(u.started_s, (double)now - 3600);
	ck_assert_double_lt(u.started_s, (double)now + 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("server_own_usage");
	TCase *tc = tcase_create("own_usage_get");

	tcase_add_test(tc, test_memory);
	tcase_add_test(tc, test_file_descriptors);
	tcase_add_test(tc, test_processor_time);
	tcase_add_test(tc, test_start_whatever_the_process_is_called);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
