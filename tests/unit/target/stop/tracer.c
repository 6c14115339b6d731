/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/stop/tracer.c with a real ompdd-tracer: breakpoints, and the process that traces for us. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target/stop/tracer_call.h"
#include "traced_child.h"
#include "trials.h"

/* Never called. */
__attribute__((noinline)) void never(int i);
void never(int i)
{
	child_shared->counters[40]++;
	spot(i);
}

static void count_thread(pid_t tid, const struct arch_registers *registers, void *arg)
{
	(void)tid, (void)registers;
	++*(size_t *)arg;
}

START_TEST(test_attach_stops_and_release_runs)
{
	size_t n = 0;

	int64_t us = -1;

	begin(child_four_counting);
	ck_assert(tracer_is_stopped(tracer));
	tracer_for_each(tracer, false, count_thread, &n);
	ck_assert_uint_ge(n, 1);
	uint64_t before = child_count();
	usleep(20000);
	ck_assert_uint_eq(child_count(), before);
	int64_t lasted = tracer_stopped_us(tracer);
	ck_assert_int_ge(lasted, 20000);
	ck_assert_no_err(tracer_release(tracer, &us));
	ck_assert_int_ge(us, lasted);
	ck_assert_int_eq(tracer_stopped_us(tracer), 0);
	ck_assert(!tracer_is_active(tracer));
	assert_runs_free();
}
END_TEST

/* A worker's OMPD library may be hostile, and may write to the tracer's socket. */
START_TEST(test_traces_the_target_only)
{
	int64_t us;

	begin(child_four_counting);
	ck_assert_no_err(tracer_release(tracer, &us));
	tracer_destroy(tracer);
	ck_assert_no_err(tracer_create(child, -1, &tracer));
	pid_t other = fork();
	if (other == 0) {
		for (;;)
			pause();
	}
	struct error *err = tracer_attach(tracer, other, LIMIT_MS, 0);
	ck_assert_msg(err && err->code == ERR_PERMISSION_DENIED, "another process is traced");
	error_destroy(err);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_runs_free();
}
END_TEST

static void take_pc_of_child(pid_t tid, const struct arch_registers *registers, void *arg)
{
	if (tid == child && registers)
		*(uint64_t *)arg = arch_pc(registers);
}

START_TEST(test_hit)
{
	begin(caller);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	for (int i = 0; i < 5; i++) {
		struct tracer_message m = wait_event(TRACER_HIT);

		ck_assert_uint_eq(m.address, address_of(spot));
		ck_assert_int_eq(m.tid, child);
		ck_assert_uint_eq(arch_pc(&m.regs), address_of(spot));
		ck_assert_uint_eq(first_argument(&m) & 0xffffffff, 0);
		uint64_t pc = 0;
		tracer_for_each(tracer, true, take_pc_of_child, &pc);
		ck_assert_uint_eq(pc, address_of(spot));
		uint64_t before = child_shared->counters[0];
		resume();
		for (int j = 0; j < 300000 && child_shared->counters[0] == before; j++)
			usleep(1000);
		/* Once, and not again before the next stop. */
		ck_assert_uint_eq(child_shared->counters[0], before + 1);
	}
}
END_TEST

START_TEST(test_hit_of_an_instruction_that_must_be_stepped)
{
	begin(caller);
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	uint64_t before = child_shared->counters[32];
	for (uint64_t i = 0; i < 20; i++) {
		struct tracer_message m = wait_event(TRACER_HIT);

		ck_assert_uint_eq(m.address, bare_address());
		ck_assert_uint_eq(child_shared->counters[32], before + i);
		resume();
	}
}
END_TEST

/* Puts the threads of the child on one processor with the test; they get it when the test sleeps. */
static void starve(void)
{
	struct sched_param none = {0};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < 8; i++) {
		pid_t tid = child_shared->tids[i];

		ck_assert_int_eq(sched_setaffinity(tid, sizeof(set), &set), 0);
		ck_assert_int_eq(sched_setscheduler(tid, SCHED_IDLE, &none), 0);
	}
}

/*
 * Checks that no thread completes another call, and that each stays in its stop until the tracer has surely finished.
 * Right after a hit, a thread whose trap is still to come may be on its way from one stop into the other: wait for it.
 */
static void assert_stand_still(void)
{
	uint64_t count = child_count();
	struct timespec begin, now;

	for (int i = 0; i < 8; i++)
		ck_assert(child_wait_thread_state(child, child_shared->tids[i], 't'));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 8; i++)
			ck_assert_int_eq(child_state(child, child_shared->tids[i]), 't');
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 8);
	ck_assert_uint_eq(child_count(), count);
}

START_TEST(test_all_stand_when_a_hit_is_told)
{
	begin(eight_callers);
	resume();
	child_wait_ready(8);
	starve();
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	resume();
	for (int n = 0; n < 60; n++) {
		wait_event(TRACER_HIT);
		assert_stand_still();
		if (n % 4 == 0) {
			ck_assert_no_err(tracer_step(tracer, child));
			assert_stand_still();
		}
		resume();
	}
}
END_TEST

START_TEST(test_every_thread_s_hit_is_reported_once)
{
	uint64_t seen[8] = {0};

	begin(eight_callers);
	uint64_t before[8], before_bare[8];
	for (int i = 0; i < 8; i++) {
		before[i] = child_shared->counters[i];
		before_bare[i] = child_shared->counters[i + 32];
	}
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	ck_assert_no_err(tracer_plant(tracer, bare_address()));
	uint64_t seen_bare[8] = {0};
	resume();
	for (int n = 0; n < 400; n++) {
		struct tracer_message m = wait_event(TRACER_HIT);

		if (m.address == bare_address())
			seen_bare[(volatile uint64_t *)first_argument(&m) - child_shared->counters - 32]++;
		else
			seen[first_argument(&m) & 7]++;
		/*
		 * A thread that came there was counted or is stopped there: the counter is at most one ahead of the
		 * reports.
		 */
		for (int i = 0; i < 8; i++) {
			ck_assert_uint_le(child_shared->counters[i] - before[i], seen[i] + 1);
			ck_assert_uint_le(child_shared->counters[i + 32] - before_bare[i], seen_bare[i] + 1);
		}
		resume();
	}
	uint64_t sum = 0;
	for (int i = 0; i < 8; i++)
		sum += (seen[i] != 0) + (seen_bare[i] != 0);
	ck_assert_uint_ge(sum, 12);
}
END_TEST

START_TEST(test_lift_and_hide)
{
	unsigned char here[4], there[4];
	uint64_t place = address_of(never);

	begin(caller);
	memcpy(here, (void *)(uintptr_t)place, sizeof(here));
	ck_assert_no_err(tracer_plant(tracer, place));
	ck_assert_uint_eq(tracer_n_planted(tracer), 1);
	/* In a stop that lasts, the tracer removes the breakpoint by itself; while the program runs, it is present. */
	resume();
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(pread(fileno(f), there, 4, (off_t)place), 4);
	ck_assert_uint_eq(there[0], 0xcc);
	tracer_hide(tracer, place, there, 4);
	ck_assert_mem_eq(here, there, 4);
	/* The read overlaps the breakpoint only in part. */
	unsigned char three[3] = {1, 2, 0xcc};
	tracer_hide(tracer, place - 2, three, 3);
	ck_assert_uint_eq(three[2], here[0]);
	tracer_hide(tracer, place + 1, three, 3);
	ck_assert_uint_eq(three[0], 1);
	/* Two users, two lifts. */
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	ck_assert_no_err(tracer_plant(tracer, place));
	tracer_lift(tracer, place);
	ck_assert_uint_eq(tracer_n_planted(tracer), 1);
	tracer_lift(tracer, place);
	ck_assert_uint_eq(tracer_n_planted(tracer), 0);
	resume();
	ck_assert_int_eq(pread(fileno(f), there, 4, (off_t)place), 4);
	ck_assert_mem_eq(here, there, 4);
	fclose(f);
	assert_runs_free();
}
END_TEST

START_TEST(test_impossible_places)
{
	begin(caller);
	ck_assert_err(tracer_plant(tracer, 16), ERR_BREAKPOINT_IMPOSSIBLE);
	ck_assert_uint_eq(tracer_n_planted(tracer), 0);
}
END_TEST

START_TEST(test_stop_budget)
{
	int64_t us;

	begin(caller);
	resume();
	/* The time limit is long enough for the request, however busy the machine is. */
	ck_assert_no_err(tracer_stop(tracer, 2000, LIMIT_MS));
	ck_assert(!tracer_is_expired(tracer));
	/* The target resumes by itself, without a request. */
	ck_assert(child_progresses());
	ck_assert_err(tracer_resume(tracer, &us), ERR_STOP_TIMEOUT);
	ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
	resume();
}
END_TEST

START_TEST(test_stop_meets_hit)
{
	struct tracer_message m;
	int64_t us;
	int own = 0, hits = 0;

	begin(eight_callers);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	for (int i = 0; i < 300; i++) {
		ck_assert_no_err(tracer_stop(tracer, 0, LIMIT_MS));
		ck_assert(tracer_is_stopped(tracer));
		ck_assert_no_err(tracer_resume(tracer, &us));
		if (!tracer_is_stopped(tracer)) {
			own++;
			continue;
		}
		/* A hit caused the stop, and has not been reported yet. */
		ck_assert(tracer_next(tracer, &m));
		ck_assert_uint_eq(m.kind, TRACER_HIT);
		hits++;
		resume();
	}
	ck_assert_int_gt(hits, 0);
	ck_assert_int_eq(own + hits, 300);
}
END_TEST

START_TEST(test_park)
{
	begin(eight_callers);
	ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
	resume();
	struct tracer_message m = wait_event(TRACER_HIT);
	int i = (int)(first_argument(&m) & 7);
	ck_assert_no_err(tracer_park(tracer, m.tid, true));
	uint64_t before = child_shared->counters[i];
	resume();
	for (int n = 0; n < 50; n++) {
		m = wait_event(TRACER_HIT);
		ck_assert_uint_ne(first_argument(&m) & 7, i);
		resume();
	}
	ck_assert_uint_eq(child_shared->counters[i], before);
}
END_TEST

/* The socket closes at any moment: nothing is left, and no process dies. */
START_TEST(test_sudden_end)
{
	struct tracer_message m;

	for (int trial = 0; trial < trials(); trial++) {
		begin(trial % 3 == 0 ? eight_callers : trial % 3 == 1 ? churner : forker);
		ck_assert_no_err(tracer_plant(tracer, address_of(spot)));
		if (trial % 2)
			ck_assert_no_err(tracer_plant(tracer, bare_address()));
		resume();
		for (int i = 0; i < trial; i++) {
			if (tracer_next(tracer, &m) && m.kind == TRACER_HIT)
				resume();
			usleep(100);
		}
		tracer_destroy(tracer);
		tracer = NULL;
		assert_runs_free();
		teardown();
	}
}
END_TEST

/* A tracer that gets no processor: it releases the process when it runs again. */
START_TEST(test_silent_tracer)
{
	begin(child_four_counting);
	tracer->answer_ms = 100;
	kill(tracer->tracer_pid, SIGSTOP);
	for (int i = 0; i < 2; i++) {
		struct error *err = tracer_plant(tracer, address_of(spot));

		ck_assert(error_is(err, ERR_TRACER_FAILED));
		ck_assert_ptr_nonnull(strstr(err->message, "did not answer within 100 ms"));
		ck_assert_ptr_nonnull(strstr(error_hint_text(err), "repeat the request"));
		error_destroy(err);
	}
	ck_assert(tracer_is_lost(tracer) && !tracer_is_active(tracer));
	pid_t silent = tracer->tracer_pid;
	tracer_destroy(tracer);
	tracer = NULL;
	kill(silent, SIGCONT);
	assert_runs_free();
	waitpid(silent, NULL, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_tracer");
	TCase *tc = tcase_create("tracer");

	tcase_set_timeout(tc, 60 + trials() / 2);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_attach_stops_and_release_runs);
	tcase_add_test(tc, test_traces_the_target_only);
	tcase_add_test(tc, test_hit);
	tcase_add_test(tc, test_hit_of_an_instruction_that_must_be_stepped);
	tcase_add_test(tc, test_all_stand_when_a_hit_is_told);
	tcase_add_test(tc, test_every_thread_s_hit_is_reported_once);
	tcase_add_test(tc, test_lift_and_hide);
	tcase_add_test(tc, test_impossible_places);
	tcase_add_test(tc, test_stop_budget);
	tcase_add_test(tc, test_stop_meets_hit);
	tcase_add_test(tc, test_park);
	tcase_add_test(tc, test_sudden_end);
	tcase_add_test(tc, test_silent_tracer);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
