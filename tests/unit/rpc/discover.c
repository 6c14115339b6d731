/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests that the generated table and the OpenRPC document agree. Every method is in both, and every example of the
 * schema passes its decoder.
 */
#include "check_main.h"

#include <json-c/json.h>
#include <string.h>

#include "methods.h"
#include "rpc/discover.h"

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	ck_assert_msg(json_object_object_get_ex(object, key, &value), "no %s", key);
	return value;
}

static struct json_object *documented_methods(void)
{
	static struct json_object *document;

	if (!document)
		ck_assert_no_err(discover_document(&document));
	return get(document, "methods");
}

START_TEST(test_methods_table_is_sorted)
{
	for (size_t i = 1; i < methods_table_n; i++)
		ck_assert_str_lt(methods_table[i - 1].name, methods_table[i].name);
}
END_TEST

START_TEST(test_methods_all_are_documented)
{
	struct json_object *methods = documented_methods();

	ck_assert_uint_eq(json_object_array_length(methods), methods_table_n);
	for (size_t i = 0; i < methods_table_n; i++) {
		struct json_object *m = json_object_array_get_idx(methods, i);

		ck_assert_str_eq(json_object_get_string(get(m, "name")), methods_table[i].name);
	}
}
END_TEST

START_TEST(test_methods_have_all_routines_of_openmp_5_2)
{
	int n = 0;

	for (size_t i = 0; i < methods_table_n; i++)
		n += !strncmp(methods_table[i].name, "ompd.", 5);
	ck_assert_int_eq(n, 37);
}
END_TEST

START_TEST(test_methods_examples_pass_their_decoders)
{
	struct json_object *methods = documented_methods();
	int n = 0;

	for (size_t i = 0; i < methods_table_n; i++) {
		struct json_object *examples = get(json_object_array_get_idx(methods, i), "examples");

		for (size_t j = 0; j < json_object_array_length(examples); j++, n++) {
			struct json_object *pairs = get(json_object_array_get_idx(examples, j), "params");
			struct json_object *params = json_object_new_object();

			for (size_t k = 0; k < json_object_array_length(pairs); k++) {
				struct json_object *pair = json_object_array_get_idx(pairs, k);

				json_object_object_add(params, json_object_get_string(get(pair, "name")),
						       json_object_get(get(pair, "value")));
			}
			struct error *err = methods_table[i].check(params);
			ck_assert_msg(!err, "%s: %s", methods_table[i].name, err ? err->message : "");
			json_object_put(params);
		}
	}
	ck_assert_int_gt(n, 50);
}
END_TEST

START_TEST(test_methods_empty_params_fail_where_some_are_required)
{
	struct json_object *methods = documented_methods();
	struct json_object *params = json_object_new_object();

	for (size_t i = 0; i < methods_table_n; i++) {
		struct json_object *list = get(json_object_array_get_idx(methods, i), "params");
		bool required = false;

		for (size_t j = 0; j < json_object_array_length(list); j++)
			required = required ||
				   json_object_get_boolean(get(json_object_array_get_idx(list, j), "required"));
		struct error *err = methods_table[i].check(params);
		ck_assert_msg((err != NULL) == required, "%s", methods_table[i].name);
		error_destroy(err);
	}
	json_object_put(params);
}
END_TEST

START_TEST(test_methods_discover_shares_one_document)
{
	struct json_object *a = NULL, *b = NULL;

	ck_assert_no_err(discover_document(&a));
	ck_assert_no_err(discover_document(&b));
	ck_assert_ptr_eq(a, b);
	json_object_put(a);
	json_object_put(b);
	ck_assert_uint_eq(strlen(openrpc_json), openrpc_json_len);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("methods");
	TCase *tc = tcase_create("methods_table");

	tcase_add_test(tc, test_methods_table_is_sorted);
	tcase_add_test(tc, test_methods_all_are_documented);
	tcase_add_test(tc, test_methods_have_all_routines_of_openmp_5_2);
	tcase_add_test(tc, test_methods_examples_pass_their_decoders);
	tcase_add_test(tc, test_methods_empty_params_fail_where_some_are_required);
	tcase_add_test(tc, test_methods_discover_shares_one_document);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
