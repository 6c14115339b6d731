/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/param_error: messages for wrong parameters. params.c tests which parameters are wrong. */
#include "check_main.h"
#include "error_detail.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "rpc/param_error.h"

static const struct param fields[] = {
	{.name = "target", .kind = PARAM_TARGET, .required = true},
	{.name = "max_stop_ms", .kind = PARAM_INT, .min = 1, .max = 60000},
	{.name = "mode", .kind = PARAM_ENUM, .names = (const char *const[]){"stop", "observe", NULL}},
	{.name = "dirs",
	 .kind = PARAM_ARRAY,
	 .max = 8,
	 .item_kind = PARAM_STRING,
	 .item_min = 1,
	 .item_max = 99,
	 .absolute = true},
	{.name = NULL},
};

static struct error *mistyped(const struct param *field, int index, struct json_object *value)
{
	struct error *err = param_error_mistyped(&(struct param_place){field, value, index});

	json_object_put(value);
	return err;
}

START_TEST(test_mistyped_says_where_what_and_what_not)
{
	struct error *err = mistyped(&fields[1], -1, json_object_new_int(0));

	ck_assert_str_eq(err->message, "/params/max_stop_ms must be an integer from 1 to 60000, not 0");
	ck_assert_str_eq(error_detail_of(err, "pointer"), "/params/max_stop_ms");
	ck_assert_str_eq(error_detail_of(err, "expected"), "an integer from 1 to 60000");
	ck_assert_str_eq(error_detail_of(err, "got"), "0");
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_mistyped_lists_the_names)
{
	struct error *err = mistyped(&fields[2], -1, json_object_new_string("Stop"));

	ck_assert_str_eq(error_detail_of(err, "expected"), "one of \"stop\", \"observe\"");
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_mistyped_counts_in_arrays)
{
	struct error *err = mistyped(&fields[3], 2, json_object_new_string("d"));

	ck_assert_str_eq(error_detail_of(err, "pointer"), "/params/dirs/2");
	ck_assert_str_eq(error_detail_of(err, "expected"), "an absolute path of 1 to 99 bytes");
	ck_assert_err(err, ERR_INVALID_PARAMS);
	err = mistyped(&fields[3], -1, json_object_new_object());
	ck_assert_str_eq(error_detail_of(err, "expected"), "an array of 0 to 8 absolute paths");
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_mistyped_cuts_long_values_between_characters)
{
	char text[5000];
	/* Two-byte characters: a careless cut would split one. */
	size_t n = (size_t)snprintf(text, sizeof(text), "x");

	for (int i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\xc3\xa9");
	struct error *err = mistyped(&fields[0], -1, json_object_new_string(text));
	const char *got = error_detail_of(err, "got");
	ck_assert_uint_lt(strlen(err->message), 200);
	ck_assert_ptr_nonnull(strstr(got, "..."));
	ck_assert_int_eq((unsigned char)got[strlen(got) - 4], 0xa9);
	error_destroy(err);
}
END_TEST

START_TEST(test_missing_says_what_is_wanted)
{
	struct error *err = param_error_missing(&fields[0]);

	ck_assert_str_eq(error_detail_of(err, "pointer"), "/params/target");
	ck_assert_str_eq(error_detail_of(err, "expected"), "a target id such as \"t1\"");
	ck_assert_str_eq(error_detail_of(err, "got"), "nothing");
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_unknown_near_miss_gets_a_hint)
{
	struct error *err = param_error_unknown(fields, "maxstop_ms");

	ck_assert_str_eq(error_hint_text(err), "did you mean \"max_stop_ms\"?");
	ck_assert_str_eq(error_detail_of(err, "expected"), "\"max_stop_ms\"");
	error_destroy(err);
}
END_TEST

START_TEST(test_unknown_names_are_escaped_in_the_pointer)
{
	struct error *err = param_error_unknown(fields, "a/b~c");

	ck_assert_str_eq(error_detail_of(err, "pointer"), "/params/a~1b~0c");
	ck_assert_str_eq(error_detail_of(err, "expected"), "no such member");
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/param_error");
	TCase *tc = tcase_create("param_error");

	tcase_add_test(tc, test_mistyped_says_where_what_and_what_not);
	tcase_add_test(tc, test_mistyped_lists_the_names);
	tcase_add_test(tc, test_mistyped_counts_in_arrays);
	tcase_add_test(tc, test_mistyped_cuts_long_values_between_characters);
	tcase_add_test(tc, test_missing_says_what_is_wanted);
	tcase_add_test(tc, test_unknown_near_miss_gets_a_hint);
	tcase_add_test(tc, test_unknown_names_are_escaped_in_the_pointer);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
