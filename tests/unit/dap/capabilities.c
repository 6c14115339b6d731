/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/dap/capabilities.c. */
#include "capabilities.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "message.h"

static struct json_object *parse(const char *text)
{
	return dap_message_parse(text, strlen(text));
}

START_TEST(test_capabilities_what_needs_one)
{
	ck_assert_str_eq(capabilities_needed("readMemory"), "supportsReadMemoryRequest");
	ck_assert_str_eq(capabilities_needed("setInstructionBreakpoints"), "supportsInstructionBreakpoints");
	ck_assert_ptr_null(capabilities_needed("next"));
	ck_assert_ptr_null(capabilities_needed("vendor/thing"));
}
END_TEST

START_TEST(test_capabilities_ours_stand_behind_the_natives)
{
	struct json_object *native =
		parse("{\"supportsX\":true,\"exceptionBreakpointFilters\":[{\"filter\":\"cpp\",\"label\":\"C\"}]}");
	struct json_object *both = capabilities_with_ours(native, true);
	struct json_object *filters = dap_message_array(both, "exceptionBreakpointFilters");

	ck_assert(dap_message_bool(both, "supportsX") && dap_message_bool(both, "supportsFunctionBreakpoints"));
	ck_assert(dap_message_bool(both, "supportsStepInTargetsRequest"));
	ck_assert_str_eq(dap_message_string(json_object_array_get_idx(filters, 0), "filter"), "cpp");
	ck_assert_str_eq(dap_message_string(json_object_array_get_idx(filters, 1), "filter"), "omp_parallel_begin");
	ck_assert_uint_eq(dap_message_length(dap_message_array(native, "exceptionBreakpointFilters")), 1);
	json_object_put(both);
	both = capabilities_with_ours(native, false);
	ck_assert(!json_object_object_get_ex(both, "supportsStepInTargetsRequest", NULL));
	json_object_put(both);
	json_object_put(native);
}
END_TEST

START_TEST(test_capabilities_an_observer_never_ends_a_process)
{
	for (int stops = 0; stops < 2; stops++) {
		struct json_object *own = capabilities_of_observer(stops);

		ck_assert(!dap_message_bool(own, "supportTerminateDebuggee"));
		ck_assert(!dap_message_bool(own, "supportsTerminateRequest"));
		ck_assert_int_eq(dap_message_bool(own, "supportsStepInTargetsRequest"), stops);
		json_object_put(own);
	}
}
END_TEST

START_TEST(test_capabilities_a_change_takes_back_what_is_gone)
{
	struct json_object *before = parse("{\"supportsA\":true,\"supportsB\":true,\"supportsC\":false,\"list\":[1]}");
	struct json_object *now = parse("{\"supportsB\":true}");
	struct json_object *change = capabilities_change(before, now);

	ck_assert(json_object_object_get_ex(change, "supportsA", NULL) && !dap_message_bool(change, "supportsA"));
	ck_assert(dap_message_bool(change, "supportsB"));
	ck_assert(!json_object_object_get_ex(change, "supportsC", NULL));
	ck_assert_uint_eq(dap_message_length(dap_message_array(change, "list")), 0);
	json_object_put(change);
	change = capabilities_change(NULL, now);
	ck_assert_int_eq(json_object_object_length(change), 1);
	json_object_put(change);
	json_object_put(before);
	json_object_put(now);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap/capabilities");
	TCase *tcase = tcase_create("capabilities");

	tcase_add_test(tcase, test_capabilities_what_needs_one);
	tcase_add_test(tcase, test_capabilities_ours_stand_behind_the_natives);
	tcase_add_test(tcase, test_capabilities_an_observer_never_ends_a_process);
	tcase_add_test(tcase, test_capabilities_a_change_takes_back_what_is_gone);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
