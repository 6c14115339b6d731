/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/worker.c: holding a target stopped on behalf of connections. */
#include "worker/worker.h"

#include "check_main.h"
#include "fake_target.h"
#include "methods/event.h"

static struct worker w;

static void start(enum target_mode mode)
{
	w = (struct worker){.write_event = event_write, .plugin_options = {.timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.target = fake_target_create(mode);
	w.client = 1;
}

static void teardown(void)
{
	worker_deinit(&w);
}

START_TEST(test_hold_and_release)
{
	struct view view;
	int64_t us = 0;

	start(TARGET_STOP);
	fake_target_set_stopped_us(w.target, 55);
	ck_assert_no_err(worker_hold(&w, &view));
	ck_assert_uint_eq(view.epoch, 1);
	ck_assert_int_eq(view.consistency, VIEW_STOPPED);
	ck_assert_int_eq(w.holder, 1);
	ck_assert(target_is_stopped(w.target));
	ck_assert_no_err(worker_release(&w, &us));
	ck_assert_int_eq(us, 55);
	ck_assert_int_eq(w.holder, -1);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_hold_twice_is_one_hold)
{
	struct view view;

	start(TARGET_STOP);
	ck_assert_no_err(worker_hold(&w, &view));
	ck_assert_no_err(worker_hold(&w, &view));
	ck_assert_uint_eq(view.epoch, 1);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 1);
}
END_TEST

START_TEST(test_hold_of_another_connection)
{
	struct view view;
	int64_t us;

	start(TARGET_STOP);
	ck_assert_no_err(worker_hold(&w, &view));
	w.client = 2;
	ck_assert_err(worker_hold(&w, &view), ERR_TARGET_HELD);
	ck_assert_err(worker_release(&w, &us), ERR_TARGET_HELD);
	ck_assert(target_is_stopped(w.target));
}
END_TEST

START_TEST(test_release_of_what_nobody_holds)
{
	int64_t us;

	start(TARGET_STOP);
	ck_assert_err(worker_release(&w, &us), ERR_NOT_STOPPED);
	fake_target_fail(w.target, ERR_TARGET_EXITED);
	ck_assert_err(worker_release(&w, &us), ERR_TARGET_EXITED);
}
END_TEST

START_TEST(test_hold_needs_mode_stop)
{
	struct view view;
	int64_t us;

	start(TARGET_OBSERVE);
	ck_assert_err(worker_hold(&w, &view), ERR_MODE_UNSUPPORTED);
	ck_assert_err(worker_release(&w, &us), ERR_MODE_UNSUPPORTED);
	ck_assert_int_eq(w.holder, -1);
}
END_TEST

START_TEST(test_hold_needs_a_target)
{
	struct view view;
	int64_t us;

	w = (struct worker){0};
	ck_assert_no_err(worker_init(&w, "t1"));
	ck_assert_err(worker_hold(&w, &view), ERR_NO_SUCH_TARGET);
	ck_assert_err(worker_release(&w, &us), ERR_NO_SUCH_TARGET);
	worker_client_gone(&w, 1);
}
END_TEST

START_TEST(test_client_gone_resumes_what_it_held)
{
	struct view view;

	start(TARGET_STOP);
	ck_assert_no_err(worker_hold(&w, &view));
	worker_client_gone(&w, 2);
	ck_assert(target_is_stopped(w.target));
	worker_client_gone(&w, 1);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_int_eq(w.holder, -1);
	w.client = 2;
	ck_assert_no_err(worker_hold(&w, &view));
	ck_assert_uint_eq(view.epoch, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker_worker");
	TCase *tc = tcase_create("hold");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_hold_and_release);
	tcase_add_test(tc, test_hold_twice_is_one_hold);
	tcase_add_test(tc, test_hold_of_another_connection);
	tcase_add_test(tc, test_release_of_what_nobody_holds);
	tcase_add_test(tc, test_hold_needs_mode_stop);
	tcase_add_test(tc, test_hold_needs_a_target);
	tcase_add_test(tc, test_client_gone_resumes_what_it_held);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
