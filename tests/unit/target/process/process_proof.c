/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of process_proof.c, sleepers.c and target_copy.c on a process whose threads wake, start and end all the
 * time, so that a torn copy shows.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "relay_child.h"
#include "target/target.h"
#include "target/target_ops.h"
#include "trials.h"

#define PATIENT_MS 60000
static void on_signal(int sig)
{
	(void)sig;
}

static void run_relay(void)
{
	signal(SIGUSR1, on_signal);
	relay_run();
}

static struct error *read_numbers(uint64_t *numbers)
{
	struct error *err = NULL;

	for (int i = 0; i < RELAY_WRITERS && !err; i++)
		err = target_read(t, (uint64_t)(uintptr_t)&relay_written[i].number, &numbers[i], sizeof(numbers[i]));
	return err;
}

/* Read the relay within a stop of the threads that run, until that is not void. */
static void read_in_stop(uint64_t *numbers)
{
	int n_stops = 0;
	int64_t us;

	target_reset_proof(t);
	for (bool is_void = true; is_void; n_stops++) {
		ck_assert_no_err(target_stop_running(t));
		target_view_begin(t);
		ck_assert_no_err(read_numbers(numbers));
		ck_assert_no_err(target_resume_running(t, &us, &is_void));
	}
	/* After two void stops all threads are stopped. */
	ck_assert_int_le(n_stops, 3);
}

/* Take views of the relay: @n copies, as many stops, and a proof at least, if the relay pauses. */
static void take_views(int n)
{
	int n_proven = 0, n_copied = 0;

	for (int round = 0; n_copied < n || (relay_options.pause_us && !n_proven); round++) {
		uint64_t numbers[RELAY_WRITERS];
		size_t n_running;
		int64_t us;

		target_reset_proof(t);
		if (target_begin_proof(t, &n_running)) {
			target_view_begin(t);
			ck_assert_no_err(read_numbers(numbers));
			if (target_end_proof(t) && !n_running) {
				relay_check(numbers, 0);
				n_proven++;
			}
		}
		/* One copy after a void proof, one without. */
		if (round % 2)
			target_reset_proof(t);
		target_learn(t, true);
		ck_assert_no_err(read_numbers(numbers));
		target_learn(t, false);
		ck_assert_no_err(target_copy(t, &us));
		ck_assert_no_err(read_numbers(numbers));
		ck_assert(target_copy_end(t));
		relay_check(numbers, 0);
		n_copied++;
		read_in_stop(numbers);
		relay_check(numbers, 0);
	}
	ck_assert_uint_gt(child_shared->counters[0], 0);
	ck_assert(child_progresses());
}

static int rounds(void)
{
	return trials() * trials() * 5 / 8;
}

START_TEST(test_no_view_of_a_busy_relay_is_torn)
{
	attach_child(run_relay, RELAY_THREADS, TARGET_STOP, PATIENT_MS);
	take_views(rounds() / 2);
}
END_TEST

START_TEST(test_no_view_of_a_pausing_relay_is_torn)
{
	relay_options.pause_us = 3000;
	relay_options.spin_us = 100;
	attach_child(run_relay, RELAY_THREADS, TARGET_STOP, PATIENT_MS);
	take_views(rounds() / 2);
}
END_TEST

/* Return how often the thread got a processor. */
static uint64_t count_runs(pid_t tid)
{
	char path[64];
	unsigned long long cpu, waited, runs = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", child, tid);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%llu %llu %llu", &cpu, &waited, &runs), 3);
	fclose(f);
	return runs;
}

static void one_counts(void)
{
	pthread_t thread;

	child_shared->go = 1;
	for (int i = 1; i <= 3; i++)
		pthread_create(&thread, NULL, relay_thread, (void *)(intptr_t)i);
	child_shared->tids[0] = gettid();
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		child_shared->counters[0]++;
}

/* Attach to a process whose main thread counts, and whose threads 1 to 3 sleep. Store how often they got a processor.
 */
static void attach_one_counts(uint64_t runs_ret[4])
{
	relay_options.turn = -1;
	attach_child(one_counts, 4, TARGET_STOP, PATIENT_MS);
	for (int i = 1; i <= 3; i++)
		ck_assert(child_wait_thread_state(child, child_shared->tids[i], 'S'));
	ck_assert(child_progresses());
	for (int i = 1; i <= 3; i++)
		runs_ret[i] = count_runs(child_shared->tids[i]);
}

START_TEST(test_a_copy_stops_only_the_thread_that_runs)
{
	uint64_t before[4], numbers[RELAY_WRITERS];
	const struct target_thread *threads;
	size_t n;
	int64_t us;

	attach_one_counts(before);
	for (int round = 0; round < 20; round++) {
		target_reset_proof(t);
		target_learn(t, true);
		ck_assert_no_err(read_numbers(numbers));
		target_learn(t, false);
		ck_assert_no_err(target_copy(t, &us));
		ck_assert_int_gt(us, 0);
		ck_assert_no_err(target_threads(t, &threads, &n));
		ck_assert_uint_eq(n, 4);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(threads[i].state, threads[i].tid == child ? 't' : 'S');
		struct target_activity activity;
		target_activity(t, child_shared->tids[2], &activity);
		/* The copy did not contain registers at first. */
		if (target_copy_end(t))
			ck_assert(activity.known && activity.in_syscall && activity.syscall == SYS_futex);
		for (int i = 1; i <= 3; i++)
			ck_assert_uint_eq(count_runs(child_shared->tids[i]), before[i]);
	}
	/* A stop without a proof stops all. */
	ck_assert_no_err(target_stop(t, 0));
	for (int i = 0; i <= 3; i++)
		ck_assert_int_eq(child_state(child, child_shared->tids[i]), 't');
	ck_assert_no_err(target_resume(t, &us));
}
END_TEST

static void await_sleep(void)
{
	for (size_t n_running = 1; n_running;) {
		target_reset_proof(t);
		ck_assert(target_begin_proof(t, &n_running));
		usleep(10000);
		n_running += !target_end_proof(t);
	}
	target_reset_proof(t);
}

START_TEST(test_a_stop_leaves_sleeping_threads_and_knows_their_system_calls)
{
	struct target_registers registers;
	const struct target_thread *threads;
	uint64_t before[4];
	bool is_void;
	int64_t us;
	size_t n;

	attach_one_counts(before);
	for (int needed = 0; needed <= 1; needed++) {
		ck_assert_no_err(target_stop_running(t));
		target_view_begin(t);
		ck_assert_no_err(target_threads(t, &threads, &n));
		ck_assert_uint_eq(n, 4);
		for (size_t i = 0; i < n; i++) {
			bool is_stopped =
				threads[i].tid == child || (needed && threads[i].tid == child_shared->tids[3]);

			ck_assert_int_eq(child_state(child, threads[i].tid), is_stopped ? 't' : 'S');
			ck_assert_int_eq(threads[i].state, is_stopped ? 't' : 'S');
			ck_assert(target_registers(t, threads[i].tid, &registers));
			ck_assert((registers.known == TARGET_ALL_REGISTERS) == is_stopped);
			ck_assert_uint_ne(registers.value[TARGET_REGISTER_SP], 0);
		}
		if (!needed)
			target_need_registers(t, child_shared->tids[3]);
		ck_assert_no_err(target_resume_running(t, &us, &is_void));
		ck_assert_int_gt(us, 0);
		ck_assert(is_void == !needed);
	}
	for (int i = 1; i <= 2; i++)
		ck_assert_uint_eq(count_runs(child_shared->tids[i]), before[i]);
}
END_TEST

/* Start a relay that waits for ever, and wait until all its threads sleep. */
static void attach_sleepers(void)
{
	relay_options.turn = -1;
	attach_child(run_relay, RELAY_THREADS, TARGET_STOP, PATIENT_MS);
	await_sleep();
}

START_TEST(test_a_thread_whose_registers_are_needed_is_stopped)
{
	size_t n_running;
	uint64_t before;
	int64_t us;

	attach_sleepers();
	ck_assert(target_begin_proof(t, &n_running));
	ck_assert_uint_eq(n_running, 0);
	target_need_registers(t, child_shared->tids[3]);
	ck_assert(target_needs_registers(t));
	ck_assert(target_end_proof(t));
	ck_assert(target_begin_proof(t, &n_running));
	ck_assert_uint_eq(n_running, 1);
	ck_assert(!target_needs_registers(t));
	before = count_runs(child_shared->tids[2]);
	ck_assert_no_err(target_stop(t, PATIENT_MS));
	for (int i = 0; i < RELAY_THREADS; i++)
		ck_assert_int_eq(child_state(child, child_shared->tids[i]), i == 3 ? 't' : 'S');
	ck_assert_no_err(target_resume(t, &us));
	ck_assert(target_end_proof(t));
	ck_assert_uint_eq(count_runs(child_shared->tids[2]), before);
	await_sleep();
	ck_assert(target_begin_proof(t, &n_running));
	ck_assert_uint_eq(n_running, 0);
	target_cancel_proof(t);
	ck_assert(!target_end_proof(t));
}
END_TEST

START_TEST(test_after_two_void_proofs_all_threads_are_stopped)
{
	size_t n_running;

	attach_sleepers();
	for (size_t round = 0; round < 2; round++) {
		ck_assert(target_begin_proof(t, &n_running));
		ck_assert_uint_eq(n_running, round);
		/* It sleeps again a moment later. */
		pid_t tid = child_shared->tids[1 + round];
		uint64_t before = count_runs(tid);
		ck_assert_int_eq((int)syscall(SYS_tgkill, child, tid, SIGUSR1), 0);
		while (child_state(child, tid) != 'S' || count_runs(tid) == before)
			usleep(100);
		ck_assert(!target_end_proof(t));
	}
	ck_assert(!target_begin_proof(t, &n_running));
	target_reset_proof(t);
	ck_assert(target_begin_proof(t, &n_running));
	target_cancel_proof(t);
}
END_TEST

START_TEST(test_beside_another_tracer_nothing_is_proven)
{
	size_t n_running;
	int status;

	attach_sleepers();
	ck_assert_int_eq((int)ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	ck_assert(!target_begin_proof(t, &n_running));
	ck_assert_int_eq((int)ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	/* It cannot run, but its memory can be written. */
	ck_assert(!target_begin_proof(t, &n_running));
	ck_assert_int_eq((int)ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	await_sleep();
}
END_TEST

static void sleep_and_exec(void)
{
	signal(SIGUSR1, on_signal);
	child_shared->ready = 1;
	pause();
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
}

START_TEST(test_an_exec_breaks_the_proof)
{
	size_t n_running;

	attach_child(sleep_and_exec, 1, TARGET_STOP, PATIENT_MS);
	await_sleep();
	ck_assert(target_begin_proof(t, &n_running));
	ck_assert_int_eq(kill(child, SIGUSR1), 0);
	await_check(ERR_TARGET_EXEC);
	ck_assert(!target_end_proof(t));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target/process/process_proof");
	TCase *tc = tcase_create("process_proof");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 3600);
	tcase_add_test(tc, test_no_view_of_a_busy_relay_is_torn);
	tcase_add_test(tc, test_no_view_of_a_pausing_relay_is_torn);
	tcase_add_test(tc, test_a_copy_stops_only_the_thread_that_runs);
	tcase_add_test(tc, test_a_stop_leaves_sleeping_threads_and_knows_their_system_calls);
	tcase_add_test(tc, test_a_thread_whose_registers_are_needed_is_stopped);
	tcase_add_test(tc, test_beside_another_tracer_nothing_is_proven);
	tcase_add_test(tc, test_an_exec_breaks_the_proof);
	tcase_add_test(tc, test_after_two_void_proofs_all_threads_are_stopped);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
