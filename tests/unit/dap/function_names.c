/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/function_names.c. */
#include "function_names.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"
#include "two_levels.h"

static struct json_object *parse_names(void)
{
	return dap_message_parse(two_levels_names, sizeof(two_levels_names) - 1);
}

START_TEST(test_function_names_program_parts)
{
	static const char *const parts[][2] = {
		{"solve._omp_fn.0", "solve"},	  {"main.omp_outlined", "main"},
		{".omp_outlined.", NULL},	  {"work", "work"},
		{".omp_outlined._debug__", NULL}, {"main.omp_outlined_debug__.1", "main"},
		{"main(.omp_outlined)", "main"}};
	struct json_object *names = parse_names();

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *part = function_names_program_part(names, parts[i][0]);

		if (parts[i][1])
			ck_assert_str_eq(part, parts[i][1]);
		else
			ck_assert_ptr_null(part);
		free(part);
	}
	json_object_put(names);
}
END_TEST

START_TEST(test_function_names_kinds)
{
	struct json_object *names = parse_names();

	ck_assert(function_names_is_body(names, "solve._omp_fn.0") && !function_names_is_body(names, "solve"));
	ck_assert(function_names_is_fork(names, "GOMP_parallel_sections") &&
		  !function_names_is_fork(names, "GOMP_task"));
	ck_assert(function_names_is_runtime(names, "GOMP_task") && !function_names_is_runtime(names, "main"));
	/* A function without a name is the runtime's, whatever the names are. */
	ck_assert(function_names_is_runtime(NULL, "??") && function_names_is_runtime(NULL, ""));
	ck_assert(!function_names_is_runtime(NULL, "GOMP_task") && !function_names_is_body(NULL, "solve._omp_fn.0"));
	json_object_put(names);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/function_names");
	TCase *tcase = tcase_create("function_names");

	tcase_add_test(tcase, test_function_names_program_parts);
	tcase_add_test(tcase, test_function_names_kinds);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
