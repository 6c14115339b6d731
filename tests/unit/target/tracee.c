/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/tracee* in a real ompdd-tracer: a traced process's signals, children and threads, and its end. */
#include <poll.h>
#include <signal.h>

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
	tcase_add_test(tc, test_job_control_stop);
	tcase_add_test(tc, test_children_never_hit);
	tcase_add_test(tc, test_threads_come_and_go);
	tcase_add_test(tc, test_exec_ends_all);
	tcase_add_test(tc, test_exec_with_breakpoint);
	tcase_add_test(tc, test_end_of_the_target);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
