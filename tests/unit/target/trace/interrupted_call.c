/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/trace/interrupted_call.c: which interrupted system calls are restarted, and that a stop restarts one.
 */
#include "target/trace/interrupted_call.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "target/trace/traced.h"

static pid_t child;

static void teardown(void)
{
	if (child > 0)
		child_end(child);
	child = 0;
}

START_TEST(test_only_calls_without_a_limit)
{
	const uint64_t zero[ARCH_N_ARGUMENTS] = {0}, limit[ARCH_N_ARGUMENTS] = {20, 20, 20, 20, 20, 20};
	/* The upper half of the register may have any value. */
	const uint64_t for_ever[ARCH_N_ARGUMENTS] = {[3] = 0x1ffffffff};

	ck_assert(interrupted_call_is_exact(SYS_epoll_pwait, for_ever));
	ck_assert(!interrupted_call_is_exact(SYS_epoll_pwait, zero));
	ck_assert(!interrupted_call_is_exact(SYS_epoll_pwait, limit));
	ck_assert(interrupted_call_is_exact(SYS_rt_sigtimedwait, zero));
	ck_assert(!interrupted_call_is_exact(SYS_rt_sigtimedwait, limit));
	ck_assert(interrupted_call_is_exact(SYS_semop, limit));
	ck_assert(interrupted_call_is_exact(SYS_semtimedop, zero));
	ck_assert(!interrupted_call_is_exact(SYS_semtimedop, limit));
	ck_assert(interrupted_call_is_exact(SYS_io_uring_enter, zero));
	ck_assert(!interrupted_call_is_exact(SYS_io_uring_enter, (const uint64_t[ARCH_N_ARGUMENTS]){[3] = 8}));
	/* Such calls are complete, or have started, although they return EINTR. */
	ck_assert(!interrupted_call_is_exact(SYS_close, zero));
	ck_assert(!interrupted_call_is_exact(SYS_connect, zero));
	ck_assert(!interrupted_call_is_exact(SYS_recvfrom, zero));
}
END_TEST

#if defined(__x86_64__)
static void on_signal(int sig)
{
	(void)sig;
	child_shared->signals++;
}

/* Sleeps in epoll_wait(), and counts its EINTR results. */
static void wait_for_ever(void)
{
	struct epoll_event event;
	int epoll = epoll_create1(0);

	signal(SIGUSR1, on_signal);
	child_shared->ready = 1;
	for (;;) {
		if (epoll_wait(epoll, &event, 1, -1) < 0 && errno == EINTR)
			child_shared->counters[0]++;
	}
}

static void stop(void)
{
	int status;

	ck_assert(child_wait_state(child, 'S'));
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	traced_interrupt(child);
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	ck_assert_int_eq(traced_read(status).kind, TRACED_INTERRUPTED);
	interrupted_call_restart(child);
}

START_TEST(test_a_stop_is_not_seen)
{
	child = child_start(wait_for_ever);
	child_wait_ready(1);
	for (int i = 0; i < 100; i++) {
		stop();
		ck_assert(traced_detach(child, 0));
	}
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_uint_eq(child_shared->counters[0], 0);
}
END_TEST

START_TEST(test_a_signal_is_seen)
{
	child = child_start(wait_for_ever);
	child_wait_ready(1);
	stop();
	kill(child, SIGUSR1);
	ck_assert(traced_detach(child, 0));
	for (int i = 0; i < 300000 && !child_shared->counters[0]; i++)
		usleep(1000);
	ck_assert_int_eq(child_shared->signals, 1);
	ck_assert_uint_eq(child_shared->counters[0], 1);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("target_interrupted_call");
	TCase *tc = tcase_create("interrupted_call");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_only_calls_without_a_limit);
#if defined(__x86_64__)
	tcase_add_test(tc, test_a_stop_is_not_seen);
	tcase_add_test(tc, test_a_signal_is_seen);
#endif
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
