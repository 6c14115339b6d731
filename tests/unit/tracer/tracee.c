/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of tracer/tracee* in a real ompdd-tracer: a traced process's signals, children and threads, and its end. */
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "traced_child.h"

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_value.sival_int == 42)
		__atomic_add_fetch(&child_shared->signals, 1, __ATOMIC_SEQ_CST);
}

static void caller_with_signals(void)
{
	struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGRTMIN, &sa, NULL);
	start_callers(3);
	caller();
}

static void execer(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		spot(0);
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
}

START_TEST(test_signals_pass)
{
	begin(caller_with_signals);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	for (int i = 0; i < 200; i++) {
		sigqueue(child, SIGRTMIN, (union sigval){.sival_int = 42});
		wait_event(TRACER_HIT);
		resume();
	}
	int64_t us;
	struct error *err = tracer_stop(tracer, 0, LIMIT_MS);
	ck_assert_no_err(err);
	ck_assert_no_err(tracer_release(tracer, &us));
	for (int i = 0; i < 300000 && child_shared->signals < 200; i++)
		usleep(1000);
	/* No signal is lost or doubled, and each has its data. */
	ck_assert_int_eq(child_shared->signals, 200);
	assert_runs_free();
}
END_TEST

static void on_trap(int sig)
{
	(void)sig;
	__atomic_add_fetch(&child_shared->signals, 1, __ATOMIC_SEQ_CST);
}

static void *count_alone(void *unused)
{
	for (;;)
		child_shared->counters[20]++;
	return unused;
}

static useconds_t nap_us;

/* Calls bare_spot() with all signals blocked and a SIGTRAP of its own pending; counts calls that lose it. */
static void *call_blocked(void *arg)
{
	sigset_t all, pending;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	raise(SIGTRAP);
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		bare_spot(&child_shared->counters[(intptr_t)arg]);
		sigpending(&pending);
		if (!sigismember(&pending, SIGTRAP))
			child_shared->counters[40]++;
		if (nap_us)
			usleep(nap_us);
	}
	return NULL;
}

static void blocked_callers(void)
{
	pthread_t thread;

	signal(SIGTRAP, on_trap);
	for (intptr_t i = 0; i < 3; i++) {
		if (pthread_create(&thread, NULL, call_blocked, (void *)i))
			abort();
	}
	pthread_join(thread, NULL);
}

/* The same with fewer hits, and a thread that runs all the time. */
static void rare_blocked_callers(void)
{
	pthread_t thread;

	nap_us = 300;
	if (pthread_create(&thread, NULL, count_alone, NULL))
		abort();
	blocked_callers();
}

/* A hit resets the handler. The kernel has dropped its SIGTRAP for the one that is pending, and unblocks that. */
START_TEST(test_stop_meets_hit_with_own_trap)
{
	int64_t us;

	begin(blocked_callers);
	resume();
	child_wait_ready(3);
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	for (int i = 0; i < 1000; i++) {
		wait_event(TRACER_HIT);
		resume();
	}
	error_destroy(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_release(tracer, &us));
	assert_runs_free();
	ck_assert_int_eq(child_shared->signals, 0);
	ck_assert_uint_eq(child_shared->counters[40], 0);
}
END_TEST

/* Threads that stop after the time limit, or were not examined within it, are repaired, too. */
START_TEST(test_late_stop_meets_hit_with_own_trap)
{
	struct target_filter filter = {.group = 1, .after = 1ull << 50};
	int64_t us;
	int n_late = 0;

	begin(rare_blocked_callers);
	resume();
	child_wait_ready(3);
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_plant_if(tracer, bare_address(), &filter));
	resume();
	for (int i = 0; i < 1000; i++) {
		struct error *err = tracer_stop(tracer, 0, 0);

		if (!err)
			resume();
		else if (error_is(err, ERR_STOP_TIMEOUT))
			n_late++;
		else
			ck_assert_no_err(err);
		error_destroy(err);
	}
	ck_assert_int_gt(n_late, 0);
	error_destroy(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_release(tracer, &us));
	assert_runs_free();
	ck_assert_int_eq(child_shared->signals, 0);
	ck_assert_uint_eq(child_shared->counters[40], 0);
}
END_TEST

/* Blocks SIGTRAP only around its call of bare_spot(), and raises it there. Its handler runs after each call. */
static void mask_changer(void)
{
	sigset_t trap;

	signal(SIGTRAP, on_trap);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	child_shared->ready = 1;
	for (;;) {
		usleep(5000);
		sigprocmask(SIG_BLOCK, &trap, NULL);
		raise(SIGTRAP);
		bare_spot(&child_shared->counters[0]);
		sigprocmask(SIG_UNBLOCK, &trap, NULL);
		if ((uint64_t)child_shared->signals != child_shared->counters[0])
			child_shared->counters[40]++;
	}
}

/* At the last resume before a hit, the thread did not block SIGTRAP. */
START_TEST(test_own_trap_blocked_since_the_last_resume)
{
	int64_t us;

	begin(mask_changer);
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	for (int i = 0; i < 30; i++) {
		wait_event(TRACER_HIT);
		resume();
		usleep(2000);
		if (!tracer_stop(tracer, 0, LIMIT_MS))
			resume();
	}
	error_destroy(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_release(tracer, &us));
	assert_runs_free();
	ck_assert_uint_eq(child_shared->counters[40], 0);
}
END_TEST

/* A system call; its number is the first argument. */
static __attribute__((noinline, naked)) long call_spot(long number)
{
	(void)number;
	__asm__ volatile("mov %rdi, %rax\n\tsyscall\n\tret");
}

#define CALL_SPOT_SYSCALL 3 /* bytes from call_spot() to its system call instruction */

static void pauser(void)
{
	signal(SIGTRAP, on_trap);
	child_shared->ready = 1;
	for (;;) {
		call_spot(SYS_pause);
		child_shared->counters[0]++;
	}
}

/* A timer sends SIGTRAP, also before a step is slow. */
static void timed_pauser(void)
{
	struct itimerspec often = {.it_interval.tv_nsec = 50000000, .it_value.tv_nsec = 50000000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTRAP};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
		abort();
	pauser();
}

/* The end of a step past a system call is a SIGTRAP, too. The sleep ends by one that another process sends. */
START_TEST(test_own_trap_in_a_slow_step)
{
	begin(pauser);
	ck_assert_no_err(tracer_plant(tracer, (uint64_t)(uintptr_t)call_spot + CALL_SPOT_SYSCALL));
	resume();
	for (uint64_t i = 0; i < 20; i++) {
		wait_event(TRACER_HIT);
		ck_assert_uint_eq(child_shared->counters[0], i);
		resume();
		usleep((useconds_t)(i * 3000));
		kill(child, SIGTRAP);
	}
	wait_event(TRACER_HIT);
	ck_assert_int_eq(child_shared->signals, 20);
}
END_TEST

START_TEST(test_own_trap_in_a_step)
{
	begin(timed_pauser);
	ck_assert_no_err(tracer_plant(tracer, (uint64_t)(uintptr_t)call_spot + CALL_SPOT_SYSCALL));
	resume();
	while (child_shared->counters[0] < 20) {
		wait_event(TRACER_HIT);
		resume();
	}
}
END_TEST

static bool all_stopped(void)
{
	for (int i = 0; i < 5; i++) {
		char state = child_state(child, child_shared->tids[i]);

		if (state != 't' && state != 'T')
			return false;
	}
	return true;
}

START_TEST(test_job_control_stop)
{
	begin(child_four_counting);
	resume();
	child_wait_ready(5);
	kill(child, SIGSTOP);
	/* Each thread stops twice: for the report of the signal, and for the group stop. */
	for (int i = 0, quiet = 0; quiet < 20; i++) {
		ck_assert_int_lt(i, 20000);
		quiet = all_stopped() ? quiet + 1 : 0;
		usleep(1000);
	}
	uint64_t before = child_count();
	/* A sample of a process in a group stop leaves it in that stop. */
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	resume();
	usleep(20000);
	ck_assert_uint_eq(child_count(), before);
	kill(child, SIGCONT);
	ck_assert(child_progresses());
}
END_TEST

START_TEST(test_children_never_hit)
{
	struct tracer_message m;
	uint64_t before = 0;
	int64_t us;

	begin(forker);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	for (int i = 0; i < 20; i++) {
		m = wait_event(TRACER_HIT);
		/* The hit is always the parent's; its children have passed the place. */
		ck_assert_int_eq(m.tid, child);
		ck_assert_uint_eq(first_argument(&m) & 0xffffffff, 0);
		if (!i)
			before = child_shared->counters[10];
		for (int j = 10; j < 14; j++)
			ck_assert_uint_eq(child_shared->counters[j], before + (uint64_t)i);
		resume();
	}
	for (int i = 20; i < 23; i++)
		ck_assert_uint_eq(child_shared->counters[i], 0);
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_release(tracer, &us));
	assert_runs_free();
}
END_TEST

START_TEST(test_threads_come_and_go)
{
	int started = 0, exited = 0, hits = 0;
	struct tracer_message m;

	begin(churner);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	while (hits < 200) {
		while (tracer_next(tracer, &m)) {
			started += m.kind == TRACER_THREAD_STARTED;
			exited += m.kind == TRACER_THREAD_EXITED;
			if (m.kind == TRACER_HIT) {
				hits++;
				resume();
			}
		}
		poll(&(struct pollfd){.fd = tracer_fd(tracer), .events = POLLIN}, 1, 10);
	}
	ck_assert_int_ge(started, 190);
	ck_assert_int_ge(exited, 180);
	tracer_destroy(tracer);
	tracer = NULL;
	assert_runs_free();
}
END_TEST

START_TEST(test_exec_ends_all)
{
	begin(execer);
	resume();
	child_shared->go = 1;
	wait_event(TRACER_EXECED);
	ck_assert(!tracer_is_active(tracer));
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
}
END_TEST

START_TEST(test_exec_with_breakpoint)
{
	begin(execer);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	wait_event(TRACER_HIT);
	child_shared->go = 1;
	resume();
	wait_event(TRACER_EXECED);
	ck_assert_uint_eq(tracer_n_planted(tracer), 0);
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
}
END_TEST

START_TEST(test_end_of_the_target)
{
	begin(eight_callers);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	wait_event(TRACER_HIT);
	kill(child, SIGKILL);
	wait_event(TRACER_EXITED);
	ck_assert(!tracer_is_stopped(tracer));
	ck_assert(!tracer_is_active(tracer));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_tracee");
	TCase *tc = tcase_create("tracee");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_signals_pass);
	tcase_add_test(tc, test_stop_meets_hit_with_own_trap);
	tcase_add_test(tc, test_late_stop_meets_hit_with_own_trap);
	tcase_add_test(tc, test_own_trap_blocked_since_the_last_resume);
	tcase_add_test(tc, test_own_trap_in_a_slow_step);
	tcase_add_test(tc, test_own_trap_in_a_step);
	tcase_add_test(tc, test_job_control_stop);
	tcase_add_test(tc, test_children_never_hit);
	tcase_add_test(tc, test_threads_come_and_go);
	tcase_add_test(tc, test_exec_ends_all);
	tcase_add_test(tc, test_exec_with_breakpoint);
	tcase_add_test(tc, test_end_of_the_target);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
