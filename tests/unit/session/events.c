/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/events: which client gets which event and when, and the reports to slow readers. */
#include "fake_session.h"

#include <signal.h>
#include <stdio.h>

#define SUBSCRIBE(params) "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"event.subscribe\",\"params\":" params "}"
#define POLL(params)	  "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"event.poll\",\"params\":" params "}"

static void subscribe(struct fake_conn *c, const char *text)
{
	ck_assert(fake_send(c, text));
	fake_expect(c, "\"id\":9,\"result\":{\"subscription\":", NULL);
}

START_TEST(test_answer_comes_before_its_event)
{
	subscribe(&conn, SUBSCRIBE("{}"));
	ck_assert(fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"target.attach\","
				   "\"params\":{\"pid\":4711}}"));
	fake_answer(&fake_workers[0], 0);
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "\"id\":0,\"result\""));
	ck_assert_str_eq(conn.got.items[1], "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"cursor\":1,"
					    "\"target\":\"t1\",\"seq\":1,\"type\":\"attached\",\"pid\":4711,"
					    "\"mode\":\"stop\"}}");
}
END_TEST

START_TEST(test_what_a_worker_lost_is_told_to_all)
{
	struct fake_worker *worker = fake_attach(&conn);

	subscribe(&conn, SUBSCRIBE("{\"types\":[\"exited\"]}"));
	fake_event(worker, "{\"count\":7,\"type\":\"lost\"}");
	fake_expect(&conn, "\"target\":\"t1\",\"seq\":2,\"type\":\"lost\",\"count\":7", NULL);
	fake_event(worker, "{\"epoch\":1,\"type\":\"stopped\"}");
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

START_TEST(test_answer_of_a_batch_comes_before_its_events)
{
	subscribe(&conn, SUBSCRIBE("{}"));
	ck_assert(fake_send(&conn,
			    "[{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"target.attach\",\"params\":{\"pid\":4711}},"
			    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.attach\",\"params\":{\"pid\":4712}}]"));
	fake_answer(&fake_workers[0], 0);
	ck_assert_uint_eq(conn.got.n, 0);
	fake_answer(&fake_workers[1], 0);
	ck_assert_uint_eq(conn.got.n, 3);
	ck_assert_int_eq(conn.got.items[0][0], '[');
	ck_assert_ptr_nonnull(strstr(conn.got.items[1], "\"target\":\"t1\",\"seq\":1"));
	ck_assert_ptr_nonnull(strstr(conn.got.items[2], "\"target\":\"t2\",\"seq\":1"));
}
END_TEST

START_TEST(test_subscription_selects)
{
	struct fake_worker *one = fake_attach(&other);
	struct fake_worker *two = fake_attach(&other);

	subscribe(&conn, SUBSCRIBE("{\"targets\":[\"t2\"],\"types\":[\"exited\",\"stopped\"]}"));
	fake_event(one, "{\"type\":\"exited\"}");
	fake_event(two, "{\"type\":\"resumed\"}");
	ck_assert_uint_eq(conn.got.n, 0);
	fake_event(two, "{\"type\":\"exited\"}");
	fake_expect(&conn, "\"target\":\"t2\",\"seq\":3,\"type\":\"exited\"", "\"cursor\":5");
	/* Two subscriptions match, but the event is sent once. */
	subscribe(&conn, SUBSCRIBE("{}"));
	fake_event(two, "{\"type\":\"stopped\",\"epoch\":3}");
	fake_expect(&conn, "\"type\":\"stopped\",\"epoch\":3", NULL);
	ck_assert_uint_eq(other.got.n, 0);
}
END_TEST

START_TEST(test_unsubscribe_ends_it)
{
	struct fake_worker *w = fake_attach(&other);

	subscribe(&conn, SUBSCRIBE("{}"));
	subscribe(&conn, SUBSCRIBE("{\"types\":[\"exec\"]}"));
	ck_assert(fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"event.unsubscribe\","
				   "\"params\":{\"subscription\":1}}"));
	fake_expect(&conn, "\"result\":{\"subscriptions\":1}", NULL);
	fake_event(w, "{\"type\":\"exited\"}");
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert(fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"event.unsubscribe\","
				   "\"params\":{\"subscription\":1}}"));
	fake_expect(&conn, "\"invalid_params\"", "/params/subscription");
	fake_request(&conn, 7, "event.unsubscribe", NULL);
	fake_expect(&conn, "\"result\":{\"subscriptions\":0}", NULL);
	fake_event(w, "{\"type\":\"exec\"}");
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

START_TEST(test_subscriptions_are_limited)
{
	for (int i = 0; i < LIMIT_SUBSCRIPTIONS; i++)
		subscribe(&conn, SUBSCRIBE("{}"));
	ck_assert(fake_send(&conn, SUBSCRIBE("{}")));
	fake_expect(&conn, "\"limit_exceeded\"", "\"limit\":\"subscriptions\"");
}
END_TEST

START_TEST(test_targets_of_others_are_none)
{
	struct fake_conn stranger, root;

	struct fake_worker *w = fake_attach(&other);
	fake_connect(&stranger, 1001, true);
	fake_connect(&root, 0, true);
	subscribe(&stranger, SUBSCRIBE("{}"));
	subscribe(&root, SUBSCRIBE("{}"));
	fake_event(w, "{\"type\":\"exited\"}");
	ck_assert_uint_eq(stranger.got.n, 0);
	fake_expect(&root, "\"exited\"", NULL);
	ck_assert(fake_send(&stranger, SUBSCRIBE("{\"targets\":[\"t1\"]}")));
	fake_expect(&stranger, "\"no_such_target\"", NULL);
	ck_assert(fake_send(&stranger, POLL("{}")));
	fake_expect(&stranger, "\"result\":{\"events\":[],\"cursor\":2}", NULL);
	fake_disconnect(&stranger);
	fake_disconnect(&root);
}
END_TEST

START_TEST(test_slow_reader_goes_on_where_it_was)
{
	struct fake_worker *w = fake_attach(&other);

	subscribe(&conn, SUBSCRIBE("{}"));
	conn.full = true;
	for (int i = 0; i < 3; i++)
		fake_event(w, "{\"type\":\"stopped\"}");
	ck_assert_uint_eq(conn.got.n, 0);
	conn.full = false;
	client_flush_events(conn.client);
	ck_assert_uint_eq(conn.got.n, 3);
	ck_assert_ptr_nonnull(strstr(conn.got.items[2], "\"cursor\":4"));
}
END_TEST

START_TEST(test_too_slow_reader_is_told)
{
	struct fake_worker *w = fake_attach(&other);

	subscribe(&conn, SUBSCRIBE("{\"types\":[\"exited\"]}"));
	conn.full = true;
	for (int i = 0; i < LIMIT_EVENTS + 4; i++)
		fake_event(w, "{\"type\":\"stopped\"}");
	fake_event(w, "{\"type\":\"exited\"}");
	conn.full = false;
	client_flush_events(conn.client);
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_str_eq(conn.got.items[0], "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"cursor\":6,"
					    "\"type\":\"lost\",\"from\":2,\"to\":6}}");
	ck_assert_ptr_nonnull(strstr(conn.got.items[1], "\"exited\""));
}
END_TEST

START_TEST(test_poll_has_what_is_kept)
{
	struct fake_worker *w = fake_attach(&other);

	fake_event(w, "{\"type\":\"stopped\"}");
	fake_event(w, "{\"type\":\"resumed\"}");
	ck_assert(fake_send(&conn, POLL("{\"timeout_ms\":1000,\"max\":2}")));
	fake_expect(&conn, "\"type\":\"stopped\"}],\"cursor\":2", "\"attached\"");
	ck_assert(fake_send(&conn, POLL("{\"since\":2,\"timeout_ms\":1000}")));
	fake_expect(&conn, "{\"events\":[{\"cursor\":3,", "\"cursor\":3}}");
	/* A cursor of another run: the events start at the first one. */
	ck_assert(fake_send(&conn, POLL("{\"since\":77,\"timeout_ms\":1000}")));
	fake_expect(&conn, "\"cursor\":1,", "\"cursor\":3}}");
	for (int i = 0; i < LIMIT_EVENTS; i++)
		fake_event(w, "{\"type\":\"stopped\"}");
	ck_assert(fake_send(&conn, POLL("{\"since\":2,\"max\":2}")));
	fake_expect(&conn, "[{\"cursor\":3,\"type\":\"lost\",\"from\":3,\"to\":3},{\"cursor\":4,", NULL);
}
END_TEST

START_TEST(test_poll_waits_for_an_event)
{
	struct fake_worker *w = fake_attach(&other);

	ck_assert(fake_send(&conn, POLL("{\"since\":1,\"timeout_ms\":1000}")));
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert(!client_is_idle(conn.client));
	/* Meanwhile no client is blocked, not even this one. */
	fake_request(&conn, 3, "target.list", NULL);
	fake_expect(&conn, "\"id\":3,\"result\"", NULL);
	fake_event(w, "{\"type\":\"exited\"}");
	fake_expect(&conn, "\"id\":8,\"result\":{\"events\":[{\"cursor\":2,", "\"exited\"}],\"cursor\":2}");
	ck_assert(client_is_idle(conn.client));
	fake_event(w, "{\"type\":\"exited\"}");
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

START_TEST(test_poll_ends_with_its_time)
{
	ck_assert(fake_send(&conn, POLL("{\"since\":0,\"timeout_ms\":500}")));
	fake_now_ms += 499;
	ck_assert(session_tick(session));
	ck_assert_uint_eq(conn.got.n, 0);
	fake_now_ms += 1;
	ck_assert(!session_tick(session));
	fake_expect(&conn, "\"id\":8,\"result\":{\"events\":[],\"cursor\":0}", NULL);
}
END_TEST

START_TEST(test_poll_can_be_cancelled)
{
	ck_assert(fake_send(&conn, POLL("{\"timeout_ms\":500}")));
	ck_assert(fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"request.cancel\","
				   "\"params\":{\"id\":8}}"));
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "\"request_cancelled\""));
	ck_assert_uint_eq(session_count_pending(session), 0);
}
END_TEST

START_TEST(test_poll_of_a_client_that_leaves)
{
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	ck_assert(fake_send(&leaving, POLL("{\"timeout_ms\":500}")));
	fake_disconnect(&leaving);
	fake_attach(&other);
	ck_assert_uint_eq(session_count_pending(session), 0);
}
END_TEST

START_TEST(test_poll_is_answered_at_shutdown)
{
	ck_assert(fake_send(&conn, POLL("{\"timeout_ms\":500}")));
	session_shutdown(session);
	fake_expect(&conn, "\"shutting_down\"", NULL);
}
END_TEST

static const struct {
	int status;
	const char *type, *name;
} deaths[] = {
	{SIGKILL, "\"worker_failed\"", "\"name\":\"worker_failed\""},
	{81 << 8, "\"plugin_failed\"", "\"name\":\"plugin_crashed\""},
	{82 << 8, "\"plugin_failed\"", "\"name\":\"plugin_hung\""},
};

START_TEST(test_end_of_a_worker_is_an_event)
{
	struct fake_worker *w = fake_attach(&conn);

	subscribe(&conn, SUBSCRIBE("{}"));
	fake_request(&conn, 4, "target.info", "t1");
	session_worker_died(w->target, deaths[_i].status);
	ck_assert_uint_eq(conn.got.n, 2);
	ck_assert_ptr_nonnull(strstr(conn.got.items[0], "\"id\":4,\"error\""));
	ck_assert_ptr_nonnull(strstr(conn.got.items[1], deaths[_i].type));
	ck_assert_ptr_nonnull(strstr(conn.got.items[1], deaths[_i].name));
}
END_TEST

START_TEST(test_detach_is_an_event)
{
	struct fake_worker *w = fake_attach(&conn);

	subscribe(&other, SUBSCRIBE("{}"));
	fake_request(&conn, 4, "target.detach", "t1");
	fake_answer(w, 1);
	fake_expect(&other, "\"seq\":2,\"type\":\"detached\",\"pid\":4711", NULL);
}
END_TEST

static const char *const nonsense[] = {
	"{\"type\":\"attached\"}", "{\"type\":\"detached\"}", "{\"type\":7}", "{}", "[]",
	"{\"type\":\"stopped\"",   "{\"type\":\"no_such\"}",
};

START_TEST(test_what_a_worker_may_not_say_is_dropped)
{
	struct fake_worker *w = fake_attach(&other);

	subscribe(&conn, SUBSCRIBE("{}"));
	fake_event(w, nonsense[_i]);
	ck_assert_uint_eq(conn.got.n, 0);
	/* A worker cannot forge the members that the session adds. */
	fake_event(w, "{\"cursor\":99,\"target\":\"t9\",\"seq\":99,\"type\":\"fork\",\"child\":5}");
	fake_expect(&conn, "{\"cursor\":2,\"target\":\"t1\",\"seq\":2,\"type\":\"fork\",\"child\":5}", NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session_events");
	TCase *tc = tcase_create("events");

	tcase_add_checked_fixture(tc, fake_setup_two, fake_teardown);
	tcase_add_test(tc, test_answer_comes_before_its_event);
	tcase_add_test(tc, test_what_a_worker_lost_is_told_to_all);
	tcase_add_test(tc, test_answer_of_a_batch_comes_before_its_events);
	tcase_add_test(tc, test_subscription_selects);
	tcase_add_test(tc, test_unsubscribe_ends_it);
	tcase_add_test(tc, test_subscriptions_are_limited);
	tcase_add_test(tc, test_targets_of_others_are_none);
	tcase_add_test(tc, test_slow_reader_goes_on_where_it_was);
	tcase_add_test(tc, test_too_slow_reader_is_told);
	tcase_add_test(tc, test_poll_has_what_is_kept);
	tcase_add_test(tc, test_poll_waits_for_an_event);
	tcase_add_test(tc, test_poll_ends_with_its_time);
	tcase_add_test(tc, test_poll_can_be_cancelled);
	tcase_add_test(tc, test_poll_of_a_client_that_leaves);
	tcase_add_test(tc, test_poll_is_answered_at_shutdown);
	tcase_add_loop_test(tc, test_end_of_a_worker_is_an_event, 0, sizeof(deaths) / sizeof(deaths[0]));
	tcase_add_test(tc, test_detach_is_an_event);
	tcase_add_loop_test(tc, test_what_a_worker_may_not_say_is_dropped, 0, sizeof(nonsense) / sizeof(nonsense[0]));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
