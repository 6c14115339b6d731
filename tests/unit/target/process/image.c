/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/image: forks, processes that executed their program, and the process of a thread number. */
#include "target/process/image.h"

#include <poll.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

static pid_t child;
static struct target *target;

static void teardown(void)
{
	if (target)
		target_destroy(target);
	target = NULL;
	child_end(child);
}

static void sleep_elsewhere(void)
{
	child_shared->ready = 1;
	execl("/bin/sleep", "sleep", "600", NULL);
}

static void attach(void (*body)(void), enum target_mode mode)
{
	child = child_start(body);
	child_wait_ready(1);
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_no_err(target_attach(child, mode, 500, &target));
}

START_TEST(test_a_fork_is_one)
{
	attach(child_sleeper, _i ? TARGET_STOP : TARGET_OBSERVE);
	ck_assert_int_eq(target_image(target), TARGET_IMAGE_FORKED);
	/* This process forked it, and is older. */
	ck_assert_int_eq(target_find_fork_parent(target, gettid()), getpid());
	/* The child's thread does not belong to its parent, and init's main thread belongs to another process. */
	ck_assert_int_eq(target_find_fork_parent(target, child), 0);
	ck_assert_int_eq(target_find_fork_parent(target, 1), 0);
	ck_assert_int_eq(target_find_fork_parent(target, 0), 0);
}
END_TEST

/* The shell that it was forked from no longer exists, with all its memory. */
START_TEST(test_what_executes_a_program_has_memory_of_its_own)
{
	attach(sleep_elsewhere, TARGET_OBSERVE);
	while (target_image(target) != TARGET_IMAGE_EXECUTED)
		poll(NULL, 0, 1);
	ck_assert_int_eq(target_find_fork_parent(target, gettid()), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/image");
	TCase *tc = tcase_create("image");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_a_fork_is_one, 0, 2);
	tcase_add_test(tc, test_what_executes_a_program_has_memory_of_its_own);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
