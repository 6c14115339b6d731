/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/message_split: the lines between daemon and worker, and invalid lines. */
#include "check_main.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "rpc/message.h"
#include "rpc/message_split.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static struct buf out;

static void setup(void)
{
	out = (struct buf){0};
}

static void teardown(void)
{
	buf_deinit(&out);
}

/* Returns the bytes written since the last call, as a string. */
static const char *written(void)
{
	static char text[4096];

	ck_assert_uint_lt(out.len, sizeof(text));
	memcpy(text, buf_head(&out), out.len);
	text[out.len] = '\0';
	buf_consume(&out, out.len);
	return text;
}

START_TEST(test_message_split_response_puts_another_id_in)
{
	struct json_object *seq = json_object_new_int64(1234567890123);
	struct json_object *id = json_object_new_string("mine");
	struct json_object *result = json_tokener_parse("{\"a\":{\"b\":1}}");
	struct buf answer = {0};
	const char *payload;
	size_t len;
	int64_t got;

	ck_assert_no_err(message_write_result(&answer, seq, result));
	ck_assert_no_err(buf_append(&answer, "\n", 1));
	ck_assert(message_split_response(buf_head(&answer), answer.len, &got, &payload, &len));
	ck_assert_int_eq(got, 1234567890123);
	ck_assert_no_err(message_write_raw(&out, id, payload, len));
	ck_assert_str_eq(written(), "{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"result\":{\"a\":{\"b\":1}}}");
	buf_deinit(&answer);
	json_object_put(seq);
	json_object_put(id);
	json_object_put(result);
}
END_TEST

START_TEST(test_message_split_response_takes_errors)
{
	struct error *err = error_create(ERR_NO_SUCH_REQUEST, "gone");
	struct json_object *seq = json_object_new_int64(5);
	const char *payload;
	size_t len;
	int64_t got;

	ck_assert_no_err(message_write_error(&out, seq, err));
	ck_assert(message_split_response(buf_head(&out), out.len, &got, &payload, &len));
	ck_assert_int_eq(got, 5);
	ck_assert_mem_eq(payload, "\"error\":{", 9);
	ck_assert_int_eq(payload[len - 1], '}');
	error_destroy(err);
	json_object_put(seq);
}
END_TEST

static const char *const no_responses[] = {
	"",
	"{",
	"{}",
	"{\"jsonrpc\":\"2.0\",\"id\":",
	"{\"jsonrpc\":\"2.0\",\"id\":1",
	"{\"jsonrpc\":\"2.0\",\"id\":1,",
	"{\"jsonrpc\":\"2.0\",\"id\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"other\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":9999999999999999999,\"result\":{}}",
	" {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
	"{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{}}",
};

START_TEST(test_message_split_response_refuses_anything_else)
{
	const char *payload = "before";
	size_t len = 99;
	int64_t seq = -5;

	ck_assert(!message_split_response(no_responses[_i], strlen(no_responses[_i]), &seq, &payload, &len));
	ck_assert_str_eq(payload, "before");
	ck_assert_uint_eq(len, 99);
	ck_assert_int_eq(seq, -5);
}
END_TEST

START_TEST(test_message_split_request_takes_what_is_written)
{
	static const char params[] = "{\"target\":\"t1\",\"x\":[{}]}";
	struct split_request r;

	ck_assert_no_err(message_write_request(&out, 1234567890123, 7, "target.info", params, strlen(params)));
	ck_assert_no_err(buf_append(&out, "\n", 1));
	ck_assert(message_split_request(buf_head(&out), out.len, &r));
	ck_assert_int_eq(r.seq, 1234567890123);
	ck_assert_int_eq(r.client, 7);
	ck_assert_uint_eq(r.method_len, strlen("target.info"));
	ck_assert_mem_eq(r.method, "target.info", r.method_len);
	ck_assert_uint_eq(r.params_len, strlen(params));
	ck_assert_mem_eq(r.params, params, r.params_len);
}
END_TEST

/* Some are written by hand: they are checked like all others. */
static const char *const no_requests[] = {
	"",
	"{",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\\u0062\",\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"client\":2,\"method\":\"a\",\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":-2,\"method\":\"a\",\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":9999999999999999999,\"client\":2,\"method\":\"a\",\"params\":{}}",
	" {\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{}}",
};

START_TEST(test_message_split_request_refuses_anything_else)
{
	struct split_request r;

	ck_assert(!message_split_request(no_requests[_i], strlen(no_requests[_i]), &r));
}
END_TEST

/* These lines start like the daemon's, but differ from them: they are checked strictly, with the usual errors. */
static const char *const false_requests[] = {
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{},\"more\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{},\"params\":{}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{\"x\"}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"client\":2,\"method\":\"a\",\"params\":{}}}",
};

START_TEST(test_message_that_looks_forwarded_is_checked)
{
	struct message_batch batch = {0};
	struct error *err = message_parse(false_requests[_i], strlen(false_requests[_i]), true, &batch);

	ck_assert(err || batch.errors[0]);
	error_destroy(err);
	message_batch_deinit(&batch);
}
END_TEST

START_TEST(test_message_split_number_takes_what_is_written)
{
	struct json_object *params = json_tokener_parse("{\"pid\":4711}");
	int64_t pid;

	ck_assert_no_err(message_write_notification(&out, "target.pid", params));
	ck_assert(message_split_number(buf_head(&out), out.len, "target.pid", "pid", &pid));
	ck_assert_int_eq(pid, 4711);
	ck_assert(!message_split_number(buf_head(&out), out.len, "target.pi", "pid", &pid));
	ck_assert(!message_split_number(buf_head(&out), out.len, "target.pid", "p", &pid));
	for (size_t len = 0; len < out.len; len++)
		ck_assert(!message_split_number(buf_head(&out), len, "target.pid", "pid", &pid));
	json_object_put(params);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/message_split");
	TCase *tc = tcase_create("message_split");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_message_split_response_puts_another_id_in);
	tcase_add_test(tc, test_message_split_response_takes_errors);
	tcase_add_loop_test(tc, test_message_split_response_refuses_anything_else, 0, COUNT(no_responses));
	tcase_add_test(tc, test_message_split_request_takes_what_is_written);
	tcase_add_loop_test(tc, test_message_split_request_refuses_anything_else, 0, COUNT(no_requests));
	tcase_add_loop_test(tc, test_message_that_looks_forwarded_is_checked, 0, COUNT(false_requests));
	tcase_add_test(tc, test_message_split_number_takes_what_is_written);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
