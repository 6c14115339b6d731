/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* session/target_table: targets, their workers, and every way in which these end. */
#include "fake_session.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/contract.h"

static void attach(struct fake_conn *c, int id)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"target.attach\",\"params\":{\"pid\":"
		 "4711,\"mode\":\"observe\"}}",
		 id);
	fake_send(c, text);
}

START_TEST(test_attach_forwards_the_request_of_this_client)
{
	attach(&conn, 5);
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

START_TEST(test_launch_tells_us_the_pid)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"a.out\",\"x\"],\"env\":{\"A\":null}}}");
	ck_assert_uint_eq(fake_n_workers, 1);
	ck_assert_uint_eq(fake_workers[0].uid, 1000);
	ck_assert_ptr_nonnull(strstr(fake_workers[0].got.items[0], "\"argv\":[\"a.out\",\"x\"]"));
	static const char pid[] = "{\"jsonrpc\":\"2.0\",\"method\":\"target.pid\",\"params\":{\"pid\":815}}";
	session_worker_message(fake_workers[0].target, pid, strlen(pid));
	/* Not what an answer seems to say. */
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

START_TEST(test_launch_that_is_given_up_is_ended)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"/bin/true\"]}}");
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"request.cancel\",\"params\":{\"id\":5}}");
	const struct fake_texts *got = &fake_workers[0].got;
	ck_assert_uint_eq(got->n, 2);
	ck_assert_ptr_nonnull(strstr(got->items[1], "\"target.kill\""));
	ck_assert(fake_workers[0].ended && fake_workers[0].ending == WORKER_HEARS_OUT);
	/* Not when it was answered: then it is a process like any other. */
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

START_TEST(test_errand_has_a_worker_until_it_is_answered)
{
	fake_request(&conn, 5, "process.list", NULL);
	ck_assert_uint_eq(fake_n_workers, 1);
	struct fake_worker *w = &fake_workers[0];
	ck_assert_uint_eq(w->uid, 1000);
	/* It is nobody's target meanwhile. */
	fake_request(&conn, 6, "target.list", NULL);
	fake_expect(&conn, "\"targets\":[]", NULL);
	fake_request(&conn, 7, "target.info", "errand");
	fake_expect(&conn, "\"id\":7,\"error\"", NULL);
	fake_answer_with(w, 0, "\"result\":{\"processes\":[]}");
	fake_expect(&conn, "\"id\":5,\"result\":{\"processes\":[]}", NULL);
	ck_assert(w->ended && client_is_idle(conn.client));
	/* And has taken no id from one. */
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

START_TEST(test_launch_with_bad_parameters_starts_no_worker)
{
	fake_send(&conn, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"target.launch\",\"params\":{"
			 "\"argv\":[\"a.out\"],\"env\":{\"A=B\":\"c\"}}}");
	fake_expect(&conn, "\"pointer\":\"/params/env/A=B\"", NULL);
	ck_assert_uint_eq(fake_n_workers, 0);
}
END_TEST

START_TEST(test_failed_attach_ends_the_worker)
{
	attach(&conn, 5);
	fake_answer_with(&fake_workers[0], 0, "\"error\":{\"code\":1000,\"message\":\"m\"}");
	fake_expect(&conn, "\"id\":5,\"error\":{\"code\":1000", NULL);
	ck_assert(fake_workers[0].ended && fake_workers[0].ending == WORKER_LEAVES);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_worker_that_does_not_start_is_an_error)
{
	fake_start_fails = true;
	attach(&conn, 5);
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

START_TEST(test_target_beyond_the_limit_is_refused_until_one_goes)
{
	fake_disconnect(&conn);
	fake_connect(&conn, geteuid(), true); /* without a quota */
	for (int i = 0; i < LIMIT_TARGETS; i++)
		fake_attach(&conn);
	attach(&conn, 7);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "\"limit\":\"targets\"");
	fake_request(&conn, 8, "target.detach", "t3");
	fake_answer(&fake_workers[2], 1);
	fake_expect(&conn, "\"id\":8,\"result\"", NULL);
	fake_attach(&conn);
	fake_request(&conn, 9, "target.info", "t65");
	ck_assert_uint_eq(fake_workers[LIMIT_TARGETS].got.n, 2);
}
END_TEST

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

START_TEST(test_one_user_does_not_take_all_targets)
{
	struct fake_conn stranger;

	for (int i = 0; i < QUOTA_TARGETS; i++)
		fake_attach(&conn);
	attach(&conn, 7);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "\"limit\":\"user_targets\"");
	/* What is about no target has a worker, too. */
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

START_TEST(test_worker_runs_as_the_asking_user)
{
	struct fake_conn stranger;

	fake_connect(&stranger, 1001, true);
	fake_attach(&stranger);
	ck_assert_uint_eq(fake_workers[0].uid, 1001);
	fake_disconnect(&stranger);
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

START_TEST(test_reply_after_client_left_is_dropped)
{
	struct fake_conn leaving;
	struct fake_worker *w = fake_attach(&conn);

	fake_connect(&leaving, 1000, true);
	for (int i = 1; i <= 4; i++)
		fake_request(&leaving, i, "target.info", "t1");
	fake_request(&conn, 9, "target.info", "t1");
	fake_disconnect(&leaving);
	/* Two were sent already; the two that were queued are not sent at all. */
	fake_answer(w, 1);
	fake_answer(w, 2);
	ck_assert_ptr_nonnull(strstr(w->got.items[3], "client.gone"));
	fake_answer(w, 4);
	fake_expect(&conn, "\"id\":9,\"result\":{\"n\":4}", NULL);
	ck_assert_uint_eq(w->got.n, 5);
	ck_assert_uint_eq(session_count_pending(session), 0);
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

START_TEST(test_attach_of_a_client_that_left_is_given_up)
{
	struct fake_conn leaving;

	fake_connect(&leaving, 1000, true);
	attach(&leaving, 1);
	fake_disconnect(&leaving);
	ck_assert(fake_workers[0].ended);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

/* How a worker ends, and what its requests are then told. */
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
	ck_assert(!w->ended); /* it did so by itself */
	ck_assert_uint_eq(session_count_targets(session), 0);
	fake_request(&conn, 5, "target.info", "t1");
	fake_expect(&conn, "\"name\":\"no_such_target\"", deaths[_i].text);
}
END_TEST

/* What waited behind it is told that the worker has gone, and of whom. */
START_TEST(test_the_request_that_took_too_long_is_told_so)
{
	struct fake_worker *w = fake_attach(&conn);

	fake_request(&conn, 1, "stack.get", "t1");
	fake_request(&other, 2, "target.info", "t1");
	session_worker_died(w->target, CONTRACT_EXIT_CPU_SPENT << 8);
	fake_expect(&conn, "\"name\":\"limit_exceeded\"", "stack.get took too much processor time");
	fake_expect(&other, "\"name\":\"worker_failed\"", "stack.get took too much processor time");
	ck_assert_uint_eq(session_count_targets(session), 0);
	/* Nobody asked. */
	w = fake_attach(&conn);
	session_worker_died(w->target, CONTRACT_EXIT_CPU_SPENT << 8);
	ck_assert_uint_eq(session_count_targets(session), 0);
}
END_TEST

START_TEST(test_hung_worker_is_killed_after_the_timeout)
{
	struct fake_worker *w = fake_attach(&conn);

	ck_assert(!session_tick(session)); /* nothing to watch */
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
	Suite *s = suite_create("target_table");
	TCase *t = tcase_create("attach");

	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_attach_forwards_the_request_of_this_client);
	tcase_add_test(t, test_core_is_opened_by_a_worker_of_its_own);
	tcase_add_test(t, test_core_without_a_path_starts_no_worker);
	tcase_add_test(t, test_launch_tells_us_the_pid);
	tcase_add_test(t, test_launch_that_is_given_up_is_ended);
	tcase_add_test(t, test_errand_has_a_worker_until_it_is_answered);
	tcase_add_test(t, test_errand_ends_with_who_wants_it);
	tcase_add_test(t, test_launch_with_bad_parameters_starts_no_worker);
	tcase_add_test(t, test_failed_attach_ends_the_worker);
	tcase_add_test(t, test_worker_that_does_not_start_is_an_error);
	tcase_add_test(t, test_attach_to_ourselves_is_refused);
	tcase_add_test(t, test_target_beyond_the_limit_is_refused_until_one_goes);
	tcase_add_test(t, test_why_it_ended_is_for_its_user);
	tcase_add_test(t, test_one_user_does_not_take_all_targets);
	tcase_add_test(t, test_some_connections_are_left_for_others);
	tcase_add_test(t, test_detach_ends_the_worker_and_says_so_later);
	tcase_add_test(t, test_refused_detach_keeps_the_target);
	tcase_add_test(t, test_target_is_hidden_from_other_users_but_root);
	tcase_add_test(t, test_stops_are_counted_and_told_to_who_may_use_the_target);
	tcase_add_test(t, test_worker_runs_as_the_asking_user);
	suite_add_tcase(s, t);
	t = tcase_create("forward");
	tcase_add_checked_fixture(t, fake_setup_two, fake_teardown);
	tcase_add_test(t, test_worker_gets_no_more_than_its_window);
	tcase_add_test(t, test_reply_after_client_left_is_dropped);
	tcase_add_test(t, test_client_gone_is_told_to_workers_it_used_only);
	tcase_add_test(t, test_attach_of_a_client_that_left_is_given_up);
	tcase_add_loop_test(t, test_nonsense_of_a_worker_is_ignored, 0, sizeof(nonsense) / sizeof(nonsense[0]));
	tcase_add_test(t, test_answer_that_comes_twice_is_ignored);
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
