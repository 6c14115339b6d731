/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/variables.c. */
#include "variables.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"

/* The displayed value of member @name of @text, and its reference. */
static char *shown(const char *text, const char *name, int64_t *reference_ret)
{
	struct variables v = {0};
	struct json_object *value = dap_message_parse(text, strlen(text));
	struct json_object *list = variables_list(&v, variables_add(&v, value), 0, 0);
	char *found = NULL;

	for (size_t i = 0; i < dap_message_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(dap_message_string(one, "name"), name) != 0)
			continue;
		found = strdup(dap_message_string(one, "value"));
		*reference_ret = dap_message_int(one, "variablesReference", -1);
	}
	json_object_put(list);
	json_object_put(value);
	variables_clear(&v);
	return found;
}

static void assert_shown(const char *text, const char *expected, bool opens)
{
	int64_t reference = -1;
	char *value = shown(text, "x", &reference);

	ck_assert_str_eq(value, expected);
	ck_assert_int_eq(reference >= MESSAGE_OWN_IDS, opens);
	ck_assert_int_eq(reference == 0, !opens);
	free(value);
}

START_TEST(test_variables_values_are_shown_as_people_read_them)
{
	assert_shown("{\"x\":7}", "7", false);
	assert_shown("{\"x\":\"a\\u0001b\"}", "a\\x01b", false);
	assert_shown("{\"x\":true}", "yes", false);
	assert_shown("{\"x\":{\"value\":\"dynamic,1\",\"int\":2}}", "dynamic,1", false);
	assert_shown("{\"x\":{\"rc\":\"ompd_rc_unavailable\",\"message\":\"no\"}}", "not available: no", false);
	assert_shown("{\"x\":{\"name\":\"ompt_state_idle\",\"source\":\"inferred\"}}", "ompt_state_idle (inferred)",
		     true);
	assert_shown("{\"x\":[1,2,3]}", "[3]", true);
	assert_shown("{\"x\":[]}", "[0]", false);
	assert_shown("{\"x\":{\"a\":1}}", "{…}", true);
}
END_TEST

START_TEST(test_variables_pages)
{
	struct variables v = {0};
	struct json_object *value = dap_message_parse("{\"x\":[10,11,12,13]}", 19);
	int64_t reference = variables_add(&v, dap_message_array(value, "x"));
	struct json_object *list = variables_list(&v, reference, 1, 2);

	ck_assert_uint_eq(dap_message_length(list), 2);
	ck_assert_str_eq(dap_message_string(json_object_array_get_idx(list, 0), "name"), "[1]");
	ck_assert_str_eq(dap_message_string(json_object_array_get_idx(list, 1), "value"), "12");
	json_object_put(list);
	list = variables_list(&v, reference, INT64_MAX, INT64_MAX);
	ck_assert_uint_eq(dap_message_length(list), 0);
	json_object_put(list);
	list = variables_list(&v, reference, -5, -5);
	ck_assert_uint_eq(dap_message_length(list), 4);
	json_object_put(list);
	json_object_put(value);
	variables_clear(&v);
}
END_TEST

START_TEST(test_variables_references_of_an_earlier_stop_are_none)
{
	struct variables v = {0};
	struct json_object *value = dap_message_parse("{}", 2);
	int64_t reference = variables_add(&v, value);

	variables_clear(&v);
	ck_assert_ptr_null(variables_list(&v, reference, 0, 0));
	ck_assert_ptr_null(variables_list(&v, 0, 0, 0));
	ck_assert_ptr_null(variables_list(&v, -1, 0, 0));
	json_object_put(value);
}
END_TEST

START_TEST(test_variables_a_scope_of_nothing_is_none)
{
	struct variables v = {0};
	struct json_object *scopes = json_object_new_array(), *empty = json_object_new_object();

	variables_add_scope(&v, scopes, "Region", NULL);
	variables_add_scope(&v, scopes, "Region", empty);
	ck_assert_uint_eq(dap_message_length(scopes), 0);
	dap_message_put_int(empty, "level", 1);
	variables_add_scope(&v, scopes, "Region", empty);
	ck_assert_uint_eq(dap_message_length(scopes), 1);
	json_object_put(scopes);
	json_object_put(empty);
	variables_clear(&v);
}
END_TEST

START_TEST(test_variables_that_come_later)
{
	struct variables v = {0};
	struct json_object *scopes = json_object_new_array(), *value = json_object_new_object(), *list;
	size_t what = 0;

	variables_add_later(&v, scopes, "Task ICVs", 41);
	int64_t reference = dap_message_int(json_object_array_get_idx(scopes, 0), "variablesReference", 0);
	ck_assert(variables_waits(&v, reference, &what));
	ck_assert_uint_eq(what, 41);
	dap_message_put_int(value, "level", 1);
	variables_fill(&v, reference, value);
	ck_assert(!variables_waits(&v, reference, &what));
	list = variables_list(&v, reference, 0, 0);
	ck_assert_uint_eq(dap_message_length(list), 1);
	ck_assert(!variables_waits(&v, reference + 1, &what));
	ck_assert(!variables_waits(&v, 0, &what));
	json_object_put(list);
	json_object_put(value);
	json_object_put(scopes);
	variables_clear(&v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/variables");
	TCase *tcase = tcase_create("variables");

	tcase_add_test(tcase, test_variables_values_are_shown_as_people_read_them);
	tcase_add_test(tcase, test_variables_pages);
	tcase_add_test(tcase, test_variables_references_of_an_earlier_stop_are_none);
	tcase_add_test(tcase, test_variables_a_scope_of_nothing_is_none);
	tcase_add_test(tcase, test_variables_that_come_later);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
