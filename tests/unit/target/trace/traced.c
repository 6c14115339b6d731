/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/trace/traced.c: the kernel's reports about traced threads, with processes in unusual states. */
#include "target/trace/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

#define OPTIONS (PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE)

static pid_t child;
static int taskfd = -1;

static void teardown(void)
{
	if (child > 0)
		child_end(child);
	child = 0;
	close(taskfd);
	taskfd = -1;
}

static void begin(void (*body)(void))
{
	char path[32];

	child = child_start(body);
	child_wait_ready(1);
	snprintf(path, sizeof(path), "/proc/%d/task", child);
	taskfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(taskfd, 0);
}

/* Waits for the child's next event. */
static struct traced_news await_news(void)
{
	int status;
	pid_t r;

	while ((r = traced_wait(child, &status)) == 0)
		traced_give_way(100, 1);
	ck_assert_int_eq(r, child);
	return traced_read(status);
}

#define assert_news(wanted_kind, wanted_sig)                                                                           \
	do {                                                                                                           \
		struct traced_news news = await_news();                                                                \
		ck_assert_int_eq(news.kind, wanted_kind);                                                              \
		ck_assert_int_eq(news.sig, wanted_sig);                                                                \
	} while (0)

START_TEST(test_stops)
{
	begin(child_sleeper);
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_SEIZED);
	/* Another tracer has attached already. */
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_REFUSED);
	ck_assert_int_eq(errno, EPERM);
	traced_interrupt(child);
	assert_news(TRACED_INTERRUPTED, 0);
	ck_assert_int_eq(traced_state(taskfd, child), 't');
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	kill(child, SIGSTOP);
	assert_news(TRACED_SIGNAL, SIGSTOP);
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, NULL, (void *)(long)SIGSTOP), 0);
	assert_news(TRACED_GROUP_STOP, SIGSTOP);
	ck_assert(traced_detach(child, 0));
	ck_assert(child_wait_state(child, 'T'));
	kill(child, SIGCONT);
	ck_assert(child_wait_state(child, 'S'));
}
END_TEST

START_TEST(test_end)
{
	begin(child_sleeper);
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_SEIZED);
	traced_interrupt(child);
	assert_news(TRACED_INTERRUPTED, 0);
	kill(child, SIGKILL);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert(!traced_detach(child, 0));
	assert_news(TRACED_END, 0);
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_GONE);
	ck_assert_int_eq(traced_state(taskfd, child), 'X');
	ck_assert(traced_is_over(traced_state(AT_FDCWD, child)));
	child = 0;
}
END_TEST

static void *sleep_thread(void *arg)
{
	child_shared->ready = 1;
	for (;;)
		pause();
	return arg;
}

static void leave(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_thread, NULL);
	pthread_exit(NULL);
}

START_TEST(test_main_thread_that_left)
{
	int status;

	begin(leave);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_ZOMBIE);
	ck_assert_int_eq(traced_wait(child, &status), 0);
}
END_TEST

static void start_and_exec(void)
{
	pthread_t thread;

	child_shared->ready = 1;
	while (!child_shared->go)
		usleep(1000);
	pthread_create(&thread, NULL, sleep_thread, NULL);
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
}

START_TEST(test_events)
{
	begin(start_and_exec);
	ck_assert_int_eq(traced_seize(taskfd, child, OPTIONS), TRACED_SEIZED);
	child_shared->go = 1;
	assert_news(TRACED_CLONE, 0);
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	/* The new thread is traced, too, and its end must be awaited. */
	struct traced_news news;
	do {
		int status;
		pid_t r = waitpid(-1, &status, __WALL);

		ck_assert_int_gt(r, 0);
		news = traced_read(status);
		if (r != child && news.kind == TRACED_INTERRUPTED)
			ptrace(PTRACE_CONT, r, NULL, NULL);
	} while (news.kind == TRACED_INTERRUPTED || news.kind == TRACED_END);
	ck_assert_int_eq(news.kind, TRACED_EXEC);
	ck_assert(traced_detach(child, 0));
	ck_assert(child_wait_state(child, 'S'));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_traced");
	TCase *tc = tcase_create("traced");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_stops);
	tcase_add_test(tc, test_end);
	tcase_add_test(tc, test_main_thread_that_left);
	tcase_add_test(tc, test_events);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
