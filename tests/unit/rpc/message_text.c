/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/message_text: valid and invalid JSON, beyond the checks of json-c. */
#include "check_main.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "rpc/message.h"
#include "rpc/message_text.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static struct error *parse(const char *text, struct json_object **ret)
{
	/* A copy of exactly this length, so that the sanitizer sees a read behind it. */
	size_t len = strlen(text);
	char *copy = malloc(len ? len : 1);

	memcpy(copy, text, len);
	struct error *err = message_text_parse(copy, len, NULL, ret);
	free(copy);
	return err;
}

static const char *const good[] = {
	"{}",
	"[]",
	"null",
	"true",
	"0",
	"-0",
	"-1",
	"1.5",
	"1e5",
	"1E+5",
	"0.5e-3",
	"\"\"",
	" {} ",
	"\t[1,2]\r\n",
	"{\"a\":{\"a\":{\"a\":1}}}",
	"{\"a\":1,\"b\":1}",
	"18446744073709551615",
	"-9223372036854775808",
	"9223372036854775807",
	"\"\\u0041\\n\\\\\\/\\\"\"",
	"\"\\uD83D\\uDE00\"",
	"\"\xc3\xa9\"",
	"\"\x7f\"",
	"{\"a:b\":\"c:d\"}",
	"{\"a\":\"x\\\":\"}",
	"[{\"a\":1},{\"a\":2}]",
	"{\"\":1}",
	"[true,false,null]",
	"\"'\"",
	"\"NaN\"",
	"\"\\\\u0000\"",
};

START_TEST(test_message_text_accepts)
{
	struct json_object *value = NULL;

	ck_assert_no_err(parse(good[_i], &value));
	json_object_put(value);
}
END_TEST

static const struct {
	const char *text;
	const char *reason;
} bad[] = {
	{"", "syntax"},
	{" \n", "syntax"},
	{"{", "syntax"},
	{"[1,2", "syntax"},
	{"\"abc", "syntax"},
	{"{\"a\":1}x", "syntax"},
	{"{}{}", "syntax"},
	{"{} []", "syntax"},
	{"1 2", "syntax"},
	{"[1,]", "syntax"},
	{"[,1]", "syntax"},
	{"{\"a\":1,}", "syntax"},
	{"{a:1}", "syntax"},
	{"{'a':1}", "syntax"},
	{"'a'", "syntax"},
	{"[1 2]", "syntax"},
	{"{\"a\"}", "syntax"},
	{"{\"a\" 1}", "syntax"},
	{"{\"a\":}", "syntax"},
	{"{\"a\":1 \"b\":2}", "syntax"},
	{"{\"a\"::1}", "syntax"},
	{"{1:2}", "syntax"},
	{"{,}", "syntax"},
	{"[:]", "syntax"},
	{"[1:2]", "syntax"},
	{"[1,,2]", "syntax"},
	{"[}", "syntax"},
	{"{]", "syntax"},
	{"[1}", "syntax"},
	{"{\"a\":1]", "syntax"},
	{"[[]", "syntax"},
	{"[]]", "syntax"},
	{"]", "syntax"},
	{",", "syntax"},
	{"1,", "syntax"},
	{"truefalse", "syntax"},
	{"nul", "syntax"},
	{"-1-1", "syntax"},
	{"\"\\", "syntax"},
	{"\"\\u12", "syntax"},
	{"/* c */ 1", "syntax"},
	{"1 // c", "syntax"},
	{"NaN", "syntax"},
	{"[NaN]", "syntax"},
	{"Infinity", "syntax"},
	{"-Infinity", "syntax"},
	{"[-Infinity]", "syntax"},
	{"True", "syntax"},
	{"nUll", "syntax"},
	{"01", "syntax"},
	{"-01", "syntax"},
	{"00", "syntax"},
	{"1.", "syntax"},
	{"[1.]", "syntax"},
	{"1.e5", "syntax"},
	{".5", "syntax"},
	{"1e", "syntax"},
	{"+1", "syntax"},
	{"-", "syntax"},
	{"0x10", "syntax"},
	{"\"a\tb\"", "syntax"},
	{"\"a\nb\"", "syntax"},
	{"{\"a\x01\":1}", "syntax"},
	{"\"\\x41\"", "syntax"},
	{"\"\\u00g0\"", "syntax"},
	{"\"\\u0000\"", "nul"},
	{"{\"a\\u0000b\":1}", "nul"},
	{"\"\\ud800\"", "utf8"},
	{"\"\\udc00\"", "utf8"},
	{"\"\\ud800\\u0041\"", "utf8"},
	{"\"\\ud800x\"", "utf8"},
	{"\"\xff\"", "utf8"},
	{"\"\xc3\"", "utf8"},
	{"\"\xc0\x80\"", "utf8"},
	{"\"\xed\xa0\x80\"", "utf8"},
	{"\"\xf4\x90\x80\x80\"", "utf8"},
	{"{\"\xe0\x9f\xbf\":1}", "utf8"},
	{"\xef\xbb\xbf{}", "syntax"},
	{"18446744073709551616", "integer_range"},
	{"-9223372036854775809", "integer_range"},
	{"[99999999999999999999999999]", "integer_range"},
	{"{\"a\":1,\"a\":2}", "duplicate_key"},
	{"{\"a\":1,\"\\u0061\":2}", "duplicate_key"},
	{"{\"x\":{\"a\":1,\"a\":1}}", "duplicate_key"},
	{"[{\"a\":{\"b\":1},\"a\":{\"c\":1,\"d\":2}}]", "duplicate_key"},
	{"{\"\":1,\"\":2}", "duplicate_key"},
};

START_TEST(test_message_text_refuses)
{
	struct json_object *value = NULL;
	struct error *err = parse(bad[_i].text, &value);

	ck_assert_msg(err != NULL, "accepted: %s", bad[_i].text);
	ck_assert_ptr_null(value);
	ck_assert_str_eq(err->details[0].key, "reason");
	ck_assert_msg(!strcmp(err->details[0].value, bad[_i].reason), "%s: reason %s, not %s", bad[_i].text,
		      err->details[0].value, bad[_i].reason);
	ck_assert_err(err, ERR_PARSE_ERROR);
}
END_TEST

START_TEST(test_message_text_refuses_a_nul_byte)
{
	struct json_object *value = NULL;

	ck_assert_err(message_text_parse("{}\0", 3, NULL, &value), ERR_PARSE_ERROR);
	ck_assert_err(message_text_parse("{\"a\0\":1}", 8, NULL, &value), ERR_PARSE_ERROR);
}
END_TEST

/* Writes @depth nested brackets of @kind; the innermost pair is empty. */
static struct error *parse_nested(int depth, bool objects)
{
	char text[1024] = "";
	size_t n = 0;
	struct json_object *value = NULL;

	for (int i = 0; i < depth; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      objects && i + 1 < depth ? "{\"a\":"
				      : objects		       ? "{"
							       : "[");
	for (int i = 0; i < depth; i++)
		text[n++] = objects ? '}' : ']';
	text[n] = '\0';
	struct error *err = parse(text, &value);
	json_object_put(value);
	return err;
}

START_TEST(test_message_text_nests_up_to_the_limit)
{
	ck_assert_no_err(parse_nested(MESSAGE_MAX_DEPTH, _i));
	struct error *err = parse_nested(MESSAGE_MAX_DEPTH + 1, _i);

	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err->details[0].value, "depth");
	ck_assert_err(err, ERR_PARSE_ERROR);
}
END_TEST

START_TEST(test_message_text_bounds_the_number_of_values)
{
	struct json_object *value = NULL;
	size_t n = 2 * (MESSAGE_MAX_VALUES - 1); /* where the closing bracket is */
	char *text = malloc(n + 3);

	/* The array and its MESSAGE_MAX_VALUES - 1 elements. */
	memset(text, '1', n);
	for (size_t i = 0; i < n; i += 2)
		text[i] = ',';
	text[0] = '[';
	text[n] = ']';
	ck_assert_no_err(message_text_parse(text, n + 1, NULL, &value));
	json_object_put(value);
	value = NULL;
	memcpy(text + n, ",1]", 3);
	struct error *err = message_text_parse(text, n + 3, NULL, &value);
	free(text);
	ck_assert_err(err, ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_message_text_commas_in_strings_are_no_values)
{
	struct json_object *value = NULL;
	char *text = malloc(3 * MESSAGE_MAX_VALUES);

	memset(text, ',', 3 * MESSAGE_MAX_VALUES);
	text[0] = text[3 * MESSAGE_MAX_VALUES - 1] = '"';
	ck_assert_no_err(message_text_parse(text, 3 * MESSAGE_MAX_VALUES, NULL, &value));
	json_object_put(value);
	free(text);
}
END_TEST

START_TEST(test_message_text_long_numbers_are_bounded)
{
	struct json_object *value = NULL;
	char text[1400];

	memset(text, '1', sizeof(text));
	memcpy(text, "0.", 2);
	ck_assert_err(message_text_parse(text, sizeof(text), NULL, &value), ERR_PARSE_ERROR);
	ck_assert_no_err(message_text_parse(text, 1000, NULL, &value));
	json_object_put(value);
}
END_TEST

START_TEST(test_message_text_every_prefix_of_a_request_fails)
{
	static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":-1.5e3,\"method\":\"\\u0041\\uD83D\\uDE00\","
				   "\"params\":{\"a\":[true,null,{\"b\":\"\xc3\xa9\"}]}}";

	for (size_t i = 0; i < strlen(text); i++) {
		struct json_object *value = NULL;
		char *copy = malloc(i ? i : 1);

		memcpy(copy, text, i);
		struct error *err = message_text_parse(copy, i, NULL, &value);
		free(copy);
		ck_assert_err(err, ERR_PARSE_ERROR);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/message_text");
	TCase *tc = tcase_create("message_text_parse");

	tcase_add_loop_test(tc, test_message_text_accepts, 0, COUNT(good));
	tcase_add_loop_test(tc, test_message_text_refuses, 0, COUNT(bad));
	tcase_add_test(tc, test_message_text_refuses_a_nul_byte);
	tcase_add_loop_test(tc, test_message_text_nests_up_to_the_limit, 0, 2);
	tcase_add_test(tc, test_message_text_bounds_the_number_of_values);
	tcase_add_test(tc, test_message_text_commas_in_strings_are_no_values);
	tcase_add_test(tc, test_message_text_long_numbers_are_bounded);
	tcase_add_test(tc, test_message_text_every_prefix_of_a_request_fails);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
