/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/stop/live_release.c: the end of a stop for threads that have changed meanwhile. */
#include "target/stop/live_release.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

static pid_t child;
static struct live live;

static void teardown(void)
{
	if (child > 0)
		child_end(child);
	child = 0;
	timer_delete(live.timer);
	free(live.threads);
	live = (struct live){0};
}

static void *exec_thread(void *arg)
{
	child_shared->tids[1] = gettid();
	child_shared->ready = 1;
	while (child_shared->go < 2)
		usleep(1000);
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
	return arg;
}

static void sleep_beside_an_exec(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_thread, NULL))
		abort();
	for (;;)
		pause();
}

static void leave_an_exec(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_thread, NULL))
		abort();
	while (child_shared->go < 1)
		usleep(1000);
	pthread_exit(NULL);
}

/* Traces @tid, like a stop that was abandoned before it reached the thread. */
static void trace(pid_t tid, enum thread_state state)
{
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, tid, NULL, (void *)(long)PTRACE_O_TRACEEXEC), 0);
	live.threads[live.n++] = (struct live_thread){.tid = tid, .state = state};
}

static void begin(void (*body)(void))
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};

	child = child_start(body);
	child_wait_ready(1);
	live.pid = child;
	live.retry_ms = LIVE_RETRY_MS;
	live.threads = calloc(2, sizeof(*live.threads));
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &none, &live.timer), 0);
}

/*
 * Wait until the thread that has the main thread's number by exec is stopped, and leave its report in place. The
 * number's former owner has no report.
 */
static void await_exec(void)
{
	siginfo_t info;
	int r;

	do
		r = waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOWAIT | __WALL);
	while (r && errno == ECHILD);
	ck_assert_int_eq(r, 0);
}

static void check_released(void)
{
	live_let_all_go(&live);
	ck_assert(live.exec_seen);
	ck_assert_int_eq(live.n, 0);
	ck_assert(child_wait_state(child, 'S'));
}

/* The zombie of a main thread is not awaited like others. The thread that takes over its number is stopped. */
START_TEST(test_exec_behind_a_main_thread_that_left)
{
	begin(leave_an_exec);
	trace(child, LIVE_ZOMBIE);
	trace(child_shared->tids[1], LIVE_INTERRUPTED);
	child_shared->go = 1;
	ck_assert(child_wait_state(child, 'Z'));
	child_shared->go = 2;
	await_exec();
	check_released();
}
END_TEST

/* A stop leaves sleeping threads untraced: only the thread that calls exec is in the table. */
START_TEST(test_exec_beside_a_main_thread_that_sleeps)
{
	begin(sleep_beside_an_exec);
	trace(child_shared->tids[1], LIVE_INTERRUPTED);
	child_shared->go = 2;
	await_exec();
	check_released();
}
END_TEST

/* The exec kills the stopped main thread, and its entry in the table then stands for the thread that called exec. */
START_TEST(test_exec_beside_a_main_thread_that_is_stopped)
{
	int status;

	begin(sleep_beside_an_exec);
	trace(child, LIVE_INTERRUPTED);
	trace(child_shared->tids[1], LIVE_INTERRUPTED);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	live.threads[0].state = LIVE_STOPPED;
	child_shared->go = 2;
	await_exec();
	live_reap(&live);
	ck_assert(live.exec_seen);
	check_released();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_live_release");
	TCase *tc = tcase_create("release");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_exec_behind_a_main_thread_that_left);
	tcase_add_test(tc, test_exec_beside_a_main_thread_that_sleeps);
	tcase_add_test(tc, test_exec_beside_a_main_thread_that_is_stopped);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
