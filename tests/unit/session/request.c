/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/request: delivery of answers that fit or are too large, alone and in batches. */
#include "fake_session.h"

START_TEST(test_answer_beyond_the_queue_becomes_an_error)
{
	struct fake_worker *w = fake_attach(&conn);
	char payload[LIMIT_OUTPUT_SMALL + 100] = "\"result\":{\"a\":\"";

	fake_request(&conn, 3, "target.info", "t1");
	conn.room = LIMIT_OUTPUT_SMALL; /* of the error, not of the answer */
	memset(payload + strlen(payload), 'x', LIMIT_OUTPUT_SMALL);
	strcat(payload, "\"}");
	fake_answer_with(w, 1, payload);
	fake_expect(&conn, "\"id\":3,\"error\":{\"code\":-32000", "\"limit\":\"output\"");
	ck_assert(client_is_idle(conn.client));
}
END_TEST

START_TEST(test_what_a_batch_holds_counts_as_queued)
{
	struct fake_worker *w = fake_attach(&conn);
	char payload[LIMIT_OUTPUT_SMALL + 100] = "\"result\":{\"a\":\"";

	memset(payload + strlen(payload), 'x', LIMIT_OUTPUT_SMALL);
	strcat(payload, "\"}");
	conn.room = 3 * sizeof(payload) / 2;
	fake_send(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\",\"params\":{\"target\":\"t1\"}},"
			 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"event.poll\",\"params\":{\"since\":1,\"timeout_"
			 "ms\":1000}}]");
	fake_answer_with(w, 1, payload);
	/* It fits neither in a batch of its own nor alone. */
	fake_send(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"target.info\",\"params\":{\"target\":\"t1\"}}]");
	fake_answer_with(w, 2, payload);
	fake_expect(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000", NULL);
	fake_request(&conn, 4, "target.info", "t1");
	fake_answer_with(w, 3, payload);
	fake_expect(&conn, "\"id\":4,\"error\":{\"code\":-32000", NULL);
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"request.cancel\",\"params\":{\"id\":2}}");
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\""));
	fake_forget(&conn.got);
	fake_request(&conn, 6, "target.info", "t1");
	fake_answer_with(w, 4, payload);
	fake_expect(&conn, "\"id\":6,\"result\"", NULL);
}
END_TEST

START_TEST(test_error_payload_of_a_worker_is_passed_on)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 3, "target.info", "t1");
	fake_answer_with(w, 1, "\"error\":{\"code\":2001,\"message\":\"ü\"}");
	fake_expect(&conn, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":2001,\"message\":\"ü\"}}", NULL);
	ck_assert_uint_eq(session_stats(session)->requests_error, 1);
	ck_assert_uint_eq(session_stats(session)->requests_ok, 1); /* the attach */
}
END_TEST

START_TEST(test_client_that_leaves_takes_its_open_batch_along)
{
	struct fake_worker *w = fake_attach(&conn);
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	fake_send(&leaving, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.info\"},"
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"target.info\",\"params\":{\"target\":"
			    "\"t1\"}},"
			    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"target.attach\",\"params\":{\"pid\":9}},"
			    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"target.info\",\"params\":{\"target\":"
			    "\"t2\"}}]");
	fake_disconnect(&leaving);
	fake_answer(w, 1);
	ck_assert(fake_workers[1].ended);
	ck_assert_uint_eq(session_count_pending(session), 0);
	ck_assert_uint_eq(session_count_targets(session), 1);
}
END_TEST

START_TEST(test_notification_to_a_worker_is_not_answered)
{
	struct fake_worker *w = fake_attach(&conn);

	ck_assert(!fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"method\":\"target.stop\",\"params\":{\"target\":\"t1\"}}"));
	ck_assert(!client_is_idle(conn.client));
	fake_answer(w, 1);
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert(client_is_idle(conn.client));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("request");
	TCase *t = tcase_create("deliver");

	tcase_add_checked_fixture(t, fake_setup, fake_teardown);
	tcase_add_test(t, test_answer_beyond_the_queue_becomes_an_error);
	tcase_add_test(t, test_what_a_batch_holds_counts_as_queued);
	tcase_add_test(t, test_error_payload_of_a_worker_is_passed_on);
	tcase_add_test(t, test_client_that_leaves_takes_its_open_batch_along);
	tcase_add_test(t, test_notification_to_a_worker_is_not_answered);
	suite_add_tcase(s, t);
	return check_main(s);
}
