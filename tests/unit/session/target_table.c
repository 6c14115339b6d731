/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/target_table: who sees a target, what its worker gets, and every way in which both end. */
#include "fake_session.h"

#include <signal.h>

#include "base/contract.h"

START_TEST(test_why_it_ended_is_for_its_user)
{
	struct fake_conn stranger;
	struct fake_worker *w = fake_attach(&conn);

	fake_connect(&stranger, 1001, true);
	fake_request(&conn, 1, "target.detach", "t1");
	fake_answer(w, 1);
	fake_expect(&conn, "\"id\":1,\"result\"", NULL);
	fake_request(&stranger, 2, "target.info", "t1");
	ck_assert_uint_eq(stranger.got.n, 1);
	ck_assert_ptr_nonnull(strstr(stranger.got.items[0], "\"name\":\"no_such_target\""));
	ck_assert_ptr_null(strstr(stranger.got.items[0], "detached"));
	fake_disconnect(&stranger);
	fake_request(&conn, 3, "target.info", "t1");
	fake_expect(&conn, "\"reason\":\"t1 was detached\"", NULL);
}
END_TEST

START_TEST(test_some_connections_are_left_for_others)
{
	const size_t open = LIMIT_CONNECTIONS / 2;
	struct fake_conn many[QUOTA_CONNECTIONS];

	for (size_t i = 0; i < QUOTA_CONNECTIONS; i++) {
		ck_assert_no_err(session_check_connection(session, 1001, open));
		fake_connect(&many[i], 1001, true);
	}
	ck_assert_err(session_check_connection(session, 1001, open), ERR_LIMIT_EXCEEDED);
	ck_assert_no_err(session_check_connection(session, 1002, open));
	ck_assert_err(session_check_connection(session, 1002, LIMIT_CONNECTIONS - QUOTA_KEPT), ERR_LIMIT_EXCEEDED);
	ck_assert_no_err(session_check_connection(session, 0, LIMIT_CONNECTIONS - 1));
	ck_assert_err(session_check_connection(session, 0, LIMIT_CONNECTIONS), ERR_LIMIT_EXCEEDED);
	for (size_t i = 0; i < QUOTA_CONNECTIONS; i++)
		fake_disconnect(&many[i]);
}
END_TEST

START_TEST(test_target_is_hidden_from_other_users_but_root)
{
	struct fake_conn stranger, root;

	fake_attach(&conn);
	fake_connect(&stranger, 1001, true);
	fake_connect(&root, 0, true);
	fake_request(&stranger, 1, "target.info", "t1");
	fake_expect(&stranger, "\"name\":\"no_such_target\"", NULL);
	fake_request(&stranger, 1, "target.list", NULL);
	fake_expect(&stranger, "\"targets\":[]", NULL);
	fake_request(&root, 1, "target.info", "t1");
	ck_assert_uint_eq(root.got.n, 0);
	fake_answer(&fake_workers[0], 1);
	fake_expect(&root, "\"id\":1,\"result\"", NULL);
	fake_disconnect(&stranger);
	fake_disconnect(&root);
}
END_TEST

START_TEST(test_worker_gets_no_more_than_its_window)
{
	struct fake_worker *w = fake_attach(&conn);

	for (int i = 1; i <= 5; i++)
		fake_request(&conn, i, "target.info", "t1");
	ck_assert_uint_eq(w->got.n, 1 + 2);
	fake_answer(w, 1);
	ck_assert_uint_eq(w->got.n, 1 + 3);
}
END_TEST

START_TEST(test_client_gone_is_told_to_workers_it_used_only)
{
	struct fake_worker *used = fake_attach(&conn);
	struct fake_worker *unused = fake_attach(&conn);
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	fake_request(&leaving, 1, "target.info", "t1");
	fake_answer(used, 1);
	fake_disconnect(&leaving);
	ck_assert_uint_eq(used->got.n, 3);
	ck_assert_str_eq(used->got.items[2],
			 "{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":3}}");
	ck_assert_uint_eq(unused->got.n, 1);
	ck_assert(!used->ended);
}
END_TEST

/* How a worker ends, and the error that its requests then get. */
static const struct {
	int wait_status;
	const char *name;
	const char *text;
} deaths[] = {
	{81 << 8, "\"name\":\"plugin_crashed\"", "t1"},		 {82 << 8, "\"name\":\"plugin_hung\"", "t1"},
	{1 << 8, "\"name\":\"worker_failed\"", "exit status 1"}, {0, "\"name\":\"worker_failed\"", "exit status 0"},
	{SIGSEGV, "\"name\":\"worker_failed\"", "signal 11"},	 {SIGKILL, "\"name\":\"worker_failed\"", "signal 9"},
};

START_TEST(test_dead_worker_answers_all_and_is_remembered)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.info", "t1");
	for (int i = 2; i <= 4; i++)
		fake_request(&other, i, "target.info", "t1");
	session_worker_died(w->target, deaths[_i].wait_status);
	fake_expect(&conn, deaths[_i].name, deaths[_i].text);
	ck_assert_uint_eq(other.got.n, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(strstr(other.got.items[i], deaths[_i].name));
	fake_forget(&other.got);
	ck_assert(!w->ended); /* the worker exited by itself */
	ck_assert_uint_eq(session_count_targets(session), 0);
	fake_request(&conn, 5, "target.info", "t1");
	fake_expect(&conn, "\"name\":\"no_such_target\"", deaths[_i].text);
}
END_TEST

/* A request that waited behind it gets the error that the worker has exited, and the method that took too long. */
START_TEST(test_the_request_that_took_too_long_is_told_so)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "stack.get", "t1");
	fake_request(&other, 2, "target.info", "t1");
	session_worker_died(w->target, CONTRACT_EXIT_CPU_SPENT << 8);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "stack.get took too much processor time");
	fake_expect(&other, "\"name\":\"worker_failed\"", "stack.get took too much processor time");
	ck_assert_uint_eq(session_count_targets(session), 0);
	/* No request is pending. */
	w = fake_attach(&conn);
	session_worker_died(w->target, CONTRACT_EXIT_CPU_SPENT << 8);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_hung_worker_is_killed_after_the_timeout)
{
	struct fake_worker *w = fake_attach(&conn);

	ck_assert(!session_tick(session)); /* there is no worker to watch */
	fake_request(&conn, 1, "thread.list", "t1");
	fake_request(&other, 2, "target.info", "t1");
	fake_now_ms += FAKE_TIMEOUT_MS - 1;
	ck_assert(session_tick(session));
	ck_assert(!w->ended);
	fake_now_ms++;
	session_tick(session);
	ck_assert(w->ended && w->ending == WORKER_KILLED);
	fake_expect(&conn, "\"name\":\"request_timeout\"", "thread.list");
	fake_expect(&other, "\"name\":\"worker_failed\"", "thread.list");
}
END_TEST

START_TEST(test_time_in_the_queue_does_not_count)
{
	struct fake_worker *w = fake_attach(&conn);

	for (int i = 1; i <= 3; i++)
		fake_request(&conn, i, "target.info", "t1");
	for (size_t i = 1; i <= 3; i++) {
		fake_now_ms += FAKE_TIMEOUT_MS - 1;
		session_tick(session);
		fake_answer(w, i);
		fake_expect(&conn, "\"result\"", NULL);
	}
	ck_assert(!session_tick(session));
}
END_TEST

START_TEST(test_hung_worker_of_a_client_that_left_is_killed_too)
{
	struct fake_worker *w = fake_attach(&conn);
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	fake_request(&leaving, 1, "thread.list", "t1");
	fake_disconnect(&leaving);
	fake_now_ms += FAKE_TIMEOUT_MS;
	session_tick(session);
	ck_assert(w->ended && w->ending == WORKER_KILLED);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target_table");
	TCase *t = tcase_create("users");

	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_why_it_ended_is_for_its_user);
	tcase_add_test(t, test_some_connections_are_left_for_others);
	tcase_add_test(t, test_target_is_hidden_from_other_users_but_root);
	suite_add_tcase(s, t);
	t = tcase_create("forward");
	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_worker_gets_no_more_than_its_window);
	tcase_add_test(t, test_client_gone_is_told_to_workers_it_used_only);
	suite_add_tcase(s, t);
	t = tcase_create("end");
	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_loop_test(t, test_dead_worker_answers_all_and_is_remembered, 0, sizeof(deaths) / sizeof(deaths[0]));
	tcase_add_test(t, test_the_request_that_took_too_long_is_told_so);
	tcase_add_test(t, test_hung_worker_is_killed_after_the_timeout);
	tcase_add_test(t, test_time_in_the_queue_does_not_count);
	tcase_add_test(t, test_hung_worker_of_a_client_that_left_is_killed_too);
	suite_add_tcase(s, t);
	return check_main(s);
}
