/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/dispatch: methods and handlers by name. */
#include "check_main.h"

#include <json-c/json.h>
#include <string.h>

#include "rpc/dispatch.h"

static int called;

static struct error *handler(void *context, struct json_object *params, struct json_object **ret)
{
	ck_assert_ptr_eq(context, &called);
	ck_assert(json_object_is_type(params, json_type_object));
	called++;
	*ret = json_object_new_object();
	return NULL;
}

static const struct method_handler handlers[] = {{"daemon.info", handler}, {NULL, NULL}};

START_TEST(test_dispatch_find_knows_where_a_method_runs)
{
	ck_assert_int_eq(dispatch_find("daemon.info")->where, METHOD_IN_DAEMON);
	ck_assert_int_eq(dispatch_find("snapshot.get")->where, METHOD_IN_WORKER);
	ck_assert_int_eq(dispatch_find("snapshot.get")->role, METHOD_ROLE_NONE);
	ck_assert_int_eq(dispatch_find("target.launch")->role, METHOD_ROLE_LAUNCH);
	ck_assert_str_eq(dispatch_find("ompd.get_state")->name, "ompd.get_state");
}
END_TEST

START_TEST(test_dispatch_find_unknown_is_null)
{
	ck_assert_ptr_null(dispatch_find(""));
	ck_assert_ptr_null(dispatch_find("Daemon.info"));
	ck_assert_ptr_null(dispatch_find("daemon.info "));
	ck_assert_ptr_null(dispatch_find("zzz"));
}
END_TEST

START_TEST(test_dispatch_call_reaches_the_handler)
{
	struct json_object *params = json_object_new_object();
	struct json_object *result = NULL;

	called = 0;
	ck_assert_no_err(dispatch_call(handlers, &called, "daemon.info", params, &result));
	ck_assert_int_eq(called, 1);
	json_object_put(result);
	ck_assert_err(dispatch_call(handlers, &called, "target.list", params, &result), ERR_METHOD_NOT_FOUND);
	ck_assert_int_eq(called, 1);
	json_object_put(params);
}
END_TEST

START_TEST(test_dispatch_unknown_suggests)
{
	struct error *err = dispatch_unknown("snapshot.gte");

	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "did you mean snapshot.get?"));
	ck_assert_err(err, ERR_METHOD_NOT_FOUND);
	err = dispatch_unknown("make.coffee");
	ck_assert_ptr_null(strstr(error_hint_text(err), "did you mean"));
	error_destroy(err);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/dispatch");
	TCase *tc = tcase_create("dispatch");

	tcase_add_test(tc, test_dispatch_find_knows_where_a_method_runs);
	tcase_add_test(tc, test_dispatch_find_unknown_is_null);
	tcase_add_test(tc, test_dispatch_call_reaches_the_handler);
	tcase_add_test(tc, test_dispatch_unknown_suggests);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
