/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/target_begin: requests that start with a worker of their own, and those that get none. */
#include "fake_session.h"

#include <stdio.h>
#include <unistd.h>

START_TEST(test_attach_forwards_the_request_of_this_client)
{
	fake_request_attach(&conn, 5);
	ck_assert_uint_eq(fake_n_workers, 1);
	ck_assert_uint_eq(fake_workers[0].got.n, 1);
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"method\":\"target.attach\""));
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"client\":1"));
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"pid\":4711"));
	fake_request(&other, 1, "target.list", NULL);
	fake_expect(&other, "\"state\":\"attaching\"", "\"mode\":\"observe\"");
	fake_answer(&fake_workers[0], 0);
	fake_expect(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"n\":0}}", NULL);
	fake_request(&other, 1, "target.list", NULL);
	fake_expect(&other, "\"target\":\"t1\",\"pid\":4711", "\"state\":\"attached\"");
	fake_event(&fake_workers[0], "{\"type\":\"exited\"}");
	fake_request(&other, 1, "target.list", NULL);
	fake_expect(&other, "\"target\":\"t1\",\"pid\":4711", "\"state\":\"exited\"");
}
END_TEST

START_TEST(test_core_is_opened_by_a_worker_of_its_own)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.open_core\",\"params\":{"
			 "\"core\":\"/tmp/core\",\"debug_dirs\":[\"/d\",\"/e\"]}}");
	ck_assert_uint_eq(fake_n_workers, 1);
	ck_assert_uint_eq(fake_workers[0].uid, 1000);
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"method\":\"target.open_core\""));
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"core\":\"/tmp/core\""));
	fake_answer(&fake_workers[0], 0);
	fake_expect(&conn, "\"id\":5,\"result\"", NULL);
	fake_request(&other, 1, "target.list", NULL);
	fake_expect(&other, "{\"target\":\"t1\",\"core\":\"/tmp/core\",\"mode\":\"core\",\"state\":\"attached\"}",
		    NULL);
	fake_request(&conn, 6, "target.info", "t1");
	ck_assert_uint_eq(fake_workers[0].got.n, 2);
}
END_TEST

START_TEST(test_core_without_a_path_starts_no_worker)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.open_core\",\"params\":{"
			 "\"core\":\"core\"}}");
	fake_expect(&conn, "\"pointer\":\"/params/core\"", NULL);
	ck_assert_uint_eq(fake_n_workers, 0);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_launch_that_is_given_up_is_ended)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"/bin/true\"]}}");
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"request.cancel\",\"params\":{\"id\":5}}");
	const struct fake_texts *got = &fake_workers[0].got;
	ck_assert_uint_eq(got->n, 2);
	ck_assert_ptr_nonnull(strstr(got->items[1], "\"target.kill\""));
	ck_assert(fake_workers[0].ended && fake_workers[0].ending == WORKER_HEARS_OUT);
	/* After its answer it is an ordinary process. */
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"/bin/true\"]}}");
	fake_answer_with(&fake_workers[1], 0, "\"result\":{\"target\":\"t2\",\"pid\":4711}");
	ck_assert_str_eq(fake_workers[1].got.items[1],
			 "{\"jsonrpc\":\"2.0\",\"method\":\"launch.told\",\"params\":{}}");
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"target.detach\",\"params\":{\"target\":\"t2\"}}");
	fake_answer_with(&fake_workers[1], 2, "\"result\":{}");
	ck_assert_uint_eq(fake_workers[1].got.n, 3);
	ck_assert(fake_workers[1].ended && fake_workers[1].ending == WORKER_LEAVES);
}
END_TEST

START_TEST(test_launch_with_bad_parameters_starts_no_worker)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"a.out\"],\"env\":{\"A=B\":\"c\"}}}");
	fake_expect(&conn, "\"pointer\":\"/params/env/A=B\"", NULL);
	ck_assert_uint_eq(fake_n_workers, 0);
}
END_TEST

START_TEST(test_errand_has_a_worker_until_it_is_answered)
{
	fake_request(&conn, 5, "process.list", NULL);
	ck_assert_uint_eq(fake_n_workers, 1);
	struct fake_worker *w = &fake_workers[0];
	ck_assert_uint_eq(w->uid, 1000);
	/* Meanwhile it is not in any list of targets. */
	fake_request(&conn, 6, "target.list", NULL);
	fake_expect(&conn, "\"targets\":[]", NULL);
	fake_request(&conn, 7, "target.info", "errand");
	fake_expect(&conn, "\"id\":7,\"error\"", NULL);
	fake_answer_with(w, 0, "\"result\":{\"processes\":[]}");
	fake_expect(&conn, "\"id\":5,\"result\":{\"processes\":[]}", NULL);
	ck_assert(w->ended && client_is_idle(conn.client));
	/* And it has not used up an id. */
	fake_attach(&conn);
	fake_request(&conn, 8, "target.list", NULL);
	fake_expect(&conn, "\"target\":\"t1\"", NULL);
}
END_TEST

START_TEST(test_errand_ends_with_who_wants_it)
{
	fake_request(&conn, 5, "process.list", NULL);
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"request.cancel\",\"params\":{\"id\":5}}");
	ck_assert(fake_workers[0].ended);
	fake_forget(&conn.got);
	struct fake_conn leaver;
	fake_connect(&leaver, 1000, true);
	fake_request(&leaver, 5, "process.list", NULL);
	fake_disconnect(&leaver);
	ck_assert(fake_workers[1].ended);
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"process.list\",\"params\":{\"rank\":1}}");
	fake_expect(&conn, "\"pointer\":\"/params/rank\"", NULL);
	ck_assert_uint_eq(fake_n_workers, 2);
}
END_TEST

START_TEST(test_worker_that_does_not_start_is_an_error)
{
	fake_start_fails = true;
	fake_request_attach(&conn, 5);
	fake_expect(&conn, "\"id\":5,\"error\"", "\"name\":\"worker_failed\"");
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_attach_to_ourselves_is_refused)
{
	char text[128];
	const int pids[] = {getpid(), 1000001};

	fake_attach(&conn); /* its worker is process 1000001 */
	for (size_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.attach\",\"params\":{"
			 "\"pid\":%d}}",
			 pids[i]);
		fake_send(&conn, text);
		fake_expect(&conn, "\"name\":\"self_attach\"", NULL);
	}
	ck_assert_uint_eq(fake_n_workers, 1);
}
END_TEST

START_TEST(test_worker_runs_as_the_asking_user)
{
	struct fake_conn stranger;

	fake_connect(&stranger, 1001, true);
	fake_attach(&stranger);
	ck_assert_uint_eq(fake_workers[0].uid, 1001);
	fake_disconnect(&stranger);
}
END_TEST

START_TEST(test_target_beyond_the_limit_is_refused_until_one_goes)
{
	fake_disconnect(&conn);
	fake_connect(&conn, geteuid(), true); /* without a quota */
	for (int i = 0; i < LIMIT_TARGETS; i++)
		fake_attach(&conn);
	fake_request_attach(&conn, 7);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "\"limit\":\"targets\"");
	fake_request(&conn, 8, "target.detach", "t3");
	fake_answer(&fake_workers[2], 1);
	fake_expect(&conn, "\"id\":8,\"result\"", NULL);
	fake_attach(&conn);
	fake_request(&conn, 9, "target.info", "t65");
	ck_assert_uint_eq(fake_workers[LIMIT_TARGETS].got.n, 2);
}
END_TEST

START_TEST(test_one_user_does_not_take_all_targets)
{
	struct fake_conn stranger;

	for (int i = 0; i < QUOTA_TARGETS; i++)
		fake_attach(&conn);
	fake_request_attach(&conn, 7);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "\"limit\":\"user_targets\"");
	/* Requests without a target also get a worker. */
	fake_request(&conn, 8, "process.list", NULL);
	fake_expect(&conn, "\"limit\":\"user_targets\"", NULL);
	fake_connect(&stranger, 1001, true);
	fake_attach(&stranger);
	fake_disconnect(&stranger);
	fake_request(&conn, 9, "target.detach", "t3");
	fake_answer(&fake_workers[2], 1);
	fake_expect(&conn, "\"id\":9,\"result\"", NULL);
	fake_attach(&conn);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target_begin");
	TCase *t = tcase_create("begin");

	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_attach_forwards_the_request_of_this_client);
	tcase_add_test(t, test_core_is_opened_by_a_worker_of_its_own);
	tcase_add_test(t, test_core_without_a_path_starts_no_worker);
	tcase_add_test(t, test_launch_that_is_given_up_is_ended);
	tcase_add_test(t, test_launch_with_bad_parameters_starts_no_worker);
	tcase_add_test(t, test_errand_has_a_worker_until_it_is_answered);
	tcase_add_test(t, test_errand_ends_with_who_wants_it);
	tcase_add_test(t, test_worker_that_does_not_start_is_an_error);
	tcase_add_test(t, test_attach_to_ourselves_is_refused);
	tcase_add_test(t, test_worker_runs_as_the_asking_user);
	tcase_add_test(t, test_target_beyond_the_limit_is_refused_until_one_goes);
	tcase_add_test(t, test_one_user_does_not_take_all_targets);
	suite_add_tcase(s, t);
	return check_main(s);
}
