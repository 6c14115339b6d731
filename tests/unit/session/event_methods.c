/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of event.subscribe, event.unsubscribe and event.poll: their refusals, and the cursors in their results. */
#include "fake_session.h"

#define CALL(method, params) "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"" method "\",\"params\":" params "}"

static void expect_answer(const char *text, const char *part, const char *part2)
{
	ck_assert(fake_send(&conn, text));
	fake_expect(&conn, part, part2);
}

START_TEST(test_cursor_is_that_of_the_last_event)
{
	struct fake_worker *worker = fake_attach(&other);

	/* "attached" was the first event. */
	expect_answer(CALL("event.subscribe", "{}"), "\"result\":{\"subscription\":1,\"cursor\":1}", NULL);
	fake_event(worker, "{\"type\":\"resumed\",\"epoch\":1}");
	fake_forget(&conn.got);
	expect_answer(CALL("event.subscribe", "{}"), "\"subscription\":2,\"cursor\":2}", NULL);
}
END_TEST

START_TEST(test_unknown_targets_and_types_are_refused)
{
	fake_attach(&conn);
	expect_answer(CALL("event.subscribe", "{\"targets\":[\"t1\",\"t9\"]}"), "\"error\"", "no_such_target");
	expect_answer(CALL("event.subscribe", "{\"types\":[\"stopped\",\"slept\"]}"), "\"error\"", "/params/types/1");
	/* Neither call has left a subscription. */
	expect_answer(CALL("event.subscribe", "{}"), "\"subscription\":1,", NULL);
}
END_TEST

START_TEST(test_unsubscribe_counts_what_is_left)
{
	for (int i = 0; i < 3; i++) {
		ck_assert(fake_send(&conn, CALL("event.subscribe", "{}")));
		fake_forget(&conn.got);
	}
	expect_answer(CALL("event.unsubscribe", "{\"subscription\":2}"), "\"result\":{\"subscriptions\":2}", NULL);
	expect_answer(CALL("event.unsubscribe", "{\"subscription\":2}"), "no subscription 2", "/params/subscription");
	/* Without a number: all subscriptions of this connection. */
	expect_answer(CALL("event.unsubscribe", "{}"), "\"result\":{\"subscriptions\":0}", NULL);
}
END_TEST

START_TEST(test_subscriptions_of_others_are_none)
{
	ck_assert(fake_send(&other, CALL("event.subscribe", "{}")));
	fake_forget(&other.got);
	expect_answer(CALL("event.unsubscribe", "{\"subscription\":1}"), "\"error\"", "no subscription 1");
}
END_TEST

START_TEST(test_poll_without_since_begins_with_the_oldest)
{
	struct fake_worker *worker = fake_attach(&other);

	fake_event(worker, "{\"type\":\"resumed\",\"epoch\":1}");
	expect_answer(CALL("event.poll", "{}"), "\"type\":\"attached\"", "\"type\":\"resumed\"");
	expect_answer(CALL("event.poll", "{\"max\":1}"), "\"type\":\"attached\"", "\"cursor\":1");
	expect_answer(CALL("event.poll", "{\"since\":1}"), "\"type\":\"resumed\"", "\"cursor\":2");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session/event_methods");
	TCase *tc = tcase_create("event_methods");

	tcase_add_checked_fixture(tc, fake_setup_two, fake_teardown);
	tcase_add_test(tc, test_cursor_is_that_of_the_last_event);
	tcase_add_test(tc, test_unknown_targets_and_types_are_refused);
	tcase_add_test(tc, test_unsubscribe_counts_what_is_left);
	tcase_add_test(tc, test_subscriptions_of_others_are_none);
	tcase_add_test(tc, test_poll_without_since_begins_with_the_oldest);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
