/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/daemon_methods: daemon.info, target.list, request.cancel. */
#include "fake_session.h"

#include <stdio.h>

START_TEST(test_info_shows_listeners_counts_and_limits)
{
	static const char *const parts[] = {
		"\"version\":\"",
		"\"listeners\":[\"unix:/x\",\"tcp:127.0.0.1:1\"]",
		"\"max_message_bytes\":1048576",
		"\"max_depth\":32",
		"\"max_batch\":64",
		"\"max_connections\":64",
		"\"max_in_flight\":32",
		"\"max_queued_bytes\":33554432",
		"\"max_targets\":64",
		"\"request_timeout_ms\":1000",
		"\"connections\":1",
		"\"targets\":1",
		"\"uptime_s\":1.500",
	};

	ck_assert_no_err(session_add_listener(session, "unix:/x"));
	ck_assert_no_err(session_add_listener(session, "tcp:127.0.0.1:1"));
	fake_attach(&conn);
	fake_now_ms += 1500;
	fake_request(&conn, 1, "daemon.info", NULL);
	ck_assert_uint_eq(conn.got.n, 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ck_assert_msg(strstr(conn.got.items[0], parts[i]), "no %s in %s", parts[i], conn.got.items[0]);
}
END_TEST

static void cancel(struct fake_conn *c, const char *id)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"request.cancel\",\"params\":{\"id\":%s}}", id);
	ck_assert(fake_send(c, text));
}

/* The worker has the first two requests, the third is queued. */
START_TEST(test_cancelled_request_is_answered_at_once_and_only_once)
{
	struct fake_worker *w = fake_attach(&conn);
	char id[8];

	for (int i = 1; i <= 3; i++)
		fake_request(&conn, i, "target.info", "t1");
	snprintf(id, sizeof(id), "%d", _i);
	cancel(&conn, id);
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "\"name\":\"request_cancelled\""));
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], id));
	ck_assert_ptr_nonnull(strstr(conn.got.items[1], "\"id\":77,\"result\""));
	fake_forget(&conn.got);
	fake_answer(w, 1);
	fake_answer(w, 2);
	if (_i < 3)
		fake_answer(w, 3);
	else
		ck_assert_uint_eq(w->got.n, 3);
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert(client_is_idle(conn.client));
	ck_assert_uint_eq(session_count_pending(session), 0);
}
END_TEST

START_TEST(test_cancelled_attach_ends_its_worker)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"target.attach\","
			 "\"params\":{\"pid\":5}}");
	cancel(&conn, "\"a\"");
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "\"id\":\"a\",\"error\":{\"code\":-32001"));
	ck_assert(fake_workers[0].ended);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_cancelled_element_completes_its_batch)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_send(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\",\"params\":{"
			 "\"target\":\"t1\"}},"
			 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"target.info\",\"params\":{"
			 "\"target\":\"t1\"}}]");
	cancel(&conn, "2");
	fake_expect(&conn, "\"id\":77,\"result\"", NULL);
	fake_answer(w, 1);
	fake_expect(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\"", "\"id\":2,\"error\":{\"code\":-32001");
	fake_answer(w, 2);
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

static const char *const unknown[] = {"2", "\"1\"", "-1"};

START_TEST(test_cancel_of_an_unknown_id_is_an_error)
{
	fake_attach(&conn);
	fake_request(&conn, 1, "target.info", "t1");
	cancel(&conn, unknown[_i]);
	fake_expect(&conn, "\"id\":77,\"error\"", "\"name\":\"no_such_request\"");
}
END_TEST

START_TEST(test_cancel_reaches_no_other_connection)
{
	fake_attach(&conn);
	fake_request(&conn, 1, "target.info", "t1");
	cancel(&other, "1");
	fake_expect(&other, "\"name\":\"no_such_request\"", NULL);
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("daemon_methods");
	TCase *t = tcase_create("daemon_info");

	tcase_add_checked_fixture(t, fake_setup, fake_teardown);
	tcase_add_test(t, test_info_shows_listeners_counts_and_limits);
	suite_add_tcase(s, t);
	t = tcase_create("request_cancel");
	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_loop_test(t, test_cancelled_request_is_answered_at_once_and_only_once, 1, 4);
	tcase_add_test(t, test_cancelled_attach_ends_its_worker);
	tcase_add_test(t, test_cancelled_element_completes_its_batch);
	tcase_add_loop_test(t, test_cancel_of_an_unknown_id_is_an_error, 0, 3);
	tcase_add_test(t, test_cancel_reaches_no_other_connection);
	suite_add_tcase(s, t);
	return check_main(s);
}
