/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/process/sleepers.c: proofs that threads sleep, of real processes and of files like the kernel's. */
#include "target/process/sleepers.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "scratch.h"

static pid_t pid;
static int taskfd = -1;
static struct sleepers sleepers;

static void open_tasks(pid_t of)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)of);
	taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(taskfd, 0);
}

static void start(void (*body)(void), int n_ready)
{
	pid = child_start(body);
	child_wait_ready(n_ready);
	open_tasks(pid);
}

static void setup(void)
{
	scratch_setup();
}

static void teardown(void)
{
	sleepers_deinit(&sleepers);
	if (taskfd >= 0)
		close(taskfd);
	taskfd = -1;
	if (pid)
		child_end(pid);
	pid = 0;
	scratch_teardown();
}

/* Begin a proof about @tid alone. */
static bool begin(pid_t tid, bool is_first)
{
	if (is_first)
		sleepers_reset(&sleepers);
	return sleepers_begin(&sleepers, taskfd, &tid, 1);
}

/* Real threads */

START_TEST(test_a_sleeping_thread_is_proven)
{
	struct target_activity now;

	start(child_sleeper, 1);
	ck_assert(child_wait_state(pid, 'S'));
	for (int i = 0; i < 3; i++) {
		ck_assert(begin(pid, true));
		ck_assert(sleepers_rely_on(&sleepers, pid));
		ck_assert(sleepers_slept(&sleepers));
		ck_assert(sleepers_recall(&sleepers, pid, &now));
		ck_assert(now.known && now.in_syscall && now.sp);
		now = (struct target_activity){0};
		sleepers_read(&sleepers, taskfd, pid, &now);
		ck_assert(now.known && now.in_syscall);
		ck_assert_uint_eq(sleepers.n, 1);
	}
}
END_TEST

START_TEST(test_a_running_thread_is_not_relied_on)
{
	bool runs = false;

	start(child_four_counting, 5);
	/* It sleeps for a moment now and then. */
	for (int i = 0; !runs && i < 300000; i++) {
		struct target_activity now = {0};

		ck_assert(begin(pid, true));
		runs = !sleepers_rely_on(&sleepers, pid);
		if (runs)
			ck_assert(!sleepers_recall(&sleepers, pid, &now));
		usleep(100);
	}
	ck_assert(runs);
}
END_TEST

/* Wake the main thread of child_four_futex(), which sleeps again. */
static void wake(void)
{
	syscall(SYS_futex, &child_shared->futex, FUTEX_WAKE, 100, NULL, NULL, 0);
	usleep(20000);
	ck_assert(child_wait_state(pid, 'S'));
}

START_TEST(test_a_thread_that_woke_breaks_the_proof_and_is_excluded)
{
	struct target_activity now = {0};

	start(child_four_futex, 5);
	ck_assert(child_wait_state(pid, 'S'));
	ck_assert(begin(pid, true));
	ck_assert(sleepers_rely_on(&sleepers, pid));
	wake();
	/* It sleeps again, at the same place: a read must not hide that it ran. */
	sleepers_read(&sleepers, taskfd, pid, &now);
	ck_assert(now.known);
	ck_assert(!sleepers_slept(&sleepers));
	ck_assert(!sleepers_one_slept(&sleepers, pid));
	for (int i = 0; i < 2; i++) {
		ck_assert(begin(pid, false));
		ck_assert(!sleepers_rely_on(&sleepers, pid));
		ck_assert(sleepers_slept(&sleepers));
		ck_assert(!sleepers_one_slept(&sleepers, pid));
	}
	ck_assert(begin(pid, true));
	ck_assert(sleepers_rely_on(&sleepers, pid));
	ck_assert(sleepers_slept(&sleepers));
	ck_assert(sleepers_one_slept(&sleepers, pid));
	ck_assert(!sleepers_one_slept(&sleepers, 1));
}
END_TEST

START_TEST(test_a_thread_that_is_gone_breaks_the_proof)
{
	struct target_activity now = {0};

	start(child_sleeper, 1);
	ck_assert(child_wait_state(pid, 'S'));
	for (int reads = 0; reads < 2; reads++) {
		ck_assert(begin(pid, true));
		child_end(pid);
		if (reads)
			sleepers_read(&sleepers, taskfd, pid, &now);
		ck_assert(!now.known);
		ck_assert(!sleepers_slept(&sleepers));
		ck_assert(!begin(pid, true));
		ck_assert_uint_eq(sleepers.n, 0);
		close(taskfd);
		start(child_sleeper, 1);
		ck_assert(child_wait_state(pid, 'S'));
	}
}
END_TEST

static void vfork_and_wait(void)
{
	child_shared->tids[0] = getpid();
	child_shared->ready = 1;
	if (vfork() == 0) {
		child_shared->tids[1] = (pid_t)syscall(SYS_getpid);
		pause();
		_exit(0);
	}
	pause();
}

START_TEST(test_the_parent_of_a_vfork_proves_nothing)
{
	start(vfork_and_wait, 1);
	ck_assert(child_wait_state(pid, 'D'));
	ck_assert(begin(pid, true));
	/* It sleeps, but its child may change the memory. */
	ck_assert(!sleepers_rely_on(&sleepers, pid));
	while (!child_shared->tids[1])
		usleep(100);
	kill(child_shared->tids[1], SIGKILL);
	ck_assert(child_wait_state(pid, 'S'));
	ck_assert(begin(pid, true));
	ck_assert(sleepers_rely_on(&sleepers, pid));
}
END_TEST

/* Files like the kernel's */

static void write_file(int tid, const char *name, const char *format, ...)
{
	char path[64];
	va_list args;

	snprintf(path, sizeof(path), "%d/%s", tid, name);
	FILE *f = fopen(scratch_path(path), "w");
	ck_assert_ptr_nonnull(f);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	ck_assert_int_eq(fclose(f), 0);
}

#define CALL "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc00 0x401000\n"

static void add_thread(int tid)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", tid);
	ck_assert_int_eq(mkdir(scratch_path(name), 0700), 0);
	write_file(tid, "schedstat", "123 45 7\n");
	write_file(tid, "syscall", CALL);
	write_file(tid, "status", "Name:\tx\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n");
	if (taskfd < 0)
		taskfd = open(scratch, O_RDONLY | O_DIRECTORY);
}

START_TEST(test_an_equal_count_is_enough)
{
	add_thread(10);
	ck_assert(begin(10, true));
	/* The state is not read again. */
	write_file(10, "syscall", "running\n");
	ck_assert(sleepers_slept(&sleepers));
	ck_assert(begin(10, true));
	write_file(10, "schedstat", "123 45 8\n");
	ck_assert(!sleepers_slept(&sleepers));
}
END_TEST

START_TEST(test_without_schedstats_switches_and_states_prove_it)
{
	add_thread(10);
	write_file(10, "schedstat", "0 0 0\n");
	ck_assert(begin(10, true));
	ck_assert(sleepers_rely_on(&sleepers, 10));
	ck_assert(sleepers_slept(&sleepers));
	/* It runs and has not lost its processor yet: the count is the same. */
	ck_assert(begin(10, true));
	write_file(10, "syscall", "running\n");
	ck_assert(!sleepers_slept(&sleepers));
	write_file(10, "syscall", CALL);
	ck_assert(begin(10, true));
	write_file(10, "status",
		   "voluntary_ctxt_switches:\t0\nvoluntary_ctxt_switches:\t6\n"
		   "nonvoluntary_ctxt_switches:\t2\n");
	ck_assert(!sleepers_slept(&sleepers));
	ck_assert(begin(10, true));
	write_file(10, "status", "x\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t4\n");
	ck_assert(!sleepers_slept(&sleepers));
}
END_TEST

START_TEST(test_without_counts_nothing_is_proven)
{
	add_thread(10);
	write_file(10, "schedstat", "0 0 0\n");
	write_file(10, "status", "Name:\tx\n");
	ck_assert(!begin(10, true));
	ck_assert(!sleepers_rely_on(&sleepers, 10));
	ck_assert_uint_eq(sleepers.n, 0);
}
END_TEST

START_TEST(test_a_thread_that_is_ending_is_not_relied_on)
{
	add_thread(10);
	write_file(10, "syscall", "-1 0x0 0xffffffffffffffff\n");
	ck_assert(begin(10, true));
	ck_assert(!sleepers_rely_on(&sleepers, 10));
}
END_TEST

START_TEST(test_a_thread_in_exec_is_not_relied_on)
{
	static const int calls[] = {SYS_execve, SYS_execveat};

	for (int i = 0; i < 2; i++) {
		char text[80];

		add_thread(10 + i);
		snprintf(text, sizeof(text), "%d 0x1 0x2 0x3 0x0 0x0 0x0 0x7ffc00 0x401000\n", calls[i]);
		write_file(10 + i, "syscall", "%s", text);
		ck_assert(begin(10 + i, true));
		ck_assert(!sleepers_rely_on(&sleepers, 10 + i));
	}
}
END_TEST

START_TEST(test_other_threads_are_forgotten)
{
	const pid_t tids[] = {5, 10, 20, 30};

	for (int i = 0; i < 4; i++)
		add_thread(tids[i]);
	ck_assert(sleepers_begin(&sleepers, taskfd, tids, 4));
	for (int i = 0; i < 4; i++)
		ck_assert(sleepers_rely_on(&sleepers, tids[i]));
	ck_assert(sleepers_begin(&sleepers, taskfd, tids + 1, 2));
	ck_assert_uint_eq(sleepers.n, 2);
	ck_assert(!sleepers_rely_on(&sleepers, 5));
	ck_assert(sleepers_rely_on(&sleepers, 10));
	ck_assert(sleepers_rely_on(&sleepers, 20));
	ck_assert(sleepers_slept(&sleepers));
}
END_TEST

START_TEST(test_a_limit_of_files_leaves_threads_unproven)
{
	const struct rlimit files = {32, 32};
	const pid_t tids[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
	size_t n = sizeof(tids) / sizeof(*tids), n_relied = 0;

	for (size_t i = 0; i < n; i++)
		add_thread(tids[i]);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (int round = 0; round < 3; round++) {
		ck_assert(sleepers_begin(&sleepers, taskfd, tids, n));
		n_relied = 0;
		for (size_t i = 0; i < n; i++) {
			struct target_activity now = {0};

			n_relied += sleepers_rely_on(&sleepers, tids[i]);
			/* The activity is read all the same. */
			sleepers_read(&sleepers, taskfd, tids[i], &now);
			ck_assert(now.known);
		}
		ck_assert(sleepers_slept(&sleepers));
		ck_assert_uint_eq(n_relied, 8);
	}
	/* Between proofs, the files of other threads may be closed. */
	for (size_t i = n; i-- > 0;) {
		struct target_activity now = {0};

		sleepers_read(&sleepers, taskfd, tids[i], &now);
		ck_assert(now.known);
		ck_assert_uint_le(sleepers.n, 8);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/sleepers");
	TCase *tc = tcase_create("sleepers");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_a_sleeping_thread_is_proven);
	tcase_add_test(tc, test_a_running_thread_is_not_relied_on);
	tcase_add_test(tc, test_a_thread_that_woke_breaks_the_proof_and_is_excluded);
	tcase_add_test(tc, test_a_thread_that_is_gone_breaks_the_proof);
	tcase_add_test(tc, test_the_parent_of_a_vfork_proves_nothing);
	tcase_add_test(tc, test_an_equal_count_is_enough);
	tcase_add_test(tc, test_without_schedstats_switches_and_states_prove_it);
	tcase_add_test(tc, test_without_counts_nothing_is_proven);
	tcase_add_test(tc, test_a_thread_that_is_ending_is_not_relied_on);
	tcase_add_test(tc, test_a_thread_in_exec_is_not_relied_on);
	tcase_add_test(tc, test_other_threads_are_forgotten);
	tcase_add_test(tc, test_a_limit_of_files_leaves_threads_unproven);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
