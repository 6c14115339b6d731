/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/wait/holder: the threads that block another one, and those that only may do so. */
#include <sys/syscall.h>

#include "waiting_team.h"

#define BARRIER 0x9000
#define LOCK	0x404100

START_TEST(test_who_works_waits_for_nothing)
{
	ck_assert_no_err(holders_find(NULL, &s, &h));
	for (uint32_t i = 0; i < N_THREADS; i++)
		ck_assert_ptr_null(holders_of(&h, i));
}
END_TEST

START_TEST(test_barrier_waits_for_who_is_not_there)
{
	for (uint32_t i = 0; i < 3; i++)
		waits(i, ompt_state_wait_barrier, BARRIER);
	for (uint32_t i = 0; i < 3; i++) {
		const struct holder_wait *wait = find(i);

		ck_assert_int_eq(wait->kind, HOLDER_BARRIER);
		ck_assert_uint_eq(wait->wait_id, BARRIER);
		ck_assert(wait->is_complete);
		ck_assert_uint_eq(wait->n_holders, 1);
		ck_assert_uint_eq(wait->holders[0].thread, 3);
		ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
	}
	ck_assert_ptr_null(holders_of(&h, 3));
}
END_TEST

START_TEST(test_barrier_of_another_kind_keeps_both)
{
	for (uint32_t i = 0; i < 3; i++)
		waits(i, ompt_state_wait_barrier_explicit, BARRIER);
	waits(3, ompt_state_wait_barrier_implicit_parallel, BARRIER + 64);
	const struct holder_wait *wait = find(0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 3);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WAITS);
	wait = find(3);
	ck_assert_uint_eq(wait->n_holders, 3);
}
END_TEST

START_TEST(test_member_somewhere_in_the_runtime_may_be_at_the_barrier)
{
	for (uint32_t i = 0; i < 2; i++)
		waits(i, ompt_state_wait_barrier, BARRIER);
	threads[2].state.rc = ompd_rc_unavailable;
	threads[3].state.value = ompt_state_overhead;
	threads[3].state_is_inferred = true;
	const struct holder_wait *wait = find(1);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 2);
	ck_assert_uint_eq(wait->n_listed, 2);
}
END_TEST

START_TEST(test_member_in_another_region_is_not_at_the_barrier)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		waits(i, ompt_state_wait_barrier, 0);
	threads[2].parallel.index = 1;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 2);
}
END_TEST

START_TEST(test_members_that_are_not_known)
{
	waits(0, ompt_state_wait_barrier, BARRIER);
	parallels[0].n_members = 3;
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 2);
}
END_TEST

START_TEST(test_taskwait_waits_for_children_only)
{
	waits(0, ompt_state_wait_taskwait, 0);
	explicit_task(4, 0, 1);
	threads[1].task.index = 4;
	explicit_task(5, 4, SNAPSHOT_NONE);
	tasks[5].is_queued = true;
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->kind, HOLDER_TASKWAIT);
	ck_assert_uint_eq(wait->task, 0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].task, 4);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_WORKS);
}
END_TEST

START_TEST(test_queued_child_with_predecessors)
{
	waits(0, ompt_state_wait_taskwait, 0);
	explicit_task(4, 0, SNAPSHOT_NONE);
	tasks[4].is_queued = true;
	tasks[4].predecessors.value = 2;
	const struct holder_wait *wait = find(0);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_QUEUED);
	ck_assert_uint_eq(wait->holders[0].n_predecessors, 2);
	ck_assert_uint_eq(wait->holders[0].thread, SNAPSHOT_NONE);
}
END_TEST

START_TEST(test_descendants_may_be_of_the_taskgroup)
{
	waits(0, ompt_state_wait_taskgroup, 0);
	explicit_task(4, 0, 1);
	explicit_task(5, 4, 2);
	const struct holder_wait *wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	ck_assert_uint_eq(wait->n_candidates, 2);
}
END_TEST

START_TEST(test_cycle_of_tasks_ends)
{
	waits(0, ompt_state_wait_taskgroup, 0);
	explicit_task(4, 5, 1);
	explicit_task(5, 4, 2);
	ck_assert_uint_eq(find(0)->n_candidates, 0);
}
END_TEST

START_TEST(test_idle_holder)
{
	waits(0, ompt_state_wait_lock, LOCK);
	threads[1].state.value = ompt_state_idle;
	threads[2].activity = (struct target_activity){.known = true, .in_syscall = true, .syscall = SYS_read};
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->candidates[0].doing, HOLDER_IDLE);
	ck_assert_int_eq(wait->candidates[1].doing, HOLDER_SLEEPS);
	ck_assert_int_eq(wait->candidates[1].call, SYS_read);
	ck_assert_int_eq(wait->candidates[2].doing, HOLDER_WORKS);
}
END_TEST

static struct snapshot_awaited awaited[2];
static struct snapshot_awaited_item items[3];

/* Sets the library's report that @thread waits for the @n items. */
static void library_says(uint32_t thread, uint32_t n, bool is_complete)
{
	awaited[0] =
		(struct snapshot_awaited){.thread = thread, .task = SNAPSHOT_NONE, .is_complete = is_complete, .n = n};
	s.awaited = awaited;
	s.n_awaited = 1;
	s.awaited_items = items;
	s.n_awaited_items = n;
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct snapshot_awaited_item){.thread = SNAPSHOT_NONE, .task = SNAPSHOT_NONE};
}

START_TEST(test_turn)
{
	waits(0, ompt_state_wait_ordered, 0x500);
	library_says(0, 1, true);
	items[0].thread = 2;
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->kind, HOLDER_ORDERED);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 1);
	ck_assert_uint_eq(wait->holders[0].thread, 2);
	ck_assert_int_eq(wait->holders[0].source, HOLDER_FROM_PLUGIN);
	/* According to the kernel, the holder has ended. */
	items[0].thread = SNAPSHOT_NONE;
	wait = find(0);
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 0);
	/* No thread has started it. */
	library_says(0, 0, false);
	ck_assert(!find(0)->is_complete);
}
END_TEST

/* The thread whose turn it is blocks only those of the loop's threads that are seen waiting in ordered. */
START_TEST(test_turn_of_a_thread_that_may_do_anything)
{
	library_says(0, 1, true);
	awaited[0].as_state = ompt_state_wait_ordered;
	items[0].thread = 2;
	waits(0, ompt_state_wait_barrier_implicit_workshare, 0x500);
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
	waits(0, ompt_state_wait_ordered, 0);
	ck_assert_uint_eq(find(0)->n_holders, 1);
	ck_assert_uint_eq(find(0)->holders[0].thread, 2);
	threads[0].is_in_doacross = true;
	ck_assert_uint_eq(find(0)->n_holders, 0);
	ck_assert_uint_eq(find(0)->n_candidates, 3);
	/* A thread at a barrier has left the loop, except at a barrier of a region nested in an iteration. */
	waits(1, ompt_state_wait_barrier_implicit_parallel, 0x500);
	ck_assert_uint_eq(find(0)->n_candidates, 2);
	ck_assert_uint_eq(find(0)->candidates[0].thread, 2);
	threads[1].parallel.index = 1;
	ck_assert_uint_eq(find(0)->n_candidates, 3);
}
END_TEST

START_TEST(test_single_is_told_from_a_barrier)
{
	waits(0, ompt_state_wait_barrier_implicit_workshare, 0x500);
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
	library_says(0, 1, true);
	items[0].thread = 1;
	ck_assert_int_eq(find(0)->kind, HOLDER_SINGLE);
	ck_assert_uint_eq(find(0)->holders[0].thread, 1);
	awaited[0].rc = ompd_rc_unavailable;
	ck_assert_int_eq(find(0)->kind, HOLDER_BARRIER);
}
END_TEST

START_TEST(test_tasks_that_the_library_names)
{
	waits(0, ompt_state_wait_taskgroup, 0x500);
	explicit_task(4, 0, SNAPSHOT_NONE);
	explicit_task(5, 4, 1);
	library_says(0, 2, true);
	items[0].task = 4;
	items[0].progress = OMPD_PROGRESS_DETACHED;
	items[1].task = 5;
	items[1].progress = OMPD_PROGRESS_BEGUN;
	const struct holder_wait *wait = find(0);
	ck_assert(wait->is_complete);
	ck_assert_uint_eq(wait->n_holders, 2);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_DETACHED);
	ck_assert_uint_eq(wait->holders[1].thread, 1);
	ck_assert_uint_eq(h.n_dependences, 0);
}
END_TEST

/* A device executes task 4. While its data is mapped, a thread still executes task 5. */
START_TEST(test_tasks_of_devices)
{
	waits(0, ompt_state_wait_taskwait, 0x500);
	explicit_task(4, 0, SNAPSHOT_NONE);
	explicit_task(5, 0, 1);
	library_says(0, 2, true);
	for (uint32_t i = 0; i < 2; i++) {
		items[i].task = 4 + i;
		items[i].progress = OMPD_PROGRESS_OFFLOADED;
	}
	const struct holder_wait *wait = find(0);
	ck_assert_int_eq(wait->holders[0].doing, HOLDER_OFFLOADED);
	ck_assert_int_ne(wait->holders[1].doing, HOLDER_OFFLOADED);
	ck_assert_uint_eq(wait->holders[1].thread, 1);
}
END_TEST

/* The library lists the tasks of the thread's team; a helper of another team executes its child task 4. */
START_TEST(test_tasks_of_helpers)
{
	waits(0, ompt_state_wait_taskwait, 0x500);
	explicit_task(4, 0, 1);
	explicit_task(5, 4, 2);
	library_says(0, 0, _i == 0);
	const struct holder_wait *wait = find(0);
	ck_assert_uint_eq(wait->n_holders, _i == 0 ? 0 : 1);
	if (_i == 0)
		return;
	ck_assert(!wait->is_complete);
	ck_assert_uint_eq(wait->holders[0].task, 4);
	ck_assert_uint_eq(wait->holders[0].thread, 1);
}
END_TEST

START_TEST(test_dependences)
{
	explicit_task(4, 0, 1);
	explicit_task(5, 0, SNAPSHOT_NONE);
	library_says(SNAPSHOT_NONE, 1, true);
	awaited[0].task = 5;
	items[0].task = 4;
	ck_assert_no_err(holders_find(NULL, &s, &h));
	ck_assert_uint_eq(h.n_dependences, 1);
	ck_assert_uint_eq(h.dependences[0].task, 5);
	ck_assert_uint_eq(h.dependences[0].on, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/wait/holder");
	TCase *tc = tcase_create("holder");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_who_works_waits_for_nothing);
	tcase_add_test(tc, test_barrier_waits_for_who_is_not_there);
	tcase_add_test(tc, test_barrier_of_another_kind_keeps_both);
	tcase_add_test(tc, test_member_somewhere_in_the_runtime_may_be_at_the_barrier);
	tcase_add_test(tc, test_member_in_another_region_is_not_at_the_barrier);
	tcase_add_test(tc, test_members_that_are_not_known);
	tcase_add_test(tc, test_taskwait_waits_for_children_only);
	tcase_add_test(tc, test_queued_child_with_predecessors);
	tcase_add_test(tc, test_descendants_may_be_of_the_taskgroup);
	tcase_add_test(tc, test_cycle_of_tasks_ends);
	tcase_add_test(tc, test_idle_holder);
	tcase_add_test(tc, test_turn);
	tcase_add_test(tc, test_turn_of_a_thread_that_may_do_anything);
	tcase_add_test(tc, test_single_is_told_from_a_barrier);
	tcase_add_test(tc, test_tasks_that_the_library_names);
	tcase_add_test(tc, test_tasks_of_devices);
	tcase_add_loop_test(tc, test_tasks_of_helpers, 0, 2);
	tcase_add_test(tc, test_dependences);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
