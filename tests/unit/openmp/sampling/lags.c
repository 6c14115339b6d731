/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/lags: which members work while others wait. */
#include "check_main.h"

#include "openmp/sampling/lags.h"

static struct lags l;

static void set_up(void)
{
	l = (struct lags){0};
}

static void tear_down(void)
{
	lags_deinit(&l);
}

static void add(int64_t number, enum profile_state state, bool is_outside)
{
	lags_add(&l, &(struct lag_sample){.region = is_outside ? 0 : 1,
					  .is_outside = is_outside,
					  .thread_num = number,
					  .state = state,
					  .at = {.function = 5},
					  .us = 100});
}

START_TEST(test_one_member_works)
{
	add(0, PROFILE_WORK, false);
	add(1, PROFILE_BARRIER, false);
	add(2, PROFILE_BARRIER_IMPLICIT, false);
	add(3, PROFILE_BARRIER, false);
	lags_end(&l);
	ck_assert_uint_eq(l.n_rows, 1);
	ck_assert_uint_eq(l.rows[0].wait_us, 300);
	ck_assert_uint_eq(l.rows[0].lone_us, 300);
	ck_assert_uint_eq(l.rows[0].all_wait_us, 0);
	ck_assert_uint_eq(l.rows[0].n_workers, 1);
	ck_assert_int_eq(l.rows[0].workers[0].thread_num, 0);
	ck_assert_uint_eq(l.rows[0].workers[0].us, 300);
	ck_assert_uint_eq(l.idle_us, 0);
}
END_TEST

START_TEST(test_an_unknown_state_may_be_work)
{
	add(0, PROFILE_UNKNOWN, false);
	add(1, PROFILE_BARRIER, false);
	lags_end(&l);
	ck_assert_uint_eq(l.rows[0].wait_us, 100);
	ck_assert_uint_eq(l.rows[0].all_wait_us + l.rows[0].lone_us, 0);
	ck_assert_uint_eq(l.judged_us, 0);
}
END_TEST

START_TEST(test_no_member_works)
{
	add(0, PROFILE_OVERHEAD, false);
	add(1, PROFILE_BARRIER, false);
	lags_end(&l);
	ck_assert_uint_eq(l.rows[0].all_wait_us, 100);
	ck_assert_uint_eq(l.idle_us, 200);
	ck_assert_uint_eq(l.judged_us, 200);
}
END_TEST

START_TEST(test_idle_threads_wait_for_the_serial_one)
{
	add(0, PROFILE_SERIAL, true);
	add(1, PROFILE_IDLE, true);
	lags_end(&l);
	ck_assert_int_eq(l.rows[0].kind, LAG_IDLE);
	ck_assert_uint_eq(l.rows[0].lone_us, 100);
	/* Another thread is in a region: the idle one may wait for it. */
	add(0, PROFILE_SERIAL, true);
	add(1, PROFILE_IDLE, true);
	add(0, PROFILE_WORK, false);
	lags_end(&l);
	ck_assert_uint_eq(l.rows[0].wait_us, 200);
	ck_assert_uint_eq(l.rows[0].lone_us, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/lags");
	TCase *tc = tcase_create("lags");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_one_member_works);
	tcase_add_test(tc, test_an_unknown_state_may_be_work);
	tcase_add_test(tc, test_no_member_works);
	tcase_add_test(tc, test_idle_threads_wait_for_the_serial_one);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
