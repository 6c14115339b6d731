/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/wait/waits: cycles, the ends of waits, and no verdict about threads that move. */
#include "check_main.h"
#include "waits_team.h"

static void lock_cycle(void)
{
	held_by(waits(1, HOLDER_LOCK, 0xa0), 2, HOLDER_WAITS);
	held_by(waits(2, HOLDER_LOCK, 0xb0), 1, HOLDER_WAITS);
	held_by(waits(4, HOLDER_LOCK, 0xb0), 1, HOLDER_WAITS);
}

START_TEST(test_a_cycle_is_a_deadlock)
{
	lock_cycle();
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
	ck_assert_int_eq(w.findings[0].kind, FINDING_CYCLE);
	ck_assert(w.findings[0].is_proven);
	ck_assert_uint_eq(w.findings[0].n_nodes, 4);
	assert_threads(&w.findings[0], 2, (uint32_t[]){1, 2});
	ck_assert_uint_eq(w.findings[0].n_waiting, 1);
}
END_TEST

START_TEST(test_who_waits_for_itself_is_a_cycle)
{
	held_by(waits(3, HOLDER_CRITICAL, 0xa0), 3, HOLDER_WAITS);
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
	assert_threads(&w.findings[0], 1, (uint32_t[]){3});
}
END_TEST

/* Its threads were woken, or have moved since: a healthy program looks the same for a moment. */
START_TEST(test_a_cycle_that_moves_is_none)
{
	lock_cycle();
	if (_i == 0)
		known[1].motion = MOTION_RAN;
	else if (_i == 1)
		known[2].is_released = true;
	else
		known[1].motion = MOTION_UNKNOWN;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	for (uint32_t i = 0; i < w.n_findings; i++)
		ck_assert_int_ne(w.findings[i].kind, FINDING_CYCLE);
	/* In a core nothing moves: a thread that slept stays asleep. For other threads this is unknown. */
	in.is_core = true;
	for (uint32_t i = 0; i < N_THREADS; i++)
		known[i].progress = PROGRESS_UNSEEN;
	find();
	ck_assert_int_eq(w.verdict, _i == 1 ? VERDICT_UNKNOWN : VERDICT_DEADLOCK);
	known[1].is_asleep = false;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

/* In a consistent view, a thread blocked by a lock that is held at this very moment need not sleep. */
START_TEST(test_cycle_of_locks_that_spin)
{
	lock_cycle();
	known[1].motion = known[2].motion = MOTION_RAN;
	known[2].is_released = true;
	in.is_consistent = _i == 1;
	find();
	ck_assert_int_eq(w.verdict == VERDICT_DEADLOCK, _i == 1);
	all_waits[1].kind = HOLDER_BARRIER;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

/* A thread that has got what it slept for, and has had no CPU since, does not block others for long. */
START_TEST(test_who_is_released_goes_on)
{
	held_by(waits(0, HOLDER_BARRIER, 0xb0), 3, HOLDER_WAITS);
	waits(3, HOLDER_CRITICAL, 0xa0);
	known[3].is_released = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BUSY);
	ck_assert_int_eq(w.findings[0].kind, FINDING_SLOW);
	assert_threads(&w.findings[0], 1, (uint32_t[]){3});
}
END_TEST

START_TEST(test_candidates_make_no_cycle)
{
	lock_cycle();
	for (uint32_t i = 0; i < n_holders; i++)
		all_holders[i].source = HOLDER_INFERRED;
	all_waits[0].is_complete = all_waits[1].is_complete = false;
	for (uint32_t i = 0; i < N_THREADS; i++)
		sleeps(i);
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	for (uint32_t i = 0; i < w.n_findings; i++)
		ck_assert_int_ne(w.findings[i].kind, FINDING_CYCLE);
}
END_TEST

/* Barriers follow each other closely: all threads are at one, but it is another one each time. */
START_TEST(test_who_passes_barriers_is_busy)
{
	for (uint32_t i = 0; i < N_THREADS; i++) {
		waits(i, HOLDER_BARRIER, 0xb0);
		known[i] = (struct waits_thread){.motion = MOTION_RAN};
	}
	find();
	ck_assert_int_eq(w.verdict, VERDICT_UNKNOWN);
	known[1].progress = known[2].progress = PROGRESS_OPENMP;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BUSY);
	ck_assert_int_eq(w.findings[0].kind, FINDING_BUSY);
	assert_threads(&w.findings[0], 2, (uint32_t[]){1, 2});
}
END_TEST

static void five_at_a_barrier(void)
{
	for (uint32_t i = 0; i < N_THREADS; i++) {
		if (i != 3)
			held_by(waits(i, HOLDER_BARRIER, 0xc0), 3, HOLDER_SLEEPS);
	}
}

START_TEST(test_who_is_missing_blocks_or_is_slow)
{
	five_at_a_barrier();
	sleeps(3);
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BLOCKED);
	ck_assert_uint_eq(w.n_findings, 1);
	ck_assert_int_eq(w.findings[0].kind, FINDING_BLOCKED);
	ck_assert_int_eq(w.findings[0].what, HOLDER_BARRIER);
	assert_threads(&w.findings[0], 1, (uint32_t[]){3});
	ck_assert_uint_eq(w.findings[0].n_waiting, 5);
	known[3].is_timed = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_WAITING);
	/* A stop has interrupted that call, and it is unknown which call continues. */
	known[3].is_timed = false;
	known[3].is_restarted = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_WAITING);
	known[3] = (struct waits_thread){.motion = MOTION_RAN, .progress = PROGRESS_PLACE};
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BUSY);
	ck_assert_int_eq(w.findings[0].kind, FINDING_SLOW);
}
END_TEST

/* "Not hung" needs progress that was seen. A thread that polls blocks others, and one that spins may do so. */
START_TEST(test_who_runs_without_progress)
{
	static const struct {
		enum waits_progress progress;
		enum waits_finding_kind kind;
		enum waits_verdict verdict, alone;
		bool is_proven, needs_more;
	} cases[] = {
		{PROGRESS_UNSEEN, FINDING_SLOW, VERDICT_UNKNOWN, VERDICT_UNKNOWN, true, true},
		{PROGRESS_OPENMP, FINDING_SLOW, VERDICT_BUSY, VERDICT_BUSY, true, false},
		{PROGRESS_POLLS, FINDING_POLLS, VERDICT_BLOCKED, VERDICT_WAITING, true, false},
		{PROGRESS_SPINS, FINDING_SPINS, VERDICT_UNKNOWN, VERDICT_UNKNOWN, false, true},
	};
	bool is_slow = cases[_i].kind == FINDING_SLOW;

	known[3] = (struct waits_thread){.motion = MOTION_RAN, .progress = cases[_i].progress};
	for (uint32_t i = 0; i < N_THREADS; i++)
		threads[i].openmp = i == 3;
	find();
	ck_assert_int_eq(w.verdict, cases[_i].alone);
	ck_assert_int_eq(w.findings[0].kind, is_slow ? FINDING_BUSY : cases[_i].kind);
	for (uint32_t i = 0; i < N_THREADS; i++)
		threads[i].openmp = true;
	five_at_a_barrier();
	find();
	ck_assert_int_eq(w.verdict, cases[_i].verdict);
	ck_assert_uint_eq(w.n_findings, 1);
	ck_assert_int_eq(w.findings[0].kind, cases[_i].kind);
	ck_assert(w.findings[0].is_proven == cases[_i].is_proven);
	ck_assert(waits_need_progress(&w) == cases[_i].needs_more);
	ck_assert_uint_eq(w.findings[0].n_waiting, 5);
}
END_TEST

/* The lock's holder is also missing at a barrier: it is named once, for the lock. */
START_TEST(test_waits_are_followed_to_their_end)
{
	held_by(waits(0, HOLDER_BARRIER, 0xc0), 1, HOLDER_WAITS);
	held_by(&all_waits[0], 2, HOLDER_SLEEPS);
	held_by(waits(1, HOLDER_LOCK, 0xa0), 2, HOLDER_SLEEPS);
	sleeps(2);
	for (uint32_t i = 3; i < N_THREADS; i++)
		threads[i].state.value = ompt_state_idle;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BLOCKED);
	ck_assert_uint_eq(w.n_findings, 1);
	ck_assert_int_eq(w.findings[0].what, HOLDER_LOCK);
	assert_threads(&w.findings[0], 1, (uint32_t[]){2});
	ck_assert_uint_eq(w.findings[0].n_waiting, 2);
	ck_assert_uint_eq(w.n_idle, 3);
}
END_TEST

/* At one moment, an idle thread that is awake may be about to exit. */
START_TEST(test_an_idle_thread_that_is_awake)
{
	in.is_core = in.is_consistent = true;
	held_by(waits(0, HOLDER_JOIN, 0xa0), 5, HOLDER_IDLE);
	for (uint32_t i = 1; i < N_THREADS; i++) {
		threads[i].state.value = ompt_state_idle;
		known[i] = (struct waits_thread){.is_asleep = i != 5};
	}
	find();
	ck_assert_int_eq(w.verdict, VERDICT_UNKNOWN);
	for (uint32_t i = 0; i < w.n_findings; i++)
		ck_assert(w.findings[i].kind != FINDING_IDLE && w.findings[i].kind != FINDING_ALL_WAIT);
	known[5].is_asleep = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

START_TEST(test_holders_that_are_gone)
{
	held_by(waits(0, HOLDER_NEST_LOCK, 0xa0), _i ? 5 : SNAPSHOT_NONE, _i ? HOLDER_IDLE : HOLDER_ENDED);
	threads[5].state.value = ompt_state_idle;
	known[5].motion = MOTION_ASLEEP;
	/* Other threads of its pool were called since it fell asleep. */
	known[5].is_released = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
	ck_assert_int_eq(w.findings[0].kind, _i ? FINDING_IDLE : FINDING_ENDED);
	/* While all threads ran it may have released the lock, but not if the waiter slept for it all the time. */
	in.is_consistent = false;
	if (!_i) {
		find();
		ck_assert_int_eq(w.findings[0].kind, FINDING_ENDED);
		known[0].motion = MOTION_RAN;
		find();
		ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	}
}
END_TEST

/* In a forked copy, the first thread may be the holder's copy. If it waits as well, no thread can release the lock. */
START_TEST(test_holders_of_another_process)
{
	held_by(waits(1, HOLDER_PTHREAD, 0xa0), SNAPSHOT_NONE, HOLDER_ELSEWHERE);
	in.first_thread = WAITS_NONE;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
	ck_assert_int_eq(w.findings[0].kind, FINDING_ELSEWHERE);
	ck_assert(w.findings[0].is_proven);
	/* It works, and as far as is known it will release the lock. */
	in.first_thread = 5;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	ck_assert_int_eq(w.findings[0].kind, FINDING_ELSEWHERE);
	ck_assert(!w.findings[0].is_proven);
	sleeps(5);
	find();
	ck_assert(!w.findings[0].is_proven);
	/* It waits at a barrier for the thread that waits for it. */
	threads[5].state.value = ompt_state_wait_barrier;
	known[5].sleeps = false;
	held_by(waits(5, HOLDER_BARRIER, 0), 1, HOLDER_WAITS);
	find();
	ck_assert(w.findings[0].is_proven);
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
	known[5].motion = MOTION_RAN;
	find();
	ck_assert(!w.findings[0].is_proven);
}
END_TEST

START_TEST(test_tasks_that_no_thread_executes)
{
	static const enum waits_finding_kind kinds[] = {FINDING_TASK_QUEUED, FINDING_DEPENDENCE, FINDING_DETACHED,
							FINDING_DEVICE};
	struct holder_wait *wait = waits(0, HOLDER_TASKWAIT, 0);

	held_by(wait, SNAPSHOT_NONE, _i == 3 ? HOLDER_OFFLOADED : _i == 2 ? HOLDER_DETACHED : HOLDER_QUEUED);
	all_holders[0].task = N_THREADS;
	all_holders[0].n_predecessors = _i == 1;
	for (uint32_t i = 1; i < N_THREADS; i++)
		threads[i].state.value = ompt_state_idle;
	find();
	ck_assert_int_eq(w.findings[0].kind, kinds[_i]);
	ck_assert_int_eq(w.verdict, VERDICT_BLOCKED);
	ck_assert(w.findings[0].is_proven);
	/* A thread that is awake is about to execute it, whatever it waits for itself. */
	threads[1].state.value = ompt_state_wait_barrier;
	waits(1, HOLDER_BARRIER, 0xc0)->n_holders = 0;
	known[1].motion = MOTION_RAN;
	find();
	ck_assert_int_eq(w.verdict == VERDICT_BLOCKED, _i >= 2);
	holders.n--;
	threads[1].state.value = ompt_state_idle;
	/* Or the thread has just arrived. */
	known[0] = (struct waits_thread){.motion = MOTION_RAN};
	find();
	ck_assert_int_ne(w.verdict, VERDICT_BLOCKED);
	ck_assert_uint_eq(w.n_findings, _i >= 2);
	if (_i < 2)
		return;
	ck_assert_int_eq(w.verdict, VERDICT_UNKNOWN);
	ck_assert_int_eq(w.findings[0].kind, kinds[_i]);
	ck_assert(!w.findings[0].is_proven);
	/* A thread works, and may be about to fulfil it. */
	threads[1].state.value = ompt_state_work_parallel;
	known[1].motion = MOTION_RAN;
	find();
	for (uint32_t i = 0; i < w.n_findings; i++)
		ck_assert_int_ne(w.findings[i].kind, kinds[_i]);
}
END_TEST

START_TEST(test_a_task_leads_to_who_executes_it)
{
	held_by(waits(0, HOLDER_TASKWAIT, 0), 4, HOLDER_SLEEPS);
	all_holders[0].task = N_THREADS;
	sleeps(4);
	find();
	ck_assert_int_eq(w.findings[0].kind, FINDING_BLOCKED);
	ck_assert_int_eq(w.findings[0].what, HOLDER_TASKWAIT);
	assert_threads(&w.findings[0], 1, (uint32_t[]){4});
}
END_TEST

/* Threads run in unknown states: they may spin in a wait. Then a thread that sleeps elsewhere is not relevant. */
START_TEST(test_who_runs_unseen)
{
	for (uint32_t i = 0; i < N_THREADS; i++) {
		known[i].is_unseen = i != 2 || _i == 1;
		known[i].progress = known[i].is_unseen ? PROGRESS_UNSEEN : PROGRESS_OPENMP;
	}
	sleeps(5);
	find();
	ck_assert_int_eq(w.verdict, _i == 1 ? VERDICT_UNKNOWN : VERDICT_BUSY);
	ck_assert(w.is_unseen == (_i == 1));
	ck_assert_int_eq(w.n_findings, 2);
	ck_assert_int_eq(w.findings[0].kind, FINDING_BUSY);
	ck_assert_int_eq(w.findings[1].kind, FINDING_OUTSIDE);
}
END_TEST

/* The whole process is stopped: threads that do not wait would continue. */
START_TEST(test_a_process_that_is_stopped)
{
	in.is_halted = true;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_WAITING);
	held_by(waits(0, HOLDER_LOCK, 0xa0), 1, HOLDER_WAITS);
	held_by(waits(1, HOLDER_LOCK, 0xb0), 0, HOLDER_WAITS);
	find();
	ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

START_TEST(test_busy_outside_and_idle)
{
	find();
	ck_assert_int_eq(w.verdict, VERDICT_BUSY);
	ck_assert_uint_eq(w.n_running, N_THREADS);
	for (uint32_t i = 0; i < N_THREADS; i++)
		sleeps(i);
	known[2].place = 0x1234;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_WAITING);
	ck_assert_uint_eq(w.n_findings, 2);
	/* The minority comes first. */
	assert_threads(&w.findings[0], 1, (uint32_t[]){2});
	for (uint32_t i = 0; i < N_THREADS; i++)
		threads[i].state.value = ompt_state_idle;
	find();
	ck_assert_int_eq(w.verdict, VERDICT_IDLE);
}
END_TEST

START_TEST(test_threads_that_went_on)
{
	for (uint32_t i = 0; i < N_THREADS; i++) {
		waits(i, HOLDER_BARRIER, 0)->unknown = "the region of the barrier is not known";
		known[i] = (struct waits_thread){.motion = MOTION_RAN};
	}
	find();
	ck_assert_int_eq(w.verdict, VERDICT_UNKNOWN);
	ck_assert_uint_eq(w.n_findings, 0);
	ck_assert_no_err(waits_note_moved(&w, (uint32_t[]){1, 3}, 2));
	ck_assert_int_eq(w.verdict, VERDICT_BUSY);
	ck_assert_uint_eq(w.n_findings, 1);
	ck_assert(w.findings[0].kind == FINDING_BUSY && w.findings[0].is_proven);
	assert_threads(&w.findings[0], 2, (uint32_t[]){1, 3});
}
END_TEST

/* Its holder may be any thread, but no thread of the process can run. */
START_TEST(test_all_threads_wait)
{
	waits(0, HOLDER_LOCK, 0xa0)->is_complete = false;
	for (uint32_t i = 1; i < N_THREADS - 1; i++)
		held_by(waits(i, HOLDER_BARRIER, 0xb0), 0, HOLDER_WAITS);
	threads[N_THREADS - 1].state.value = ompt_state_idle;
	known[N_THREADS - 1].motion = MOTION_ASLEEP;
	in.is_consistent = true;
	if (_i == 1) {
		/* A thread that sleeps in a call of the program can return from it. */
		threads[N_THREADS - 1].state.value = ompt_state_work_parallel;
		sleeps(N_THREADS - 1);
	} else if (_i == 2) {
		known[3].motion = MOTION_RAN;
	} else if (_i == 3) {
		in.is_consistent = false;
	} else if (_i == 4) {
		/* A device may end it. */
		all_waits[1] = (struct holder_wait){.thread = 1, .task = 1, .kind = HOLDER_DEVICE, .is_complete = true};
	}
	find();
	if (_i == 0) {
		ck_assert_int_eq(w.verdict, VERDICT_DEADLOCK);
		ck_assert_int_eq(w.findings[0].kind, FINDING_ALL_WAIT);
		ck_assert(w.findings[0].is_proven);
	} else {
		ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	}
}
END_TEST

START_TEST(test_a_device_ends_the_chain)
{
	waits(0, HOLDER_DEVICE, 0);
	for (uint32_t i = 1; i < N_THREADS; i++)
		held_by(waits(i, HOLDER_BARRIER, 0xb0), 0, HOLDER_WAITS);
	known[0].progress = PROGRESS_UNSEEN;
	if (_i == 1)
		known[0].motion = MOTION_RAN;
	else if (_i == 2)
		known[0] = (struct waits_thread){.motion = MOTION_RAN, .progress = PROGRESS_OPENMP};
	find();
	ck_assert_int_eq(w.verdict, _i == 0 ? VERDICT_BLOCKED : _i == 1 ? VERDICT_UNKNOWN : VERDICT_BUSY);
	ck_assert_int_eq(w.findings[0].kind, FINDING_DEVICE);
	ck_assert_uint_eq(w.findings[0].n_waiting, N_THREADS - 1);
	assert_threads(&w.findings[0], 1, (uint32_t[]){0});
}
END_TEST

/* Target regions leave no record: it may have executed some between its sleeps. */
START_TEST(test_polls_beside_devices)
{
	for (uint32_t i = 1; i < N_THREADS; i++)
		held_by(waits(i, HOLDER_BARRIER, 0xb0), 0, HOLDER_SLEEPS);
	known[0].progress = PROGRESS_POLLS;
	in.has_devices = _i == 1;
	find();
	ck_assert_int_eq(w.findings[0].kind, FINDING_POLLS);
	ck_assert_int_eq(w.verdict, _i == 1 ? VERDICT_UNKNOWN : VERDICT_BLOCKED);
	ck_assert(w.findings[0].is_proven == (_i == 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/wait/waits");
	TCase *tc = tcase_create("waits");

	tcase_add_loop_test(tc, test_all_threads_wait, 0, 5);
	tcase_add_loop_test(tc, test_a_device_ends_the_chain, 0, 3);
	tcase_add_loop_test(tc, test_polls_beside_devices, 0, 2);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_cycle_is_a_deadlock);
	tcase_add_test(tc, test_who_waits_for_itself_is_a_cycle);
	tcase_add_loop_test(tc, test_a_cycle_that_moves_is_none, 0, 3);
	tcase_add_loop_test(tc, test_cycle_of_locks_that_spin, 0, 2);
	tcase_add_test(tc, test_who_is_released_goes_on);
	tcase_add_test(tc, test_candidates_make_no_cycle);
	tcase_add_test(tc, test_who_is_missing_blocks_or_is_slow);
	tcase_add_test(tc, test_an_idle_thread_that_is_awake);
	tcase_add_test(tc, test_who_passes_barriers_is_busy);
	tcase_add_loop_test(tc, test_who_runs_without_progress, 0, 4);
	tcase_add_test(tc, test_waits_are_followed_to_their_end);
	tcase_add_loop_test(tc, test_holders_that_are_gone, 0, 2);
	tcase_add_test(tc, test_holders_of_another_process);
	tcase_add_loop_test(tc, test_tasks_that_no_thread_executes, 0, 4);
	tcase_add_test(tc, test_a_task_leads_to_who_executes_it);
	tcase_add_loop_test(tc, test_who_runs_unseen, 0, 2);
	tcase_add_test(tc, test_a_process_that_is_stopped);
	tcase_add_test(tc, test_busy_outside_and_idle);
	tcase_add_test(tc, test_threads_that_went_on);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
