/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/session: requests from texts, and permissions. */
#include "fake_session.h"

#include <stdio.h>

static const struct {
	const char *text;
	const char *answer; /* NULL: none */
} texts[] = {
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.list\"}", "\"id\":1,\"result\":{\"targets\":[]}"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"target.list\"}", "\"id\":\"a\",\"result\""},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"target.list\"}", NULL},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}", NULL},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"target.info\",\"params\":{\"target\":\"t1\"}}", NULL},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no.such\"}", "\"name\":\"method_not_found\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.list\",\"params\":{\"x\":1}}", "\"pointer\":\"/params/x\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\"}", "\"pointer\":\"/params/target\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\",\"params\":{\"target\":7}}",
	 "\"pointer\":\"/params/target\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\",\"params\":{\"target\":\"t1\"}}",
	 "\"name\":\"no_such_target\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.attach\",\"params\":{}}", "\"pointer\":\"/params/pid\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.list\",\"client\":4}", "\"name\":\"invalid_request\""},
	{"[]", "\"id\":null,\"error\":{\"code\":-32600"},
	{"7", "\"id\":null,\"error\":{\"code\":-32600"},
	{"[7]", "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600"},
	{"[{\"jsonrpc\":\"2.0\",\"method\":\"target.list\"}]", NULL},
};

START_TEST(test_every_text_gets_its_one_answer)
{
	ck_assert_int_eq(fake_send(&conn, texts[_i].text), texts[_i].answer != NULL);
	if (texts[_i].answer)
		fake_expect(&conn, texts[_i].answer, NULL);
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert(client_is_idle(conn.client));
}
END_TEST

START_TEST(test_parse_error_is_answered_and_closes)
{
	bool answered;

	ck_assert_err(session_receive(conn.client, "{]", 2, &answered), ERR_PARSE_ERROR);
	ck_assert(answered);
	fake_expect(&conn, "\"id\":null,\"error\":{\"code\":-32700", NULL);
}
END_TEST

START_TEST(test_batch_answers_in_order_of_its_elements)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_send(&conn, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"target.info\",\"params\":{"
			 "\"target\":\"t1\"}},"
			 "{\"jsonrpc\":\"2.0\",\"method\":\"target.info\",\"params\":{\"target\":\"t1\"}},"
			 "9,{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"daemon.info\"},"
			 "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"target.info\",\"params\":{\"target\":"
			 "\"t1\"}}]");
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert(!client_is_idle(conn.client));
	for (size_t i = 1; i <= 3; i++)
		fake_answer(w, i);
	ck_assert_uint_eq(conn.got.n, 1);
	const char *text = conn.got.items[0];
	const char *one = strstr(text, "\"id\":1,\"result\":{\"n\":1}");
	const char *bad = strstr(text, "\"id\":null,\"error\":{\"code\":-32600");
	const char *two = strstr(text, "\"id\":2,\"result\"");
	const char *three = strstr(text, "\"id\":3,\"result\":{\"n\":3}");
	ck_assert(one && bad && two && three && one < bad && bad < two && two < three);
	ck_assert(text[0] == '[' && text[strlen(text) - 1] == ']');
	ck_assert(client_is_idle(conn.client));
}
END_TEST

START_TEST(test_request_beyond_in_flight_limit_is_refused)
{
	struct fake_worker *w = fake_attach(&conn);

	for (int i = 1; i <= LIMIT_IN_FLIGHT; i++)
		fake_request(&conn, i, "target.info", "t1");
	ck_assert_uint_eq(conn.got.n, 0);
	fake_request(&conn, 99, "target.info", "t1");
	fake_expect(&conn, "\"id\":99,\"error\"", "\"limit\":\"in_flight\"");
	/* Requests that the daemon answers itself do not count towards this limit. */
	fake_request(&conn, 98, "daemon.info", NULL);
	fake_expect(&conn, "\"id\":98,\"result\"", NULL);
	fake_answer(w, 1);
	fake_expect(&conn, "\"id\":1,\"result\"", NULL);
	fake_request(&conn, 100, "target.info", "t1");
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

START_TEST(test_whole_batch_may_exceed_the_in_flight_limit)
{
	struct fake_worker *w = fake_attach(&conn);
	char text[8192] = "[";

	for (int i = 0; i < LIMIT_BATCH; i++)
		sprintf(text + strlen(text),
			"%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"target.info\",\"params\":{"
			"\"target\":\"t1\"}}",
			i ? "," : "", i);
	strcat(text, "]");
	ck_assert(fake_send(&conn, text));
	for (size_t i = 1; i <= LIMIT_BATCH; i++)
		fake_answer(w, i);
	ck_assert_uint_eq(conn.got.n, 1);
	ck_assert_ptr_null(strstr(conn.got.items[0], "error"));
}
END_TEST

START_TEST(test_unauthenticated_request_is_refused_and_closes)
{
	struct fake_conn stranger;

	fake_connect(&stranger, 1000, false);
	fake_request(&stranger, 1, "daemon.info", NULL);
	fake_expect(&stranger, "\"id\":1,\"error\":{\"code\":-32002", NULL);
	ck_assert(stranger.finished);
	fake_disconnect(&stranger);
}
END_TEST

static const struct {
	const char *text;
	bool good;
} tokens[] = {
	{FAKE_TOKEN, true}, {"0123456789abcdeF", false}, {"0123456789abcde", false}, {"0123456789abcdef0", false},
	{"x", false},
};

START_TEST(test_authenticate_takes_only_the_token)
{
	struct fake_conn stranger;
	char text[256];

	fake_connect(&stranger, 1000, false);
	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"rpc.authenticate\",\"params\":{"
		 "\"token\":\"%s\"}}",
		 tokens[_i].text);
	fake_send(&stranger, text);
	fake_expect(&stranger, tokens[_i].good ? "\"authenticated\":true" : "\"name\":\"unauthorized\"", NULL);
	ck_assert_int_eq(stranger.finished, !tokens[_i].good);
	ck_assert_int_eq(client_is_authenticated(stranger.client), tokens[_i].good);
	fake_disconnect(&stranger);
}
END_TEST

START_TEST(test_invalid_first_message_of_unauthenticated_closes)
{
	struct fake_conn stranger;

	fake_connect(&stranger, 1000, false);
	fake_send(&stranger, "[1,2]");
	ck_assert(stranger.finished);
	fake_disconnect(&stranger);
}
END_TEST

START_TEST(test_shutdown_answers_what_waits_and_what_comes)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "target.info", "t1");
	session_shutdown(session);
	fake_expect(&conn, "\"id\":1,\"error\"", "\"name\":\"shutting_down\"");
	ck_assert(w->ended);
	fake_request(&conn, 2, "daemon.info", NULL);
	fake_expect(&conn, "\"id\":2,\"error\"", "\"name\":\"shutting_down\"");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("session");
	TCase *t = tcase_create("session_receive");

	tcase_add_checked_fixture(t, fake_setup, fake_teardown);
	tcase_add_loop_test(t, test_every_text_gets_its_one_answer, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(t, test_parse_error_is_answered_and_closes);
	tcase_add_test(t, test_batch_answers_in_order_of_its_elements);
	tcase_add_test(t, test_request_beyond_in_flight_limit_is_refused);
	tcase_add_test(t, test_whole_batch_may_exceed_the_in_flight_limit);
	tcase_add_test(t, test_unauthenticated_request_is_refused_and_closes);
	tcase_add_loop_test(t, test_authenticate_takes_only_the_token, 0, sizeof(tokens) / sizeof(tokens[0]));
	tcase_add_test(t, test_invalid_first_message_of_unauthenticated_closes);
	tcase_add_test(t, test_shutdown_answers_what_waits_and_what_comes);
	suite_add_tcase(s, t);
	return check_main(s);
}
