/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/thread_texts: threads' names and states, read by another thread meanwhile. */
#include "target/process/thread_texts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "base/helper_thread.h"
#include "target/proc/observe.h"

#define N_THREADS 5

static pid_t pid;
static int taskfd;
static struct helper_thread *helper;
static struct thread_texts texts;
static struct target_thread threads[N_THREADS];

static void setup(void)
{
	char path[64];

	pid = child_start(child_four_futex);
	child_wait_ready(N_THREADS);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(taskfd, 0);
	/* The order differs from that of the numbers. */
	for (int i = 0; i < N_THREADS; i++) {
		threads[i] = (struct target_thread){.tid = child_shared->tids[N_THREADS - 1 - i]};
		ck_assert(child_wait_thread_state(pid, threads[i].tid, 'S'));
	}
	ck_assert_no_err(helper_thread_create("unit-texts", 0, &helper));
}

static void teardown(void)
{
	thread_texts_deinit(&texts);
	helper_thread_destroy(helper);
	close(taskfd);
	child_end(pid);
}

START_TEST(test_names_and_calls_are_those_of_each_thread)
{
	thread_texts_begin(&texts, &helper, taskfd, threads, N_THREADS);
	thread_texts_begin_activities(&texts);
	for (int i = 0; i < N_THREADS; i++) {
		struct target_thread own = {.tid = threads[i].tid};
		struct target_activity activity = {0}, wanted = {0};

		observe_comm(taskfd, &own);
		observe_activity(taskfd, own.tid, &wanted);
		ck_assert(wanted.known && wanted.in_syscall && wanted.syscall == SYS_futex);
		ck_assert(thread_texts_name(&texts, &threads[i]));
		ck_assert_str_eq(threads[i].comm, own.comm);
		ck_assert(thread_texts_activity(&texts, threads[i].tid, &activity));
		ck_assert_mem_eq(&activity, &wanted, sizeof(activity));
	}
}
END_TEST

START_TEST(test_what_was_not_begun_is_not_known)
{
	struct target_activity activity;
	struct target_thread stranger = {.tid = getpid()};

	thread_texts_begin_activities(&texts);
	ck_assert(!thread_texts_name(&texts, &threads[0]));
	ck_assert(!thread_texts_activity(&texts, threads[0].tid, &activity));
	thread_texts_begin(&texts, &helper, taskfd, threads, N_THREADS);
	ck_assert(!thread_texts_activity(&texts, threads[0].tid, &activity));
	ck_assert(!thread_texts_name(&texts, &stranger));
	ck_assert(thread_texts_name(&texts, &threads[0]));
}
END_TEST

START_TEST(test_what_is_too_old_is_not_told)
{
	struct target_activity activity;

	thread_texts_begin(&texts, &helper, taskfd, threads, N_THREADS);
	thread_texts_begin_activities(&texts);
	ck_assert(thread_texts_activity(&texts, threads[0].tid, &activity));
	/* As if it had been long ago. */
	texts.asked_us -= 60 * 1000000;
	ck_assert(!thread_texts_activity(&texts, threads[0].tid, &activity));
	ck_assert(thread_texts_name(&texts, &threads[0]));
}
END_TEST

START_TEST(test_threads_that_are_gone_have_no_name)
{
	child_end(pid);
	thread_texts_begin(&texts, &helper, taskfd, threads, N_THREADS);
	thread_texts_begin_activities(&texts);
	for (int i = 0; i < N_THREADS; i++) {
		struct target_activity activity = {.known = true};

		ck_assert(!thread_texts_name(&texts, &threads[i]));
		ck_assert(!thread_texts_activity(&texts, threads[i].tid, &activity) || !activity.known);
	}
	pid = child_start(child_sleeper);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/thread_texts");
	TCase *tc = tcase_create("thread_texts");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_names_and_calls_are_those_of_each_thread);
	tcase_add_test(tc, test_what_was_not_begun_is_not_known);
	tcase_add_test(tc, test_what_is_too_old_is_not_told);
	tcase_add_test(tc, test_threads_that_are_gone_have_no_name);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
