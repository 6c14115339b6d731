/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/stop/live.c: stopping and resuming real processes. No thread is lost, and none stays stopped. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "check_main.h"
#include "child_fixture.h"
#include "target/target.h"
#include "trials.h"

/* The limit of stops whose duration is not tested. */
#define PATIENT_MS 60000

static void attach(void (*body)(void), int n_ready, unsigned max_stop_ms)
{
	attach_child(body, n_ready, TARGET_STOP, max_stop_ms);
}

START_TEST(test_stop_stops_every_thread)
{
	int64_t us;

	attach(child_four_counting, 5, PATIENT_MS);
	for (int round = 0; round < fewer_rounds(20); round++) {
		ck_assert_no_err(target_stop(t, PATIENT_MS));
		ck_assert(target_is_stopped(t));
		uint64_t before = child_count();
		for (int i = 0; i < 5; i++)
			ck_assert_int_eq(child_state(child, child_shared->tids[i]), 't');
		usleep(2000);
		ck_assert_uint_eq(child_count(), before);
		ck_assert_no_err(target_resume(t, &us));
		ck_assert_int_ge(us, 2000);
		ck_assert(!target_is_stopped(t));
		ck_assert(!child_any_stopped(child));
		ck_assert(child_progresses());
	}
}
END_TEST

START_TEST(test_stop_catches_threads_that_start_meanwhile)
{
	int64_t us;

	attach(child_churn, 1, PATIENT_MS);
	for (int round = 0; round < fewer_rounds(50); round++) {
		const struct target_thread *threads;
		size_t n;

		ck_assert_no_err(target_stop(t, PATIENT_MS));
		target_view_begin(t);
		uint64_t before = child_count();
		ck_assert_no_err(target_threads(t, &threads, &n));
		ck_assert_uint_ge(n, 1);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(child_state(child, threads[i].tid), 't');
		usleep(1000);
		ck_assert_uint_eq(child_count(), before);
		ck_assert_no_err(target_resume(t, &us));
	}
	ck_assert(!child_any_stopped(child));
	ck_assert(child_progresses());
}
END_TEST

START_TEST(test_stop_loses_no_signal)
{
	const int n_signals = fewer_rounds(2000);
	int64_t us;
	union sigval value = {0};

	attach(child_counting_signals, 3, PATIENT_MS);
	pid_t sender = fork();
	if (!sender) {
		for (int i = 0; i < n_signals; i++) {
			while (sigqueue(child, SIGRTMIN, value))
				usleep(100);
			usleep(20);
		}
		_exit(0);
	}
	while (waitpid(sender, NULL, WNOHANG) == 0) {
		ck_assert_no_err(target_stop(t, PATIENT_MS));
		ck_assert_no_err(target_resume(t, &us));
	}
	for (int i = 0; i < 300000 && child_shared->signals < n_signals; i++)
		usleep(1000);
	ck_assert_int_eq(child_shared->signals, n_signals);
}
END_TEST

START_TEST(test_stop_keeps_a_group_stop)
{
	int64_t us;

	attach(child_four_futex, 5, PATIENT_MS);
	kill(child, SIGSTOP);
	ck_assert(child_wait_state(child, 'T'));
	for (int i = 0; i < 10; i++) {
		ck_assert_no_err(target_stop(t, PATIENT_MS));
		ck_assert_no_err(target_resume(t, &us));
		/* Each thread wakes once to find that it has to stop again. */
		for (int k = 0; k < 5; k++)
			ck_assert(child_wait_thread_state(child, child_shared->tids[k], 'T'));
	}
	kill(child, SIGCONT);
	ck_assert(child_wait_state(child, 'S'));
}
END_TEST

START_TEST(test_hold_survives_signals)
{
	int64_t us;
	union sigval value = {0};

	attach(child_counting_signals, 3, PATIENT_MS);
	ck_assert_no_err(target_stop(t, 0));
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(sigqueue(child, SIGRTMIN, value), 0);
	kill(child, SIGSTOP);
	kill(child, SIGCONT);
	usleep(20000);
	target_poll(t);
	ck_assert(target_is_stopped(t));
	ck_assert_int_eq(child_shared->signals, 0);
	ck_assert_no_err(target_resume(t, &us));
	for (int i = 0; i < 300000 && child_shared->signals < 10; i++)
		usleep(1000);
	ck_assert_int_eq(child_shared->signals, 10);
	ck_assert(!child_any_stopped(child));
}
END_TEST

START_TEST(test_hold_of_a_killed_target_ends)
{
	int status;

	attach(child_four_futex, 5, PATIENT_MS);
	ck_assert_no_err(target_stop(t, 0));
	kill(child, SIGKILL);
	for (int i = 0; i < 300000 && target_is_stopped(t); i++) {
		usleep(1000);
		target_poll(t);
	}
	ck_assert(!target_is_stopped(t));
	ck_assert_err(target_check(t), ERR_TARGET_EXITED);
	/* It was our child too, so the tracer's wait has reaped it. */
	ck_assert(waitpid(child, &status, WNOHANG) != 0);
	child = 0;
}
END_TEST

START_TEST(test_killed_within_a_stop)
{
	int64_t us;
	uint64_t value;

	attach(child_four_futex, 5, PATIENT_MS);
	ck_assert_no_err(target_stop(t, PATIENT_MS));
	target_view_begin(t);
	kill(child, SIGKILL);
	struct error *err = NULL;
	for (int i = 0; i < 300000 && !err; i++) {
		usleep(1000);
		target_view_begin(t);
		err = target_read(t, (uint64_t)(uintptr_t)&child_marker, &value, 8);
	}
	ck_assert(err != NULL);
	error_destroy(err);
	error_destroy(target_resume(t, &us));
	/* Its threads end one after another. */
	await_check(ERR_TARGET_EXITED);
}
END_TEST

START_TEST(test_budget_resumes_by_itself)
{
	int64_t us;
	uint64_t value;
	uint64_t addr = (uint64_t)(uintptr_t)&child_marker;

	attach(child_four_counting, 5, PATIENT_MS);
	/* The time limit is long enough for the read, however busy the machine is. */
	ck_assert_no_err(target_stop(t, 2000));
	target_view_begin(t);
	ck_assert_no_err(target_read(t, addr, &value, 8));
	uint64_t before = child_count();
	/* Behave like a plugin that never returns. */
	int64_t end = clock_now_us() + 300000000;
	while (child_count() == before && clock_now_us() < end)
		;
	ck_assert_uint_ne(child_count(), before);
	ck_assert_err(target_read(t, addr, &value, 8), ERR_STOP_TIMEOUT);
	ck_assert_err(target_resume(t, &us), ERR_STOP_TIMEOUT);
	ck_assert(!child_any_stopped(child));
	/* The next stop is an ordinary stop. */
	ck_assert_no_err(target_stop(t, PATIENT_MS));
	target_view_begin(t);
	ck_assert_no_err(target_read(t, addr, &value, 8));
	ck_assert_no_err(target_resume(t, &us));
	ck_assert(child_progresses());
}
END_TEST

START_TEST(test_budget_at_any_moment)
{
	int64_t us;

	attach(child_churn, 1, 1);
	for (int i = 0; i < fewer_rounds(300); i++) {
		struct error *err = target_stop(t, 1);

		if (!err)
			err = target_resume(t, &us);
		ck_assert(!err || error_is(err, ERR_STOP_TIMEOUT));
		error_destroy(err);
	}
	ck_assert(child_progresses());
	target_destroy(t);
	t = NULL;
	ck_assert(!child_any_stopped(child));
	ck_assert(child_progresses());
}
END_TEST

static void *sleep_thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *exec_thread(void *arg)
{
	while (!child_shared->go)
		;
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
	return arg;
}

static void exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_thread, NULL);
	child_four_futex();
}

static void exec_in_last_thread(void)
{
	pthread_t thread;

	for (int i = 0; i < 40; i++)
		pthread_create(&thread, NULL, sleep_thread, NULL);
	pthread_create(&thread, NULL, exec_thread, NULL);
	child_sleeper();
}

/*
 * The thread in execve() waits in the kernel until the other threads, which it has ended, are reaped. It may be sampled
 * before or after them.
 */
static struct error *await_exec_within_stops(void (*body)(void), int n_ready)
{
	int64_t us;
	struct error *err = NULL;

	attach(body, n_ready, PATIENT_MS);
	child_shared->go = 1;
	for (int i = 0; i < 300000 && !err; i++) {
		err = target_check(t);
		if (!err)
			err = target_stop(t, PATIENT_MS);
		if (!err)
			err = target_resume(t, &us);
	}
	return err;
}

START_TEST(test_exec_by_another_thread_within_stops)
{
	struct error *err = await_exec_within_stops(exec_in_thread, 5);

	ck_assert_msg(error_is(err, ERR_TARGET_EXEC), "%s", err ? err->message : "no error");
	error_destroy(err);
	ck_assert(child_wait_state(child, 'S'));
	ck_assert(!child_any_stopped(child));
}
END_TEST

/* The exec is reported at once, and as an exec, however late its new main thread is found. */
START_TEST(test_exec_by_the_last_thread_is_not_held_up)
{
	for (int trial = 0; trial < fewer_rounds(10); trial++) {
		struct error *err = await_exec_within_stops(exec_in_last_thread, 1);

		ck_assert_msg(error_is(err, ERR_TARGET_EXEC), "%s", err ? err->message : "no error");
		error_destroy(err);
		ck_assert(child_wait_state(child, 'S'));
		teardown();
	}
}
END_TEST

static void wait_in_vfork(void)
{
	child_shared->ready = 1;
	if (vfork() == 0) {
		while (!child_shared->go)
			usleep(1000);
		_exit(0);
	}
	child_sleeper();
}

START_TEST(test_stop_of_a_thread_that_cannot_be_interrupted)
{
	int64_t us;

	attach(wait_in_vfork, 1, 300);
	ck_assert(child_wait_state(child, 'D'));
	for (int i = 0; i < 2; i++) {
		struct error *err = target_stop(t, 300);

		ck_assert(error_is(err, ERR_STOP_TIMEOUT));
		ck_assert_str_eq(err->details[0].key, "tid");
		error_destroy(err);
	}
	child_shared->go = 1;
	/* Without any request, the timer resumes it as soon as that is possible. */
	ck_assert(child_wait_state(child, 'S'));
	ck_assert_no_err(target_stop(t, PATIENT_MS));
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

START_TEST(test_stop_while_stopped_is_refused_and_harmless)
{
	int64_t us;

	attach(child_four_futex, 5, PATIENT_MS);
	ck_assert_err(target_resume(t, &us), ERR_NOT_STOPPED);
	ck_assert_no_err(target_stop(t, 0));
	ck_assert_err(target_stop(t, 0), ERR_INTERNAL_ERROR);
	ck_assert(target_is_stopped(t));
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

START_TEST(test_destroy_resumes)
{
	attach(child_four_counting, 5, PATIENT_MS);
	ck_assert_no_err(target_stop(t, 0));
	target_destroy(t);
	t = NULL;
	ck_assert(!child_any_stopped(child));
	ck_assert(child_progresses());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_live");
	TCase *stop = tcase_create("stop");
	TCase *budget = tcase_create("budget");
	TCase *all[] = {stop, budget};

	tcase_add_test(stop, test_stop_stops_every_thread);
	tcase_add_test(stop, test_stop_catches_threads_that_start_meanwhile);
	tcase_add_test(stop, test_stop_loses_no_signal);
	tcase_add_test(stop, test_stop_keeps_a_group_stop);
	tcase_add_test(stop, test_hold_survives_signals);
	tcase_add_test(stop, test_hold_of_a_killed_target_ends);
	tcase_add_test(stop, test_killed_within_a_stop);
	tcase_add_test(stop, test_exec_by_another_thread_within_stops);
	tcase_add_test(stop, test_exec_by_the_last_thread_is_not_held_up);
	tcase_add_test(stop, test_stop_of_a_thread_that_cannot_be_interrupted);
	tcase_add_test(stop, test_stop_while_stopped_is_refused_and_harmless);
	tcase_add_test(stop, test_destroy_resumes);
	tcase_add_test(budget, test_budget_resumes_by_itself);
	tcase_add_test(budget, test_budget_at_any_moment);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tcase_set_timeout(all[i], 60);
		tcase_add_checked_fixture(all[i], NULL, teardown);
		suite_add_tcase(suite, all[i]);
	}
	return check_main(suite);
}
