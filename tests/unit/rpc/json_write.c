/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/json_write: the output is the same as that of json-c. */
#include "rpc/json_write.h"
#include "check_main.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

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

static void check_same(struct json_object *value)
{
	size_t len, before = out.len;
	const char *expected =
		json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	ck_assert_no_err(json_write(&out, value));
	ck_assert_uint_eq(out.len - before, len);
	ck_assert_mem_eq(buf_head(&out) + before, expected, len);
}

static const char *const texts[] = {
	"{}",
	"[]",
	"[[],{},[{}]]",
	"{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}",
	"[0,-1,9,10,-10,2147483648,9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615]",
	"[1.5,-0.25,1e300]",
	"[\"\",\"/\",\"\\\"\\\\\",\"\\b\\f\\n\\r\\t\",\"\\u0001\\u001f\\u007f\",\"a\\u00e4\\u20ac\\ud83d\\ude00b\"]",
	"{\"\":0,\"a\\\"b\":1,\"\\n\":2}",
	"\"text\"",
	"7",
};

START_TEST(test_json_write_is_what_json_c_writes)
{
	struct json_object *value = json_tokener_parse(texts[_i]);

	ck_assert_ptr_nonnull(value);
	check_same(value);
	check_same(value); /* behind other text */
	json_object_put(value);
}
END_TEST

START_TEST(test_json_write_of_nothing_is_null)
{
	check_same(NULL);
}
END_TEST

START_TEST(test_json_write_of_much)
{
	struct json_object *list = json_object_new_array();
	char text[700];

	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "%0*d", 1 + i % 690, i);
		json_object_array_add(list, json_object_new_string(text));
		json_object_array_add(list, json_object_new_int64(i - 1500));
	}
	check_same(list);
	json_object_put(list);
}
END_TEST

START_TEST(test_json_write_freeze_keeps_the_text)
{
	struct json_object *o = json_tokener_parse("{\"a\":[1,\"x\\ny\"],\"b\":null}");
	struct json_object *list = json_object_new_array();

	json_write_freeze(o);
	check_same(o);
	/* From here on the value is not read. */
	json_object_object_add(o, "c", json_object_new_int(1));
	json_object_array_add(list, json_object_get(o));
	json_object_array_add(list, o);
	buf_consume(&out, out.len);
	ck_assert_no_err(json_write(&out, list));
	static const char expected[] = "[{\"a\":[1,\"x\\ny\"],\"b\":null},{\"a\":[1,\"x\\ny\"],\"b\":null}]";
	ck_assert_uint_eq(out.len, strlen(expected));
	ck_assert_mem_eq(buf_head(&out), expected, out.len);
	json_object_put(list);
}
END_TEST

START_TEST(test_json_text_escapes_invalid_bytes)
{
	struct json_object *plain = json_text("\xc3\xa9"), *escaped = json_text("a\xff");

	ck_assert_str_eq(json_object_get_string(plain), "\xc3\xa9");
	ck_assert_str_eq(json_object_get_string(escaped), "a\\xff");
	json_object_put(plain);
	json_object_put(escaped);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/json_write");
	TCase *tc = tcase_create("json_write");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_json_write_is_what_json_c_writes, 0, COUNT(texts));
	tcase_add_test(tc, test_json_write_of_nothing_is_null);
	tcase_add_test(tc, test_json_write_of_much);
	tcase_add_test(tc, test_json_write_freeze_keeps_the_text);
	tcase_add_test(tc, test_json_text_escapes_invalid_bytes);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
