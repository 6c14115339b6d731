/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/lib/rpc.c: the other end of a socket pair is the daemon. */
#include "check_main.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/clock.h"
#include "rpc.h"

static const struct advice advice = {.timeout = "wait longer"};
static struct rpc rpc;
static int daemon_fd;

static void open_rpc(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	rpc_init(&rpc, &advice, 20, -1);
	rpc_want_events(&rpc);
	rpc.conn.fd = fds[0];
	rpc.conn.name = strdup("test");
	daemon_fd = fds[1];
}

static void close_rpc(void)
{
	rpc_deinit(&rpc);
	if (daemon_fd >= 0)
		close(daemon_fd);
}

static void send_text(const char *text)
{
	ck_assert_int_eq(write(daemon_fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void assert_sent(const char *expected)
{
	char text[4096] = "";

	ck_assert_int_gt(read(daemon_fd, text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, expected);
}

static void assert_failure(struct error *f, const char *name)
{
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(error_name(f), name);
	error_destroy(f);
}

static int wait_number(int id)
{
	struct json_object *result = NULL;

	ck_assert_ptr_null(rpc_wait(&rpc, id, &result));
	int n = json_object_get_int(json_object_object_get(result, "n"));
	json_object_put(result);
	return n;
}

START_TEST(test_requests)
{
	rpc_request(&rpc, "a\"b", NULL);
	int id = rpc_request_text(&rpc, "c", "key", "\xff\xc3\xa9\xc3");
	send_text("{\"id\":2,\"result\":{\"n\":5}}\n");
	ck_assert_int_eq(wait_number(id), 5);
	assert_sent("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\\"b\",\"params\":{}}\n"
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"c\",\"params\":{\"key\":"
		    "\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\"}}\n");
}
END_TEST

START_TEST(test_answers_in_any_order)
{
	int first = rpc_request(&rpc, "a", NULL), second = rpc_request(&rpc, "b", NULL);

	send_text("{\"id\":2,\"result\":{\"n\":2}}\n\n{\"id\":1,\"result\":{\"n\":1}}\n");
	ck_assert_int_eq(wait_number(first), 1);
	ck_assert_int_eq(wait_number(second), 2);
}
END_TEST

START_TEST(test_too_many_requests)
{
	int ids[RPC_MAX_REQUESTS + 1];

	for (int i = 0; i <= RPC_MAX_REQUESTS; i++)
		ids[i] = rpc_request(&rpc, "a", NULL);
	assert_failure(rpc_wait(&rpc, ids[0], NULL), "too_many_requests");
	/* The others are sent. */
	send_text("{\"id\":8,\"result\":{\"n\":8}}\n");
	ck_assert_int_eq(wait_number(ids[RPC_MAX_REQUESTS - 1]), RPC_MAX_REQUESTS);
}
END_TEST

START_TEST(test_abandoned_requests)
{
	for (int i = 0; i < 2 * RPC_MAX_REQUESTS; i++) {
		rpc_restart(&rpc);
		int id = rpc_request(&rpc, "a", NULL);
		struct error *f = rpc_wait(&rpc, id, NULL);

		ck_assert(connection_is_timeout(f));
		ck_assert_str_eq(error_hint_text(f), "wait longer");
		error_destroy(f);
		rpc_abandon(&rpc, id);
	}
	rpc_restart(&rpc);
	int id = rpc_request(&rpc, "a", NULL);
	send_text("{\"id\":1,\"result\":{}}\n{\"id\":16,\"error\":{}}\n{\"id\":17,\"result\":{\"n\":17}}\n");
	ck_assert_int_eq(wait_number(id), 17);
	/* The other late answers may still come, but no answer to a request that was answered. */
	id = rpc_request(&rpc, "a", NULL);
	for (int i = 0; i < 15; i++)
		send_text("{\"id\":9,\"result\":{}}\n");
	assert_failure(rpc_wait(&rpc, id, NULL), "bad_answer");
}
END_TEST

START_TEST(test_events)
{
	struct json_object *event = NULL;

	ck_assert_ptr_null(rpc_next_event_until(&rpc, 0, &event));
	ck_assert_ptr_null(event);
	int id = rpc_request(&rpc, "a", NULL);
	send_text(
		"{\"method\":\"event\",\"params\":{\"n\":1}}\n{\"method\":\"event\"}\n{\"id\":1,\"result\":{\"n\":3}}\n"
		"{\"method\":\"event\",\"params\":{\"n\":2}}\n");
	ck_assert_int_eq(wait_number(id), 3);
	for (int n = 1; n <= 2; n++) {
		ck_assert_ptr_null(rpc_next_event_until(&rpc, clock_now_ms() + 1000, &event));
		ck_assert_int_eq(json_object_get_int(json_object_object_get(event, "n")), n);
		json_object_put(event);
	}
	ck_assert_ptr_null(rpc_next_event_until(&rpc, 0, &event));
	ck_assert_ptr_null(event);
}
END_TEST

START_TEST(test_errors)
{
	int id = rpc_request(&rpc, "a", NULL);

	send_text("{\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\",\"data\":{\"name\":\"timeout\",\"hint\":\"h\"}}}"
		  "\n");
	struct error *f = rpc_wait(&rpc, id, NULL);
	ck_assert_int_eq(f->code, ERR_ANSWER);
	/* The daemon's error has the name of ours. */
	ck_assert(!connection_is_timeout(f));
	ck_assert_str_eq(error_hint_text(f), "h");
	assert_failure(f, "timeout");
	id = rpc_request(&rpc, "a", NULL);
	send_text("{\"id\":null,\"error\":{\"message\":\"no\",\"data\":{\"name\":\"parse_error\"}}}\n");
	assert_failure(rpc_wait(&rpc, id, NULL), "parse_error");
	send_text("{\"id\":2,\"result\":[]}\n");
	assert_failure(rpc_wait(&rpc, id, NULL), "bad_answer");
	close(daemon_fd);
	daemon_fd = -1;
	id = rpc_request(&rpc, "a", NULL);
	assert_failure(rpc_wait(&rpc, id, NULL), "connection_lost");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/rpc");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, open_rpc, close_rpc);
	tcase_add_test(tcase, test_requests);
	tcase_add_test(tcase, test_answers_in_any_order);
	tcase_add_test(tcase, test_too_many_requests);
	tcase_add_test(tcase, test_abandoned_requests);
	tcase_add_test(tcase, test_events);
	tcase_add_test(tcase, test_errors);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
