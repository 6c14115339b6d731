/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/message: valid and invalid requests and batches, and the written answers. */
#include "check_main.h"
#include "error_detail.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "rpc/message.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static struct message_batch batch;
static struct buf out;

static void setup(void)
{
	batch = (struct message_batch){0};
	out = (struct buf){0};
}

static void teardown(void)
{
	message_batch_deinit(&batch);
	buf_deinit(&out);
}

static struct error *parse(const char *text)
{
	return message_parse(text, strlen(text), false, &batch);
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

START_TEST(test_message_request_is_taken_apart)
{
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a.b\",\"params\":{\"x\":1}}"));
	ck_assert(!batch.is_batch);
	ck_assert_uint_eq(batch.n, 1);
	ck_assert_ptr_null(batch.errors[0]);
	ck_assert_str_eq(batch.messages[0].method, "a.b");
	ck_assert_int_eq(json_object_get_int64(batch.messages[0].id), 7);
	ck_assert_int_eq(json_object_object_length(batch.messages[0].params), 1);
	ck_assert_int_eq(batch.messages[0].client, 0);
}
END_TEST

START_TEST(test_message_string_id_is_kept)
{
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"id\":\"cli:1/\xc3\xa9\",\"method\":\"a\"}"));
	ck_assert_str_eq(json_object_get_string(batch.messages[0].id), "cli:1/\xc3\xa9");
}
END_TEST

START_TEST(test_message_without_id_is_a_notification)
{
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}"));
	ck_assert_ptr_null(batch.errors[0]);
	ck_assert_ptr_null(batch.messages[0].id);
}
END_TEST

START_TEST(test_message_absent_params_are_an_empty_object)
{
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"));
	ck_assert(json_object_is_type(batch.messages[0].params, json_type_object));
	ck_assert_int_eq(json_object_object_length(batch.messages[0].params), 0);
}
END_TEST

static const struct {
	const char *text;
	enum error_code code;
	const char *pointer;
	bool has_id;
} bad_requests[] = {
	{"{}", ERR_INVALID_REQUEST, "/jsonrpc", false},
	{"{\"id\":1,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/jsonrpc", true},
	{"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/jsonrpc", true},
	{"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/jsonrpc", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1}", ERR_INVALID_REQUEST, "/method", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}", ERR_INVALID_REQUEST, "/method", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", ERR_INVALID_REQUEST, "/method", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/id", false},
	{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/id", false},
	{"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", ERR_INVALID_REQUEST, "/id", false},
	{"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}", ERR_INVALID_REQUEST, "/id", false},
	{"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", ERR_INVALID_REQUEST, "/id", false},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}", ERR_INVALID_PARAMS, "/params", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}", ERR_INVALID_PARAMS, "/params", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":\"x\"}", ERR_INVALID_PARAMS, "/params", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"parms\":{}}", ERR_INVALID_REQUEST, "/parms", true},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"client\":1}", ERR_INVALID_REQUEST, "/client", true},
};

START_TEST(test_message_bad_request_is_named)
{
	ck_assert_no_err(parse(bad_requests[_i].text));
	struct error *err = batch.errors[0];

	ck_assert_msg(err != NULL, "accepted: %s", bad_requests[_i].text);
	ck_assert_msg(err->code == bad_requests[_i].code, "%s: %s", bad_requests[_i].text, error_name(err));
	ck_assert_str_eq(error_detail_of(err, "pointer"), bad_requests[_i].pointer);
	ck_assert_int_eq(batch.messages[0].id != NULL, bad_requests[_i].has_id);
}
END_TEST

START_TEST(test_message_near_miss_gets_a_hint)
{
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"parms\":{}}"));
	ck_assert_ptr_nonnull(strstr(error_hint_text(batch.errors[0]), "\"params\""));
}
END_TEST

START_TEST(test_message_id_length_is_bounded)
{
	char text[512], id[MESSAGE_MAX_ID + 2];

	memset(id, 'i', sizeof(id));
	id[MESSAGE_MAX_ID] = '\0';
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"a\"}", id);
	ck_assert_no_err(parse(text));
	ck_assert_ptr_null(batch.errors[0]);
	message_batch_deinit(&batch);
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":\"%si\",\"method\":\"a\"}", id);
	ck_assert_no_err(parse(text));
	ck_assert(error_is(batch.errors[0], ERR_INVALID_REQUEST));
}
END_TEST

START_TEST(test_message_text_that_is_no_request_fails_as_a_whole)
{
	ck_assert_err(parse("[]"), ERR_INVALID_REQUEST);
	ck_assert_err(parse("1"), ERR_INVALID_REQUEST);
	ck_assert_err(parse("null"), ERR_INVALID_REQUEST);
	ck_assert_err(parse("\"x\""), ERR_INVALID_REQUEST);
	ck_assert_err(parse("{"), ERR_PARSE_ERROR);
	ck_assert_err(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}"), ERR_PARSE_ERROR);
	ck_assert_uint_eq(batch.n, 0);
}
END_TEST

START_TEST(test_message_batch_fails_element_by_element)
{
	ck_assert_no_err(parse("[1,{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},{},null,[]]"));
	ck_assert(batch.is_batch);
	ck_assert_uint_eq(batch.n, 5);
	ck_assert(error_is(batch.errors[0], ERR_INVALID_REQUEST));
	ck_assert_ptr_null(batch.errors[1]);
	for (int i = 2; i < 5; i++)
		ck_assert(error_is(batch.errors[i], ERR_INVALID_REQUEST));
}
END_TEST

static struct error *parse_batch_of(int n)
{
	char text[1024] = "[";

	for (int i = 0; i < n; i++)
		strncat(text, i ? ",{}" : "{}", sizeof(text) - strlen(text) - 1);
	strncat(text, "]", sizeof(text) - strlen(text) - 1);
	return parse(text);
}

START_TEST(test_message_batch_size_is_bounded)
{
	ck_assert_no_err(parse_batch_of(MESSAGE_MAX_BATCH));
	ck_assert_uint_eq(batch.n, MESSAGE_MAX_BATCH);
	message_batch_deinit(&batch);
	ck_assert_err(parse_batch_of(MESSAGE_MAX_BATCH + 1), ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_message_client_is_read_only_when_trusted)
{
	static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{},\"client\":5}";
	static const char wrong[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"client\":\"5\"}";

	ck_assert_no_err(message_parse(text, strlen(text), true, &batch));
	ck_assert_ptr_null(batch.errors[0]);
	ck_assert_int_eq(batch.messages[0].client, 5);
	message_batch_deinit(&batch);
	ck_assert_no_err(message_parse(wrong, strlen(wrong), true, &batch));
	ck_assert(error_is(batch.errors[0], ERR_INVALID_REQUEST));
}
END_TEST

START_TEST(test_message_write_result)
{
	struct json_object *id = json_object_new_string("a/b");
	struct json_object *result = json_tokener_parse("{\"path\":\"/x/y\",\"n\":[1,2]}");

	ck_assert_no_err(message_write_result(&out, id, result));
	ck_assert_str_eq(written(), "{\"jsonrpc\":\"2.0\",\"id\":\"a/b\",\"result\":{\"path\":\"/x/y\",\"n\":[1,2]}}");
	json_object_put(id);
	json_object_put(result);
}
END_TEST

START_TEST(test_message_write_error_without_id)
{
	struct error *err = error_hint(error_create(ERR_NO_SUCH_REQUEST, "gone"), "ask again");

	ck_assert_no_err(message_write_error(&out, NULL, err));
	ck_assert_str_eq(written(), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32008,\"message\":\"gone\","
				    "\"data\":{\"name\":\"no_such_request\",\"hint\":\"ask again\"}}}");
	error_destroy(err);
}
END_TEST

START_TEST(test_message_write_notification)
{
	struct json_object *params = json_tokener_parse("{\"client\":3}");

	ck_assert_no_err(message_write_notification(&out, "client.gone", params));
	ck_assert_str_eq(written(), "{\"jsonrpc\":\"2.0\",\"method\":\"client.gone\",\"params\":{\"client\":3}}");
	ck_assert_no_err(message_write_notification(&out, "x\"y", NULL));
	ck_assert_str_eq(written(), "{\"jsonrpc\":\"2.0\",\"method\":\"x\\\"y\",\"params\":{}}");
	json_object_put(params);
}
END_TEST

START_TEST(test_message_write_request_reads_back)
{
	static const char params[] = "{\"target\":\"t1\"}";
	struct json_object *expected = json_tokener_parse(params);

	ck_assert_no_err(message_write_request(&out, 42, 9, "target.info", params, strlen(params)));
	ck_assert_no_err(message_parse(buf_head(&out), out.len, true, &batch));
	ck_assert_ptr_null(batch.errors[0]);
	ck_assert_int_eq(json_object_get_int64(batch.messages[0].id), 42);
	ck_assert_str_eq(batch.messages[0].method, "target.info");
	ck_assert_int_eq(batch.messages[0].client, 9);
	ck_assert(json_object_equal(batch.messages[0].params, expected));
	json_object_put(expected);
}
END_TEST

/* Returns the text of a request's params; NULL: they have to be written anew. */
static const struct {
	const char *text;
	const char *params[3];
} written_params[] = {
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":1}}", {"{\"x\":1}"}},
	{"{\"params\" : { \"params\" : [{}, \"params\"] }\t, \"jsonrpc\":\"2.0\",\"method\":\"params\"}",
	 {"{ \"params\" : [{}, \"params\"] }"}},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"s\":\"\\\"},\\n\"}}", {"{\"s\":\"\\\"},\\n\"}"}},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", {NULL}},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"p\\u0061rams\":{\"x\":1}}", {NULL}},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\n\"x\":1}}", {NULL}},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":\r1}}", {NULL}},
	{"[{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":[1,2]}}, {\"jsonrpc\":\"2.0\",\"method\":\"a\"},"
	 " {\"jsonrpc\":\"2.0\",\"params\":{},\"method\":\"a\"}]",
	 {"{\"x\":[1,2]}", NULL, "{}"}},
	{"[[\"params\",{\"params\":{}}],{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"y\":2}}]",
	 {NULL, "{\"y\":2}"}},
};

START_TEST(test_message_params_are_found_in_the_text)
{
	const char *text = written_params[_i].text;

	ck_assert_no_err(message_parse(text, strlen(text), false, &batch));
	for (size_t i = 0; i < batch.n; i++) {
		const struct message *m = &batch.messages[i];
		const char *expected = written_params[_i].params[i];

		ck_assert(!expected == !m->params_text);
		if (!expected)
			continue;
		ck_assert(m->params_text > text && m->params_text < text + strlen(text));
		ck_assert_uint_eq(m->params_len, strlen(expected));
		ck_assert_mem_eq(m->params_text, expected, m->params_len);
	}
}
END_TEST

START_TEST(test_message_last_of_the_longest_batch_is_found)
{
	struct buf text = {0};

	for (int i = 0; i < MESSAGE_MAX_BATCH; i++) {
		char one[96];
		int len = snprintf(one, sizeof(one), "%c{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"n\":%d}}",
				   i ? ',' : '[', i);

		ck_assert_no_err(buf_append(&text, one, (size_t)len));
	}
	ck_assert_no_err(buf_append(&text, "]", 1));
	ck_assert_no_err(message_parse(buf_head(&text), text.len, false, &batch));
	ck_assert_uint_eq(batch.messages[MESSAGE_MAX_BATCH - 1].params_len, 8);
	ck_assert_mem_eq(batch.messages[MESSAGE_MAX_BATCH - 1].params_text, "{\"n\":63}", 8);
	buf_deinit(&text);
}
END_TEST

static const struct {
	const char *value;
	bool is_taken;
	int64_t number;
} integers[] = {
	{"0", true, 0},
	{"-9223372036854775808", true, INT64_MIN},
	{"9223372036854775807", true, INT64_MAX},
	{"9223372036854775808", false, 0},
	{"18446744073709551615", false, 0},
	{"1.0", false, 0},
	{"\"1\"", false, 0},
	{"true", false, 0},
	{"null", false, 0},
	{"[1]", false, 0},
};

START_TEST(test_message_integer_of_params)
{
	int64_t got = 4711;
	char text[128];

	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"method\":\"a.b\",\"params\":{\"n\":%s}}",
		 integers[_i].value);
	ck_assert_no_err(parse(text));
	ck_assert_int_eq(message_get_integer(&batch.messages[0], "n", &got), integers[_i].is_taken);
	ck_assert_int_eq(got, integers[_i].is_taken ? integers[_i].number : 4711);
	ck_assert(!message_get_integer(&batch.messages[0], "m", &got));
}
END_TEST

START_TEST(test_message_global_init_keeps_tables_working)
{
	message_global_init();
	ck_assert_no_err(parse("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a.b\",\"params\":{\"x\":1}}"));
	ck_assert_ptr_null(batch.errors[0]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/message");
	TCase *tc = tcase_create("message_parse");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_message_request_is_taken_apart);
	tcase_add_test(tc, test_message_string_id_is_kept);
	tcase_add_test(tc, test_message_without_id_is_a_notification);
	tcase_add_test(tc, test_message_absent_params_are_an_empty_object);
	tcase_add_loop_test(tc, test_message_bad_request_is_named, 0, COUNT(bad_requests));
	tcase_add_test(tc, test_message_near_miss_gets_a_hint);
	tcase_add_test(tc, test_message_id_length_is_bounded);
	tcase_add_test(tc, test_message_text_that_is_no_request_fails_as_a_whole);
	tcase_add_test(tc, test_message_batch_fails_element_by_element);
	tcase_add_test(tc, test_message_batch_size_is_bounded);
	tcase_add_test(tc, test_message_client_is_read_only_when_trusted);
	tcase_add_loop_test(tc, test_message_integer_of_params, 0, COUNT(integers));
	tcase_add_test(tc, test_message_global_init_keeps_tables_working);
	suite_add_tcase(suite, tc);

	tc = tcase_create("message_write");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_message_write_result);
	tcase_add_test(tc, test_message_write_error_without_id);
	tcase_add_test(tc, test_message_write_notification);
	tcase_add_test(tc, test_message_write_request_reads_back);
	tcase_add_loop_test(tc, test_message_params_are_found_in_the_text, 0, COUNT(written_params));
	tcase_add_test(tc, test_message_last_of_the_longest_batch_is_found);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
