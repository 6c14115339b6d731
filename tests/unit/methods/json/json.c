/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/json/json. */
#include "check_main.h"

#include <stdint.h>

#include "base/error.h"
#include "methods/json/json.h"
#include "worker/worker.h"

static void assert_text(struct json_object *o, const char *text)
{
	ck_assert_str_eq(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), text);
	json_object_put(o);
}

START_TEST(test_hex)
{
	assert_text(json_hex(0), "\"0x0\"");
	assert_text(json_hex(0x7f2c4a3f1740), "\"0x7f2c4a3f1740\"");
	assert_text(json_hex(UINT64_MAX), "\"0xffffffffffffffff\"");
}
END_TEST

START_TEST(test_word_is_hex_where_doubles_end)
{
	assert_text(json_word(-1), "-1");
	assert_text(json_word((1ll << 53) - 1), "9007199254740991");
	assert_text(json_word(1ll << 53), "\"0x20000000000000\"");
	assert_text(json_word(INT64_MIN), "\"0x8000000000000000\"");
	assert_text(json_number_or_hex(UINT64_MAX), "\"0xffffffffffffffff\"");
	assert_text(json_number_or_hex(5), "5");
}
END_TEST

START_TEST(test_reason_of_an_error)
{
	struct error *err = error_create(ERR_NO_OPENMP_RUNTIME, "none");

	struct json_object *o = json_reason(err);

	ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "rc")), "ompd_rc_unavailable");
	ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "name")), "no_openmp_runtime");
	ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "message")), "none");
	json_object_put(o);
	error_destroy(err);
	assert_text(json_reason(NULL), "{\"rc\":\"ompd_rc_unavailable\"}");
}
END_TEST

START_TEST(test_view)
{
	struct view view = {.epoch = 3, .consistency = VIEW_RACY};
	struct json_object *o = json_object_new_object();

	json_put_view(o, &view);
	assert_text(o, "{\"epoch\":3,\"consistency\":\"racy\",\"stopped_us\":0}");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("json");
	TCase *t = tcase_create("json");

	tcase_add_test(t, test_hex);
	tcase_add_test(t, test_word_is_hex_where_doubles_end);
	tcase_add_test(t, test_reason_of_an_error);
	tcase_add_test(t, test_view);
	suite_add_tcase(s, t);
	return check_main(s);
}
