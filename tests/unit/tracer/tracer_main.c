/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * kill -9 of the tracer at random moments of attach, stop, read and detach: the target is never left stopped or dead.
 * 40 trials; OMPDD_TRIALS sets another number.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"
#include "target/target.h"
#include "trials.h"

/* Samples @pid for ever; never returns. */
static void trace_loop(pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		struct target *t;
		const struct target_thread *threads;
		uint64_t value;
		size_t n;
		int64_t us;

		if (target_attach(pid, TARGET_STOP, 10000, &t))
			_exit(2);
		for (int k = 0; k < 5; k++) {
			/* Some stops are held, others end by the timer. */
			unsigned budget = k == 0 ? 0 : k == 1 ? 1 : 10000;

			if (target_stop(t, budget) && budget != 1)
				_exit(3);
			target_view_begin(t);
			if (target_threads(t, &threads, &n) && budget != 1)
				_exit(4);
			error_destroy(target_read(t, (uint64_t)(uintptr_t)&child_marker, &value, 8));
			error_destroy(target_resume(t, &us));
		}
		target_destroy(t);
	}
}

static void run_trials(void (*body)(void), int n_ready, int n)
{
	unsigned seed = (unsigned)getpid();

	for (int i = 0; i < n; i++) {
		pid_t target = child_start(body);
		struct child_shared *shared = child_shared;
		int status;

		child_wait_ready(n_ready);
		pid_t tracer = fork();
		if (!tracer)
			trace_loop(target);
		usleep((useconds_t)(rand_r(&seed) % 8000));
		ck_assert_int_eq(waitpid(tracer, &status, WNOHANG), 0);
		kill(tracer, SIGKILL);
		waitpid(tracer, &status, 0);
		/*
		 * When ompdd-tracer sees that we have exited, it ends a hold, and may stop threads once more for that.
		 * Only a process that stays stopped looks stopped this many times in a row.
		 */
		int quiet = 0;
		for (int k = 0; k < 60000 && quiet < 20; k++) {
			quiet = child_any_stopped(target) ? 0 : quiet + 1;
			usleep(1000);
		}
		ck_assert_msg(quiet == 20, "trial %d: left stopped", i);
		ck_assert_int_eq(waitpid(target, &status, WNOHANG), 0);
		child_shared = shared;
		ck_assert_msg(child_progresses(), "trial %d: does not run", i);
		child_end(target);
	}
}

START_TEST(test_kill_of_the_tracer_of_counting_threads)
{
	run_trials(child_four_counting, 5, trials() / 2);
}
END_TEST

START_TEST(test_kill_of_the_tracer_of_coming_and_going_threads)
{
	run_trials(child_churn, 1, trials() - trials() / 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_kill");
	TCase *tc = tcase_create("kill");

	tcase_set_timeout(tc, 60 + trials() / 2);
	tcase_add_test(tc, test_kill_of_the_tracer_of_counting_threads);
	tcase_add_test(tc, test_kill_of_the_tracer_of_coming_and_going_threads);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
