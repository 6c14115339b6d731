/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/activity_files.c: thread states from files that stay open. */
#include "target/activity_files.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

#define N_THREADS (ACTIVITY_FILES_MAX + 6)

static pid_t pid;
static int taskfd = -1;
static struct activity_files files;

static int open_tasks(pid_t of)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)of);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void setup(void)
{
	pid = child_start(child_sleeper);
	child_wait_ready(1);
	ck_assert(child_wait_state(pid, 'S'));
	taskfd = open_tasks(pid);
}

static void teardown(void)
{
	activity_files_deinit(&files);
	close(taskfd);
	child_end(pid);
}

START_TEST(test_a_sleeping_thread_is_told_again_and_again)
{
	for (int i = 0; i < 3; i++) {
		struct target_activity now = {0};

		activity_files_read(&files, taskfd, pid, &now);
		ck_assert(now.known && now.in_syscall);
		ck_assert_uint_ne(now.sp, 0);
		ck_assert_uint_eq(files.n, 1);
	}
}
END_TEST

START_TEST(test_a_thread_that_runs_is_not_known)
{
	pid_t counting = child_start(child_four_counting);
	int its = open_tasks(counting);

	bool runs = false;

	/* It may sleep for a moment at its start. */
	for (int i = 0; !runs && i < 300000; i++) {
		struct target_activity now = {0};

		activity_files_read(&files, its, counting, &now);
		runs = files.n == 1 && !now.known;
		usleep(100);
	}
	ck_assert(runs);
	close(its);
	child_end(counting);
}
END_TEST

START_TEST(test_the_file_of_a_thread_that_is_gone_is_closed)
{
	struct target_activity now = {0};

	activity_files_read(&files, taskfd, pid, &now);
	ck_assert(now.known);
	child_end(pid);
	now = (struct target_activity){0};
	activity_files_read(&files, taskfd, pid, &now);
	ck_assert(!now.known);
	ck_assert_uint_eq(files.n, 0);
	pid = child_start(child_sleeper);
}
END_TEST

static int ends[2];
static volatile pid_t tids[N_THREADS];

static void *wait_for_end(void *arg)
{
	char byte;

	*(volatile pid_t *)arg = (pid_t)syscall(SYS_gettid);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	return NULL;
}

START_TEST(test_of_many_threads_a_bounded_number_is_kept_open)
{
	pthread_t threads[N_THREADS];
	int own = open_tasks(getpid());

	ck_assert_int_eq(pipe(ends), 0);
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_end, (void *)&tids[i]), 0);
	for (int i = 0; i < N_THREADS; i++) {
		while (!tids[i])
			usleep(100);
		ck_assert(child_wait_thread_state(getpid(), tids[i], 'S'));
	}
	for (int k = 0; k < 2; k++) {
		for (int i = N_THREADS; i-- > 0;) {
			struct target_activity now = {0};

			activity_files_read(&files, own, tids[i], &now);
			ck_assert(now.known && now.in_syscall);
			ck_assert_uint_le(files.n, ACTIVITY_FILES_MAX);
		}
	}
	close(ends[1]);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	close(ends[0]);
	close(own);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/activity_files");
	TCase *tc = tcase_create("activity_files");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_sleeping_thread_is_told_again_and_again);
	tcase_add_test(tc, test_a_thread_that_runs_is_not_known);
	tcase_add_test(tc, test_the_file_of_a_thread_that_is_gone_is_closed);
	tcase_add_test(tc, test_of_many_threads_a_bounded_number_is_kept_open);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
