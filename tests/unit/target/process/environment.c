/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/environment.c: the environment and the limit of a process, and texts of limits. */
#include "target/process/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

static pid_t child;
static struct target *target;

static void sleep_elsewhere(void)
{
	char *const argv[] = {"sleep", "600", NULL}, *const environment[] = {"OMP_NUM_THREADS=3", "OMP_PLACES=", NULL};
	const struct rlimit limit = {4096 << 10, RLIM_INFINITY};

	setrlimit(RLIMIT_STACK, &limit);
	child_shared->ready = 1;
	execve("/bin/sleep", argv, environment);
}

static void setup(void)
{
	child = child_start(sleep_elsewhere);
	child_wait_ready(1);
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 500, &target));
}

static void teardown(void)
{
	target_destroy(target);
	child_end(child);
}

START_TEST(test_a_process)
{
	static const char expected[] = "OMP_NUM_THREADS=3\0OMP_PLACES=";
	uint64_t limit;
	char *text = NULL;
	size_t len = 0;

	/* The child sleeps in its first program for a moment, too. */
	do {
		free(text);
		ck_assert_no_err(target_environment(target, &text, &len));
	} while (len != sizeof(expected));
	ck_assert_mem_eq(text, expected, sizeof(expected));
	free(text);
	ck_assert(target_stack_limit(target, &limit));
	ck_assert_uint_eq(limit, 4096 << 10);
}
END_TEST

START_TEST(test_limits)
{
	static const char text[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
				   "Max data size             unlimited            unlimited            bytes     \n"
				   "Max stack size            8388608              unlimited            bytes     \n"
				   "Max odd                   99999999999999999999999 1                 bytes     \n"
				   "Max empty                 ";
	uint64_t limit = 1;

	ck_assert(target_limit_parse(text, "Max stack size", &limit));
	ck_assert_uint_eq(limit, 8388608);
	ck_assert(target_limit_parse(text, "Max data size", &limit));
	ck_assert_uint_eq(limit, TARGET_UNLIMITED);
	ck_assert(!target_limit_parse(text, "Max odd", &limit));
	ck_assert(!target_limit_parse(text, "Max empty", &limit));
	ck_assert(!target_limit_parse(text, "Max nice priority", &limit));
	ck_assert(!target_limit_parse("", "Max stack size", &limit));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/environment");
	TCase *tc = tcase_create("limits"), *process = tcase_create("process");

	tcase_add_checked_fixture(process, setup, teardown);
	tcase_set_timeout(process, 60);
	tcase_add_test(process, test_a_process);
	tcase_add_test(tc, test_limits);
	suite_add_tcase(suite, process);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
