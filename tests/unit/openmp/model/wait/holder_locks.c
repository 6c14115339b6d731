/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/wait/holder_locks: a lock's holders, and the threads that only may hold it. */
#include "waiting_team.h"

#define LOCK 0x404100

static struct snapshot_mutex mutexes[2];

/* Sets what the library reports about LOCK. */
static struct snapshot_mutex *mutex(int kind, int rc, int state)
{
	mutexes[s.n_mutexes] = (struct snapshot_mutex){.address = LOCK,
						       .kind = kind,
						       .rc = rc,
						       .state = state,
						       .thread = SNAPSHOT_NONE,
						       .task = SNAPSHOT_NONE};
	s.mutexes = mutexes;
	return &mutexes[s.n_mutexes++];
}

START_TEST(test_lock_without_owner_has_candidates)
{
	waits(0, ompt_state_wait_lock, LOCK);
	waits(1, ompt_state_wait_lock, LOCK);
	waits(2, ompt_state_wait_lock, LOCK + 4);
	for (uint32_t i = 0; i < 2; i++) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_LOCK);
		ck_assert(!wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 0);
		ck_assert_uint_eq(wait->n_candidates, 2);
		ck_assert_uint_eq(wait->candidates[0].thread, 2);
		ck_assert_uint_eq(wait->candidates[1].thread, 3);
	}
	/* Two threads that wait for unknown locks need not wait for the same lock. */
	waits(0, ompt_state_wait_ordered, 0);
	waits(1, ompt_state_wait_ordered, 0);
	ck_assert_uint_eq(find(0)->n_candidates, 3);
}
END_TEST

START_TEST(test_lock_that_names_its_holder)
{
	waits(0, ompt_state_wait_lock, LOCK);
	waits(1, ompt_state_wait_critical, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	lock->thread = 3;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 3);
	ck_assert_int_eq(wait->holders[0].tid, 103);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_MEMORY);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
	/* A report about one kind of lock does not apply to another kind. */
	ck_assert_uint_eq(find(1)->n_holders, 0);
	/* The holder waits for the lock that it holds. */
	lock->thread = 0;
	wait = find(0);
	ck_assert_uint_eq(wait->holders[0].thread, 0);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WAITS);
}
END_TEST

START_TEST(test_lock_is_nestable_only_if_its_routine_is)
{
	waits(0, ompt_state_wait_lock, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_unsupported, 0);
	struct snapshot_mutex *nest = mutex(ompt_mutex_nest_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	nest->thread = 2;
	nest->task = 2;
	ck_assert_uint_eq(lock->thread, SNAPSHOT_NONE);
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock = LOCK_SIMPLE;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock = LOCK_NESTABLE;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	ck_assert_int_eq(find(0)->kind, HOLDER_NEST_LOCK);
	ck_assert_uint_eq(find(0)->holders[0].task, 2);
}
END_TEST

START_TEST(test_lock_of_nobody)
{
	waits(0, ompt_state_wait_lock, LOCK);
	mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_FREE);
	ck_assert_uint_eq(find(0)->n_holders, 0);
	ck_assert(find(0)->is_complete);
}
END_TEST

START_TEST(test_lock_of_a_thread_that_ended)
{
	waits(0, ompt_state_wait_lock, LOCK);
	struct snapshot_mutex *lock = mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_ORPHANED);
	s.origin = TARGET_IMAGE_EXECUTED;
	for (int i = 0; i < 2; i++) {
		const struct holder_wait *wait = find(0);

		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
		ck_assert_int_eq(wait->holders[0].tid, 77 * i);
		ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
		/* If a fork has copied the lock, or may have, the thread may belong to another process. */
		s.origin = i ? TARGET_IMAGE_FORKED : TARGET_IMAGE_UNKNOWN;
		ck_assert_int_eq(find(0)->holders[0].doing, HOLDER_ELSEWHERE);
		s.origin = TARGET_IMAGE_EXECUTED;
		/* The runtime does not know it yet, but the kernel does. */
		lock->state = OMPD_MUTEX_HELD;
		lock->tid = 77;
	}
}
END_TEST

START_TEST(test_lock_of_a_task_that_is_not_known)
{
	waits(0, ompt_state_wait_lock, LOCK);
	threads[0].lock = LOCK_NESTABLE;
	mutex(ompt_mutex_nest_lock, ompd_rc_ok, OMPD_MUTEX_HELD);
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 3);
	/* All threads are in other tasks with known parents, so no thread can be in this one: it has ended. */
	for (int i = 0; i < N_THREADS; i++)
		tasks[i].kind = TASK_INITIAL;
	s.origin = TARGET_IMAGE_EXECUTED;
	wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
	s.origin = TARGET_IMAGE_FORKED;
	ck_assert_int_eq(find(0)->holders[0].doing, HOLDER_ELSEWHERE);
	/* Below an explicit task there may be other tasks. */
	tasks[3].kind = TASK_EXPLICIT;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* An idle thread is in no task. */
	threads[3].state.value = ompt_state_idle;
	tasks[3].is_queued = true;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[3].openmp = false;
	threads[3].openmp_rc = ompd_rc_error;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[3].openmp_rc = ompd_rc_unavailable;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	s.truncated = true;
	ck_assert_uint_eq(find(0)->n_holders, 0);
}
END_TEST

START_TEST(test_mutex_is_what_the_thread_entered)
{
	waits(0, ompt_state_wait_mutex, LOCK);
	ck_assert_int_eq(find(0)->kind, HOLDER_MUTEX);
	threads[0].construct = CONSTRUCT_LOCK;
	ck_assert_int_eq(find(0)->kind, HOLDER_LOCK);
	threads[0].construct = CONSTRUCT_CRITICAL;
	ck_assert_int_eq(find(0)->kind, HOLDER_CRITICAL);
}
END_TEST

START_TEST(test_mutex_of_the_c_library)
{
	waits(0, ompt_state_work_parallel, 0);
	threads[0].mutex = 0x404200;
	threads[0].mutex_owner = 2;
	threads[3].openmp = false;
	threads[3].mutex = 0x404200;
	threads[3].mutex_owner = 2;
	for (uint32_t i = 0; i < 4; i += 3) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_PTHREAD);
		ck_assert_uint_eq(wait->wait_id, 0x404200);
		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, 2);
		ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_MEMORY);
	}
}
END_TEST

START_TEST(test_mutex_of_a_thread_that_has_ended)
{
	waits(0, ompt_state_work_parallel, 0);
	threads[0].mutex = 0x404200;
	threads[0].mutex_tid = 777;
	threads[0].mutex_owner = SNAPSHOT_NONE;
	s.origin = TARGET_IMAGE_EXECUTED;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_ENDED);
	ck_assert_int_eq(wait->holders[0].tid, 777);
	s.origin = TARGET_IMAGE_FORKED;
	threads[0].mutex_process = 770;
	wait = find(0);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_ELSEWHERE);
	ck_assert_int_eq(wait->holders[0].tid, 777);
	ck_assert_int_eq(wait->holders[0].process, 770);
}
END_TEST

START_TEST(test_held_by_code)
{
	struct snapshot_held helds[2] = {
		{.thread = 1, .kind = HOLDER_LOCK, .address = LOCK, .evidence = "so"},
		{.thread = 1, .kind = HOLDER_LOCK, .address = LOCK, .evidence = "and so"},
	};

	waits(0, ompt_state_wait_lock, LOCK);
	s.helds = helds;
	s.n_helds = 2;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_CODE);
	/* Two threads hold it at once: one of the two reports is wrong. */
	helds[1].thread = 2;
	wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 3);
	/* Another construct has another address. */
	helds[0].kind = helds[1].kind = HOLDER_CRITICAL;
	helds[1].thread = 1;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	helds[0].kind = helds[1].kind = HOLDER_LOCK;
	helds[0].address = helds[1].address = LOCK + 4;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* The lock's own state takes precedence. */
	helds[0].address = LOCK;
	mutex(ompt_mutex_lock, ompd_rc_ok, OMPD_MUTEX_HELD)->thread = 3;
	ck_assert_uint_eq(find(0)->holders[0].thread, 3);
}
END_TEST

/* The runtime waits for an internal record. By the code on their stacks, both are at the same lock of the program. */
START_TEST(test_held_by_code_at_the_programs_address)
{
	struct snapshot_held helds[1] = {
		{.thread = 1, .kind = HOLDER_LOCK, .address = 0x404000, .evidence = "so"},
	};

	waits(0, ompt_state_wait_lock, LOCK);
	s.helds = helds;
	s.n_helds = 1;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock_address = 0x404000;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_uint_eq(wait->address, 0x404000);
	/* No other source has to know the awaited lock. */
	threads[0].wait_id.rc = ompd_rc_unavailable;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[0].lock_address = 0x404008;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	/* The runtime's only unnamed lock has no address. */
	helds[0] = (struct snapshot_held){.thread = 1, .kind = HOLDER_CRITICAL, .evidence = "so"};
	threads[0].state.value = ompt_state_wait_critical;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	threads[0].lock_address = 0;
	threads[0].lock_is_only = true;
	ck_assert_uint_eq(find(0)->n_holders, 1);
	threads[0].state.value = ompt_state_wait_atomic;
	ck_assert_uint_eq(find(0)->n_holders, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/wait/holder_locks");
	TCase *tc = tcase_create("locks");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_lock_without_owner_has_candidates);
	tcase_add_test(tc, test_lock_that_names_its_holder);
	tcase_add_test(tc, test_lock_is_nestable_only_if_its_routine_is);
	tcase_add_test(tc, test_lock_of_nobody);
	tcase_add_test(tc, test_lock_of_a_thread_that_ended);
	tcase_add_test(tc, test_lock_of_a_task_that_is_not_known);
	tcase_add_test(tc, test_mutex_is_what_the_thread_entered);
	tcase_add_test(tc, test_mutex_of_the_c_library);
	tcase_add_test(tc, test_mutex_of_a_thread_that_has_ended);
	tcase_add_test(tc, test_held_by_code);
	tcase_add_test(tc, test_held_by_code_at_the_programs_address);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
