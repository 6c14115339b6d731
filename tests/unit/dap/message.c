/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/message.c. */
#include "message.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"

static enum dap_message_type type_of(const char *text)
{
	struct json_object *message = dap_message_parse(text, strlen(text));
	enum dap_message_type type = dap_message_type(message);

	json_object_put(message);
	return type;
}

START_TEST(test_message_types)
{
	ck_assert_int_eq(type_of("{\"seq\":1,\"type\":\"request\",\"command\":\"threads\"}"), MESSAGE_REQUEST);
	ck_assert_int_eq(type_of("{\"seq\":0,\"type\":\"response\",\"request_seq\":3,\"success\":true}"),
			 MESSAGE_RESPONSE);
	ck_assert_int_eq(type_of("{\"type\":\"event\",\"event\":\"stopped\"}"), MESSAGE_EVENT);
}
END_TEST

START_TEST(test_message_without_what_all_have_is_bad)
{
	ck_assert_int_eq(type_of("{\"type\":\"request\",\"command\":\"threads\"}"), MESSAGE_BAD);
	ck_assert_int_eq(type_of("{\"seq\":1,\"type\":\"request\",\"command\":7}"), MESSAGE_BAD);
	ck_assert_int_eq(type_of("{\"seq\":1,\"type\":\"response\",\"request_seq\":\"3\"}"), MESSAGE_BAD);
	ck_assert_int_eq(type_of("{\"seq\":1,\"type\":\"event\"}"), MESSAGE_BAD);
	ck_assert_int_eq(type_of("{\"seq\":1,\"type\":[]}"), MESSAGE_BAD);
	ck_assert_int_eq(type_of("{}"), MESSAGE_BAD);
}
END_TEST

START_TEST(test_message_what_is_no_object_is_none)
{
	static const char *const texts[] = {"", "[]", "7", "{", "{}x", "\"\"", "null", "{\"a\":1}{}"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(!dap_message_parse(texts[i], strlen(texts[i])), "%s", texts[i]);
	struct json_object *message = dap_message_parse("{\"a\":1} \r\n", 10);
	ck_assert_ptr_nonnull(message);
	json_object_put(message);
}
END_TEST

START_TEST(test_message_copies_do_not_change_what_they_are_of)
{
	struct json_object *message = dap_message_parse("{\"a\":1,\"b\":{\"c\":2}}", 19);
	struct json_object *copy = dap_message_copy(message);

	dap_message_put_int(copy, "a", 5);
	ck_assert_int_eq(dap_message_int(message, "a", 0), 1);
	ck_assert_int_eq(dap_message_int(dap_message_get(copy, "b", NULL), "c", 0), 2);
	ck_assert_ptr_null(dap_message_get(copy, "b", "c", "d", NULL));
	struct json_object *none = dap_message_copy_array(message, "b");
	ck_assert_uint_eq(dap_message_length(none), 0);
	json_object_array_add(none, json_object_new_int(3));
	json_object_object_add(copy, "list", none);
	struct json_object *list = dap_message_copy_array(copy, "list");
	json_object_array_add(list, json_object_new_int(4));
	ck_assert_uint_eq(dap_message_length(list), 2);
	ck_assert_uint_eq(dap_message_length(none), 1);
	json_object_put(list);
	json_object_put(copy);
	json_object_put(message);
}
END_TEST

START_TEST(test_message_failures_say_why)
{
	struct json_object *request = dap_message_request("pause", NULL);

	dap_message_put_int(request, "seq", 12);
	struct json_object *failure = dap_message_failure(request, "because");
	ck_assert_int_eq(dap_message_type(failure), MESSAGE_RESPONSE);
	ck_assert_int_eq(dap_message_int(failure, "request_seq", 0), 12);
	ck_assert(!dap_message_bool(failure, "success"));
	ck_assert_str_eq(dap_message_string(failure, "message"), "because");
	ck_assert_str_eq(dap_message_string(failure, "command"), "pause");
	ck_assert(dap_message_bool(dap_message_get(failure, "body", "error", NULL), "showUser"));
	json_object_put(failure);
	dap_message_put_string(request, "command", "ompdd/tree");
	failure = dap_message_failure(request, "because");
	ck_assert(!dap_message_bool(dap_message_get(failure, "body", "error", NULL), "showUser"));
	json_object_put(failure);
	json_object_put(request);
	/* A message that was not sent has no number. */
	request = dap_message_request("", NULL);
	failure = dap_message_failure(request, "because");
	ck_assert(dap_message_bool(dap_message_get(failure, "body", "error", NULL), "showUser"));
	json_object_put(failure);
	json_object_put(request);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/message");
	TCase *tcase = tcase_create("message");

	tcase_add_test(tcase, test_message_types);
	tcase_add_test(tcase, test_message_without_what_all_have_is_bad);
	tcase_add_test(tcase, test_message_what_is_no_object_is_none);
	tcase_add_test(tcase, test_message_copies_do_not_change_what_they_are_of);
	tcase_add_test(tcase, test_message_failures_say_why);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
