/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/target_answer: a worker's lines, and their effect. */
#include "fake_session.h"

START_TEST(test_launch_tells_us_the_pid)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"a.out\",\"x\"],\"env\":{\"A\":null}}}");
	ck_assert_uint_eq(fake_n_workers, 1);
	ck_assert_uint_eq(fake_workers[0].uid, 1000);
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"argv\":[\"a.out\",\"x\"]"));
	static const char pid[] = "{\"jsonrpc\":\"2.0\",\"method\":\"target.pid\",\"params\":{\"pid\":815}}";
	session_worker_message(fake_workers[0].target, pid, strlen(pid));
	/* Despite the text that looks like an answer. */
	fake_answer_with(&fake_workers[0], 0, "\"result\":{\"exe\":\"\\\"pid\\\":1\",\"pid\":816}");
	fake_expect(&conn, "\"id\":5,\"result\"", NULL);
	fake_request(&other, 1, "target.list", NULL);
	fake_expect(&other,
		    "{\"target\":\"t1\",\"pid\":815,\"mode\":\"stop\",\"max_stop_ms\":200,\"state\":\"attached\"}",
		    NULL);
	fake_request(&conn, 6, "event.poll", NULL);
	fake_expect(&conn, "\"type\":\"attached\",\"pid\":815", NULL);
}
END_TEST

START_TEST(test_failed_attach_ends_the_worker)
{
	fake_request_attach(&conn, 5);
	fake_answer_with(&fake_workers[0], 0, "\"error\":{\"code\":1000,\"message\":\"m\"}");
	fake_expect(&conn, "\"id\":5,\"error\":{\"code\":1000", NULL);
	ck_assert(fake_workers[0].ended && fake_workers[0].ending == WORKER_LEAVES);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_attach_of_a_client_that_left_is_given_up)
{
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	fake_request_attach(&leaving, 1);
	fake_disconnect(&leaving);
	ck_assert(fake_workers[0].ended);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_detach_ends_the_worker_and_says_so_later)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.detach", "t1");
	fake_request(&other, 2, "target.info", "t1");
	fake_answer(w, 1);
	fake_expect(&conn, "\"id\":1,\"result\"", NULL);
	fake_expect(&other, "\"id\":2,\"error\"", "was detached");
	ck_assert(w->ended);
	fake_request(&other, 3, "target.info", "t1");
	fake_expect(&other, "\"name\":\"no_such_target\"", "\"reason\":\"t1 was detached\"");
}
END_TEST

START_TEST(test_refused_detach_keeps_the_target)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.detach", "t1");
	fake_answer_with(w, 1, "\"error\":{\"code\":1009,\"message\":\"held\"}");
	fake_expect(&conn, "\"id\":1,\"error\":{\"code\":1009", NULL);
	ck_assert(!w->ended);
	fake_request(&conn, 2, "target.info", "t1");
	ck_assert_uint_eq(w->got.n, 3);
}
END_TEST

static struct error *keep_stats(const struct session_target_stats *t, void *arg)
{
	*(struct session_target_stats *)arg = *t;
	return NULL;
}

START_TEST(test_stops_are_counted_and_told_to_who_may_use_the_target)
{
	static const char stop[] = "{\"jsonrpc\":\"2.0\",\"method\":\"stop.ended\",\"params\":{\"us\":700}}";
	struct session_target_stats seen = {0}, hidden = {0};
	struct fake_conn stranger;

	fake_attach(&conn);
	fake_connect(&stranger, 1001, true);
	session_worker_message(fake_workers[0].target, stop, strlen(stop));
	session_worker_message(fake_workers[0].target, stop, strlen(stop));
	ck_assert_no_err(session_each_target(conn.client, keep_stats, &seen));
	ck_assert_str_eq(seen.id, "t1");
	ck_assert_uint_eq(seen.stop_time->count, 2);
	ck_assert_uint_eq(seen.stop_time->sum_us, 1400);
	ck_assert_uint_eq(seen.request_time->count, 1); /* target.attach */
	ck_assert_no_err(session_each_target(stranger.client, keep_stats, &hidden));
	ck_assert_ptr_null(hidden.id);
	ck_assert_uint_eq(session_stats(session)->stop_time.count, 2);
	fake_disconnect(&stranger);
}
END_TEST

START_TEST(test_reply_after_client_left_is_dropped)
{
	struct fake_conn leaving;
	struct fake_worker *w = fake_attach(&conn);

	fake_connect(&leaving, 1000, true);
	for (int i = 1; i <= 4; i++)
		fake_request(&leaving, i, "target.info", "t1");
	fake_request(&conn, 9, "target.info", "t1");
	fake_disconnect(&leaving);
	/* Two requests were sent already. The two queued ones are never sent. */
	fake_answer(w, 1);
	fake_answer(w, 2);
	ck_assert_ptr_nonnull(strstr(w->got.items[3], "client.gone"));
	fake_answer(w, 4);
	fake_expect(&conn, "\"id\":9,\"result\":{\"n\":4}", NULL);
	ck_assert_uint_eq(w->got.n, 5);
	ck_assert_uint_eq(session_count_pending(session), 0);
}
END_TEST

static const char *const nonsense[] = {
	"",
	"x",
	"{}",
	"[]",
	"{\"jsonrpc\":\"2.0\",\"id\":12345,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}",
};

START_TEST(test_nonsense_of_a_worker_is_ignored)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.info", "t1");
	session_worker_message(w->target, nonsense[_i], strlen(nonsense[_i]));
	ck_assert_uint_eq(conn.got.n, 0);
	fake_answer(w, 1);
	fake_expect(&conn, "\"id\":1,\"result\"", NULL);
}
END_TEST

START_TEST(test_answer_that_comes_twice_is_ignored)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.info", "t1");
	fake_answer(w, 1);
	fake_answer(w, 1);
	fake_expect(&conn, "\"id\":1,\"result\"", NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target_answer");
	TCase *t = tcase_create("answer");

	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_launch_tells_us_the_pid);
	tcase_add_test(t, test_failed_attach_ends_the_worker);
	tcase_add_test(t, test_attach_of_a_client_that_left_is_given_up);
	tcase_add_test(t, test_detach_ends_the_worker_and_says_so_later);
	tcase_add_test(t, test_refused_detach_keeps_the_target);
	tcase_add_test(t, test_stops_are_counted_and_told_to_who_may_use_the_target);
	tcase_add_test(t, test_reply_after_client_left_is_dropped);
	tcase_add_loop_test(t, test_nonsense_of_a_worker_is_ignored, 0, sizeof(nonsense) / sizeof(nonsense[0]));
	tcase_add_test(t, test_answer_that_comes_twice_is_ignored);
	suite_add_tcase(s, t);
	return check_main(s);
}
