/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/wait/waits_barrier: barriers at which the members of a team cannot meet. */
#include "check_main.h"
#include "waits_team.h"

/* All sleep at a barrier. If they are in different places, it is not the same barrier; else the verdict is unknown. */
START_TEST(test_different_barriers)
{
	for (uint32_t i = 0; i < N_THREADS; i++)
		waits(i, HOLDER_BARRIER, 0xc0);
	known[0].is_at_end = _i == 1;
	find();
	ck_assert_int_eq(w.verdict, _i == 1 ? VERDICT_DEADLOCK : VERDICT_UNKNOWN);
	known[4].motion = MOTION_RAN;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

/* Two threads that sleep at two addresses need not be at two barriers, unless the runtime reports these barriers. */
START_TEST(test_barriers_by_the_kernel)
{
	held_by(waits(0, HOLDER_BARRIER, 0xc0), 1, HOLDER_WAITS);
	held_by(waits(1, HOLDER_BARRIER, 0xd0), 0, HOLDER_WAITS);
	threads[1].state_is_inferred = _i == 1;
	find();
	ck_assert_int_eq(w.verdict == VERDICT_DEADLOCK, _i == 0);
}
END_TEST

START_TEST(test_members_that_no_thread_is)
{
	struct holder_wait *wait = waits(0, HOLDER_BARRIER, 0xc0);

	wait->is_complete = false;
	s.n_threads = region.n_members = 1;
	find();
	ck_assert_int_eq(w.findings[0].kind, FINDING_LOST_TEAM);
	/* A thread that sleeps all the time is not the one, but a new thread may be. */
	s.n_threads = 2;
	sleeps(1);
	find();
	ck_assert_int_eq(w.findings[0].kind, FINDING_LOST_TEAM);
	known[1].motion = MOTION_RAN;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	in.is_core = true;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	threads[1].state.value = ompt_state_idle;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
	known[1].is_asleep = true;
	find();
	ck_assert_int_eq(w.findings[0].kind, FINDING_LOST_TEAM);
	/* A thread without any known state may be the one. */
	in.is_core = false;
	sleeps(1);
	threads[1].openmp = false;
	threads[1].openmp_rc = ompd_rc_error;
	find();
	ck_assert_uint_eq(w.n_findings, 0);
}
END_TEST

/* A view of a running target may be inconsistent. */
START_TEST(test_barrier_of_no_region)
{
	struct holder_wait *wait = waits(0, HOLDER_BARRIER, 0xc0);

	threads[0].parallel.index = SNAPSHOT_NONE;
	wait->is_complete = _i == 1;
	find();
	ck_assert_int_ne(w.verdict, VERDICT_DEADLOCK);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/wait/waits_barrier");
	TCase *tc = tcase_create("waits_barrier");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_different_barriers, 0, 2);
	tcase_add_loop_test(tc, test_barriers_by_the_kernel, 0, 2);
	tcase_add_test(tc, test_members_that_no_thread_is);
	tcase_add_loop_test(tc, test_barrier_of_no_region, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
