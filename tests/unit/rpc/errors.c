/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/errors: error objects as clients get them. */
#include "check_main.h"

#include <json-c/json.h>
#include <string.h>

#include "rpc/errors.h"

static void expect(struct error *err, const char *text)
{
	struct json_object *object = errors_to_json(err);

	ck_assert_str_eq(
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), text);
	json_object_put(object);
	error_destroy(err);
}

START_TEST(test_errors_have_code_message_name_and_hint)
{
	expect(error_hint(error_create(ERR_NO_SUCH_TARGET, "no target t9"), "try t1"),
	       "{\"code\":-32003,\"message\":\"no target "
	       "t9\",\"data\":{\"name\":\"no_such_target\",\"hint\":\"try t1\"}}");
}
END_TEST

START_TEST(test_errors_details_become_members_of_data)
{
	struct error *err = error_hint(error_create(ERR_INVALID_PARAMS, "m"), "h");

	err = error_detail(err, "pointer", "/params/pid");
	err = error_detail(err, "got", "\"x\"");
	expect(err, "{\"code\":-32602,\"message\":\"m\",\"data\":{\"name\":\"invalid_params\","
		    "\"hint\":\"h\","
		    "\"pointer\":\"/params/pid\",\"got\":\"\\\"x\\\"\"}}");
}
END_TEST

START_TEST(test_errors_ompd_code_carries_its_rc)
{
	expect(error_create_ompd(1, "ompd_get_state"),
	       "{\"code\":2001,\"message\":\"ompd_get_state returned ompd_rc_unavailable\","
	       "\"data\":{\"name\":\"ompd_rc_unavailable\",\"hint\":\"\",\"rc\":1}}");
}
END_TEST

START_TEST(test_errors_text_that_is_not_utf8_is_escaped)
{
	expect(error_detail(error_hint(error_create(ERR_NO_SUCH_TARGET, "a\xff\xc3\xa9"), "h\xc3"), "k",
			    "\xed\xa0\x80"),
	       "{\"code\":-32003,\"message\":\"a\\\\xff\xc3\xa9\",\"data\":{\"name\":\"no_such_"
	       "target\",\"hint\":\"h\\\\xc3\","
	       "\"k\":\"\\\\xed\\\\xa0\\\\x80\"}}");
}
END_TEST

START_TEST(test_errors_nomem_can_be_told)
{
	struct json_object *object = errors_to_json(&error_nomem);

	ck_assert_ptr_nonnull(strstr(json_object_to_json_string(object), "out of memory"));
	json_object_put(object);
}
END_TEST

START_TEST(test_errors_numbers_and_names_are_unique)
{
	for (int a = 0; a < ERR_OMPD; a++) {
		struct error x = {.code = (enum error_code)a};

		for (int b = a + 1; b < ERR_OMPD; b++) {
			struct error y = {.code = (enum error_code)b};

			ck_assert_int_ne(error_number(&x), error_number(&y));
			ck_assert_str_ne(error_name(&x), error_name(&y));
		}
		ck_assert(error_number(&x) < 2000 || error_number(&x) >= 3000);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/errors");
	TCase *tc = tcase_create("errors_to_json");

	tcase_add_test(tc, test_errors_have_code_message_name_and_hint);
	tcase_add_test(tc, test_errors_details_become_members_of_data);
	tcase_add_test(tc, test_errors_ompd_code_carries_its_rc);
	tcase_add_test(tc, test_errors_text_that_is_not_utf8_is_escaped);
	tcase_add_test(tc, test_errors_nomem_can_be_told);
	tcase_add_test(tc, test_errors_numbers_and_names_are_unique);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
