/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of session/recent: reuse of recent answers. */
#include "fake_session.h"

#include <stdio.h>
#include <stdlib.h>

#include "session/recent.h"

static void put(struct recent *r, const char *method, const char *params, const char *payload, int64_t now)
{
	recent_put(r, method, params, strlen(params), payload, strlen(payload), now);
}

static const char *find(struct recent *r, const char *method, const char *params, int64_t age, int64_t now)
{
	const struct recent_answer *a = recent_find(r, method, params, strlen(params), age, now);

	return a ? a->payload : NULL;
}

START_TEST(test_recent_by_question_and_age)
{
	struct recent r = {0};

	ck_assert_ptr_null(find(&r, "a", "{}", 1000, 0));
	put(&r, "a", "{}", "one", 100);
	ck_assert_str_eq(find(&r, "a", "{}", 50, 150), "one");
	ck_assert_ptr_null(find(&r, "a", "{}", 50, 151));
	ck_assert_ptr_null(find(&r, "b", "{}", 50, 100));
	ck_assert_ptr_null(find(&r, "a", "{} ", 50, 100));
	put(&r, "a", "{}", "two", 200);
	ck_assert_str_eq(find(&r, "a", "{}", 50, 200), "two");
	ck_assert(recent_expire(&r, 200 + RECENT_AGE_MS));
	ck_assert(!recent_expire(&r, 201 + RECENT_AGE_MS));
	recent_deinit(&r);
}
END_TEST

START_TEST(test_recent_the_oldest_leaves_first)
{
	struct recent r = {0};
	char params[16];

	for (int i = 0; i <= RECENT_ANSWERS; i++) {
		snprintf(params, sizeof(params), "%d", i);
		put(&r, "a", params, params, i);
	}
	ck_assert_ptr_null(find(&r, "a", "0", 1000, 0));
	ck_assert_str_eq(find(&r, "a", "1", 1000, 10), "1");
	ck_assert_str_eq(find(&r, "a", params, 1000, 10), params);
	recent_deinit(&r);
}
END_TEST

START_TEST(test_recent_keeps_nothing_huge)
{
	struct recent r = {0};
	char *huge = malloc(RECENT_BYTES + 1);

	memset(huge, 'x', RECENT_BYTES + 1);
	put(&r, "a", "{}", "small", 0);
	recent_put(&r, "a", "{}", 2, huge, RECENT_BYTES + 1, 1);
	/* An earlier answer is not reused either: it is not the last one any more. */
	ck_assert_ptr_null(find(&r, "a", "{}", 1000, 1));
	recent_put(&r, "a", "{}", 2, huge, RECENT_BYTES, 2);
	ck_assert_ptr_nonnull(recent_find(&r, "a", "{}", 2, 1000, 2));
	free(huge);
	recent_deinit(&r);
}
END_TEST

#define ASK                                                                                                            \
	"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"thread.list\",\"params\":{\"target\":\"t1\",\"max_age_ms\":100}}"

START_TEST(test_many_ask_and_the_worker_answers_once)
{
	struct fake_worker *w = fake_attach(&conn);
	char text[160];

	fake_forget(&w->got);
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), ASK, i);
		fake_send(i % 2 ? &conn : &other, text);
	}
	/* The other requests wait for the answer to the present one. */
	ck_assert_uint_eq(w->got.n, 1);
	fake_answer(w, 0);
	ck_assert_uint_eq(w->got.n, 1);
	ck_assert_uint_eq(conn.got.n + other.got.n, 10);
	fake_forget(&conn.got);
	fake_forget(&other.got);
	fake_now_ms += 101;
	snprintf(text, sizeof(text), ASK, 77);
	fake_send(&conn, text);
	ck_assert_uint_eq(conn.got.n, 0);
}
END_TEST

START_TEST(test_errors_are_not_shared)
{
	struct fake_worker *w = fake_attach(&conn);
	char text[160];

	fake_forget(&w->got);
	snprintf(text, sizeof(text), ASK, 1);
	fake_send(&conn, text);
	fake_answer_with(w, 0, "\"error\":{\"code\":1,\"message\":\"x\"}");
	fake_forget(&conn.got);
	fake_send(&conn, text);
	ck_assert_uint_eq(conn.got.n, 0);
	ck_assert_uint_eq(w->got.n, 2);
}
END_TEST

START_TEST(test_who_acts_for_another)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_forget(&w->got);
	client_acts_for(other.client, conn.client);
	fake_request(&other, 1, "target.stop", "t1");
	client_acts_for(other.client, NULL);
	ck_assert_ptr_nonnull(strstr(w->got.items[0], "\"client\":1,"));
	/* The answer goes to the requesting client. */
	fake_answer(w, 0);
	fake_expect(&other, "\"id\":1,\"result\"", NULL);
	fake_forget(&w->got);
	/* A target that is held on behalf of another client stays held when the acting client leaves. */
	fake_disconnect(&other);
	ck_assert_uint_eq(w->got.n, 0);
	fake_connect(&other, 1000, true);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("recent");
	TCase *t = tcase_create("recent");
	TCase *sessions = tcase_create("sessions");

	tcase_add_test(t, test_recent_by_question_and_age);
	tcase_add_test(t, test_recent_the_oldest_leaves_first);
	tcase_add_test(t, test_recent_keeps_nothing_huge);
	tcase_add_checked_fixture(sessions, fake_setup_two, fake_teardown);
	tcase_add_test(sessions, test_many_ask_and_the_worker_answers_once);
	tcase_add_test(sessions, test_errors_are_not_shared);
	tcase_add_test(sessions, test_who_acts_for_another);
	suite_add_tcase(s, t);
	suite_add_tcase(s, sessions);
	return check_main(s);
}
