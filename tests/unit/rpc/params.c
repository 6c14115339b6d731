/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/params through the generated decoders: every kind of parameter, right and wrong. */
#include "check_main.h"
#include "error_detail.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "methods.h"
#include "rpc/params.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static struct json_object *json;

static void teardown(void)
{
	json_object_put(json);
	json = NULL;
}

/* Parses parameters from JSON text; they are valid until the next call or the end of the test. */
static struct json_object *params(const char *text)
{
	json_object_put(json);
	json = json_tokener_parse(text);
	ck_assert_msg(json != NULL, "not JSON: %s", text);
	return json;
}

START_TEST(test_params_defaults_are_filled_in)
{
	struct target_attach_params p;

	ck_assert_no_err(target_attach_params_decode(params("{\"pid\":42}"), &p));
	ck_assert_int_eq(p.pid, 42);
	ck_assert_int_eq(p.mode, TARGET_ATTACH_MODE_STOP);
	ck_assert_int_eq(p.max_stop_ms, 200);
}
END_TEST

START_TEST(test_params_enum_becomes_its_constant)
{
	struct target_attach_params p;

	ck_assert_no_err(
		target_attach_params_decode(params("{\"pid\":1,\"mode\":\"observe\",\"max_stop_ms\":60000}"), &p));
	ck_assert_int_eq(p.mode, TARGET_ATTACH_MODE_OBSERVE);
	ck_assert_int_eq(p.max_stop_ms, 60000);
}
END_TEST

static const struct {
	const char *method;
	const char *params;
	const char *pointer;
	const char *got;
} wrong[] = {
	{"target.attach", "{}", "/params/pid", "nothing"},
	{"target.attach", "{\"pid\":\"42\"}", "/params/pid", "\"42\""},
	{"target.attach", "{\"pid\":null}", "/params/pid", "null"},
	{"target.attach", "{\"pid\":4.0}", "/params/pid", "4.0"},
	{"target.attach", "{\"pid\":0}", "/params/pid", "0"},
	{"target.attach", "{\"pid\":-1}", "/params/pid", "-1"},
	{"target.attach", "{\"pid\":2147483648}", "/params/pid", "2147483648"},
	{"target.attach", "{\"pid\":18446744073709551615}", "/params/pid", "18446744073709551615"},
	{"target.attach", "{\"pid\":[1]}", "/params/pid", "an array of 1"},
	{"target.attach", "{\"pid\":{}}", "/params/pid", "an object"},
	{"target.attach", "{\"pid\":true}", "/params/pid", "true"},
	{"target.attach", "{\"pid\":1,\"mode\":\"Stop\"}", "/params/mode", "\"Stop\""},
	{"target.attach", "{\"pid\":1,\"mode\":0}", "/params/mode", "0"},
	{"target.attach", "{\"pid\":1,\"max_stop_ms\":0}", "/params/max_stop_ms", "0"},
	{"target.attach", "{\"pid\":1,\"max_stop_ms\":60001}", "/params/max_stop_ms", "60001"},
	{"target.attach", "{\"pid\":1,\"maxStopMs\":5}", "/params/maxStopMs", "an unknown member"},
	{"target.attach", "{\"pid\":1,\"a/b~c\":5}", "/params/a~1b~0c", "an unknown member"},
	{"target.attach", "{\"pid\":1,\"\":5}", "/params/", "an unknown member"},
	{"target.attach", "[1]", "/params", "(none)"},
	{"target.info", "{}", "/params/target", "nothing"},
	{"target.info", "{\"target\":1}", "/params/target", "1"},
	{"target.info", "{\"target\":\"\"}", "/params/target", "\"\""},
	{"target.info", "{\"target\":\"t0\"}", "/params/target", "\"t0\""},
	{"target.info", "{\"target\":\"t01\"}", "/params/target", "\"t01\""},
	{"target.info", "{\"target\":\"t1 \"}", "/params/target", "\"t1 \""},
	{"target.info", "{\"target\":\"t1234567890\"}", "/params/target", "\"t1234567890\""},
	{"target.info", "{\"target\":\"x1\"}", "/params/target", "\"x1\""},
	{"daemon.info", "{\"x\":1}", "/params/x", "an unknown member"},
	{"target.open_core", "{\"core\":\"c\"}", "/params/core", "\"c\""},
	{"target.open_core", "{\"core\":\"/c\",\"debug_dirs\":[\"/d\",\"\"]}", "/params/debug_dirs/1", "\"\""},
	{"target.open_core", "{\"core\":\"/c\",\"debug_dirs\":[\"d\"]}", "/params/debug_dirs/0", "\"d\""},
	{"target.open_core", "{\"core\":\"/c\",\"debug_dirs\":{}}", "/params/debug_dirs", "an object"},
	{"handle.release", "{\"target\":\"t1\",\"handles\":[]}", "/params/handles", "an array of 0"},
	{"handle.release", "{\"target\":\"t1\",\"handles\":\"t1:e1:par:1\"}", "/params/handles", "\"t1:e1:par:1\""},
	{"handle.release", "{\"target\":\"t1\",\"handles\":[\"t1:e1:par:1\",7]}", "/params/handles/1", "7"},
	{"handle.release", "{\"target\":\"t1\",\"handles\":[null]}", "/params/handles/0", "null"},
	{"handle.release", "{\"target\":\"t1\",\"handles\":[\"t1:e1:foo:1\"]}", "/params/handles/0", "\"t1:e1:foo:1\""},
	{"request.cancel", "{\"id\":null}", "/params/id", "null"},
	{"request.cancel", "{\"id\":1.5}", "/params/id", "1.5"},
	{"rpc.authenticate", "{\"token\":\"\"}", "/params/token", "\"\""},
	{"ompd.get_state", "{\"target\":\"t1\",\"thread_handle\":\"t1:e1:par:1\"}", "/params/thread_handle",
	 "\"t1:e1:par:1\""},
	{"ompd.get_state", "{\"target\":\"t1\",\"thread_handle\":\"t1:e1:thr:\"}", "/params/thread_handle",
	 "\"t1:e1:thr:\""},
	{"ompd.get_state", "{\"target\":\"t1\",\"thread_handle\":\"t1:e1:thr:01\"}", "/params/thread_handle",
	 "\"t1:e1:thr:01\""},
	{"ompd.get_state", "{\"target\":\"t1\",\"thread_handle\":\"t1:1:thr:1\"}", "/params/thread_handle",
	 "\"t1:1:thr:1\""},
	{"ompd.get_state", "{\"target\":\"t1\",\"thread_handle\":\"t1:e1:thr:1:2\"}", "/params/thread_handle",
	 "\"t1:e1:thr:1:2\""},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":\"LWP\",\"thread_id\":1}", "/params/kind", "\"LWP\""},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":1,\"thread_id\":1}", "/params/kind", "1"},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":1100001,\"thread_id\":1}", "/params/kind", "1100001"},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":-1}",
	 "/params/thread_id", "-1"},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":9007199254740992}",
	 "/params/thread_id", "9007199254740992"},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":\"12\"}",
	 "/params/thread_id", "\"12\""},
	{"ompd.get_thread_handle", "{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":\"0x\"}",
	 "/params/thread_id", "\"0x\""},
	{"ompd.get_thread_handle",
	 "{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":\"0x12345678901234567\"}",
	 "/params/thread_id", "\"0x12345678901234567\""},
	{"ompd.get_icv_from_scope", "{\"target\":\"t1\",\"scope\":\"task\",\"icv_id\":1}", "/params/scope", "\"task\""},
	{"ompd.get_icv_from_scope", "{\"target\":\"t1\",\"scope\":3,\"icv_id\":1}", "/params/scope", "3"},
	{"ompd.enumerate_states", "{\"target\":\"t1\",\"current_state\":-9007199254740992}", "/params/current_state",
	 "-9007199254740992"},
};

START_TEST(test_params_wrong_value_is_named)
{
	const struct method *m = dispatch_find(wrong[_i].method);

	ck_assert_ptr_nonnull(m);
	struct error *err = m->check(params(wrong[_i].params));

	ck_assert_msg(err != NULL, "%s accepts %s", wrong[_i].method, wrong[_i].params);
	ck_assert_str_eq(error_detail_of(err, "pointer"), wrong[_i].pointer);
	ck_assert_str_eq(error_detail_of(err, "got"), wrong[_i].got);
	ck_assert_err(err, ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_params_null_params_fail)
{
	ck_assert_err(dispatch_find("daemon.info")->check(NULL), ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_params_error_leaves_the_struct_alone)
{
	struct target_attach_params p = {.pid = 77};

	ck_assert_err(target_attach_params_decode(params("{\"pid\":5,\"mode\":7}"), &p), ERR_INVALID_PARAMS);
	ck_assert_int_eq(p.pid, 77);
}
END_TEST

START_TEST(test_params_strings_are_an_array)
{
	struct target_open_core_params p;

	ck_assert_no_err(
		target_open_core_params_decode(params("{\"core\":\"/c\",\"debug_dirs\":[\"/d\",\"/e\"]}"), &p));
	ck_assert_str_eq(p.core, "/c");
	ck_assert_ptr_null(p.exe);
	ck_assert_uint_eq(p.n_debug_dirs, 2);
	ck_assert_str_eq(p.debug_dirs[1], "/e");
	target_open_core_params_deinit(&p);
	ck_assert_ptr_null(p.debug_dirs);
}
END_TEST

START_TEST(test_params_handles_are_an_array)
{
	struct handle_release_params p;

	ck_assert_no_err(handle_release_params_decode(
		params("{\"target\":\"t2\",\"handles\":[\"t2:e0:as:0\",\"t2:e14:thr:1\",\"t2:e1:par:"
		       "2\",\"t2:e1:task:3\"]}"),
		&p));
	ck_assert_str_eq(p.target, "t2");
	ck_assert_uint_eq(p.n_handles, 4);
	ck_assert_str_eq(p.handles[3], "t2:e1:task:3");
	handle_release_params_deinit(&p);
	ck_assert_ptr_null(p.handles);
	ck_assert_uint_eq(p.n_handles, 0);
}
END_TEST

START_TEST(test_params_handles_are_bounded)
{
	struct handle_release_params p = {0};

	for (int n = 1024; n <= 1025; n++) {
		struct json_object *o = params("{\"target\":\"t1\"}");
		struct json_object *a = json_object_new_array();

		for (int i = 0; i < n; i++)
			json_object_array_add(a, json_object_new_string("t1:e1:par:1"));
		json_object_object_add(o, "handles", a);
		struct error *err = handle_release_params_decode(o, &p);
		if (n == 1024) {
			ck_assert_no_err(err);
			ck_assert_uint_eq(p.n_handles, 1024);
			handle_release_params_deinit(&p);
		} else {
			ck_assert_err(err, ERR_INVALID_PARAMS);
		}
	}
}
END_TEST

START_TEST(test_params_names_become_their_numbers)
{
	struct ompd_get_thread_handle_params p;

	ck_assert_no_err(ompd_get_thread_handle_params_decode(
		params("{\"target\":\"t1\",\"kind\":\"OMPD_THREAD_ID_PTHREAD\",\"thread_id\":"
		       "\"0x7F00deadBEEF0001\"}"),
		&p));
	ck_assert_int_eq(p.kind, 0);
	ck_assert_uint_eq(p.thread_id, 0x7f00deadbeef0001);
	ck_assert_ptr_null(p.handle);
	ck_assert(!p.has_sizeof_thread_id);
	ck_assert_no_err(ompd_get_thread_handle_params_decode(
		params("{\"target\":\"t1\",\"kind\":1000000,\"thread_id\":4711,\"sizeof_thread_id\":0,"
		       "\"handle\":\"t1:e1:as:1\"}"),
		&p));
	ck_assert_int_eq(p.kind, 1000000);
	ck_assert_uint_eq(p.thread_id, 4711);
	ck_assert_str_eq(p.handle, "t1:e1:as:1");
	ck_assert(p.has_sizeof_thread_id);
	ck_assert_int_eq(p.sizeof_thread_id, 0);

	struct ompd_get_icv_from_scope_params icv;
	ck_assert_no_err(ompd_get_icv_from_scope_params_decode(
		params("{\"target\":\"t1\",\"scope\":\"ompd_scope_task\",\"icv_id\":"
		       "\"0xffffffffffffffff\"}"),
		&icv));
	ck_assert_int_eq(icv.scope, 6);
	ck_assert_uint_eq(icv.icv_id, UINT64_MAX);
}
END_TEST

START_TEST(test_params_words_are_signed)
{
	struct ompd_enumerate_states_params p;

	ck_assert_no_err(ompd_enumerate_states_params_decode(params("{\"target\":\"t1\"}"), &p));
	ck_assert_int_eq(p.current_state, 0x102);
	ck_assert_no_err(ompd_enumerate_states_params_decode(
		params("{\"target\":\"t1\",\"current_state\":-9007199254740991}"), &p));
	ck_assert_int_eq(p.current_state, INT64_C(-9007199254740991));
	ck_assert_no_err(ompd_enumerate_states_params_decode(
		params("{\"target\":\"t1\",\"current_state\":\"0xfffffffffffffffe\"}"), &p));
	ck_assert_int_eq(p.current_state, -2);
}
END_TEST

START_TEST(test_params_integers_without_bounds_take_int64)
{
	struct ompd_initialize_params p;

	ck_assert_no_err(
		ompd_initialize_params_decode(params("{\"target\":\"t1\",\"api_version\":9223372036854775807}"), &p));
	ck_assert_int_eq(p.api_version, INT64_MAX);
	ck_assert_no_err(
		ompd_initialize_params_decode(params("{\"target\":\"t1\",\"api_version\":-9223372036854775808}"), &p));
	ck_assert_int_eq(p.api_version, INT64_MIN);
	ck_assert_err(
		ompd_initialize_params_decode(params("{\"target\":\"t1\",\"api_version\":9223372036854775808}"), &p),
		ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_params_id_is_borrowed)
{
	struct request_cancel_params p;

	ck_assert_no_err(request_cancel_params_decode(params("{\"id\":\"x\"}"), &p));
	ck_assert_str_eq(json_object_get_string(p.id), "x");
	ck_assert_no_err(request_cancel_params_decode(params("{\"id\":-3}"), &p));
	ck_assert_int_eq(json_object_get_int(p.id), -3);
}
END_TEST

START_TEST(test_params_env_is_strings_and_nulls)
{
	struct target_launch_params p;
	struct json_object *value;

	ck_assert_no_err(target_launch_params_decode(params("{\"argv\":[\"a\"],\"env\":{\"A\":\"\",\"B\":null}}"), &p));
	ck_assert_int_eq(json_object_object_length(p.env), 2);
	ck_assert(json_object_object_get_ex(p.env, "B", &value) && !value);
	target_launch_params_deinit(&p);
	ck_assert_no_err(target_launch_params_decode(params("{\"argv\":[\"a\"]}"), &p));
	ck_assert_ptr_null(p.env);
	target_launch_params_deinit(&p);
}
END_TEST

START_TEST(test_params_env_names_what_is_wrong)
{
	static const struct {
		const char *env, *pointer;
	} envs[] = {
		{"[]", "/params/env"},
		{"\"A=b\"", "/params/env"},
		{"{\"A\":1}", "/params/env/A"},
		{"{\"A\":[\"b\"]}", "/params/env/A"},
		{"{\"\":\"b\"}", "/params/env/"},
		{"{\"A=B\":\"c\"}", "/params/env/A=B"},
		{"{\"a/b~\":true}", "/params/env/a~1b~0"},
	};
	struct target_launch_params p;

	for (int i = 0; i < COUNT(envs); i++) {
		char text[128];

		snprintf(text, sizeof(text), "{\"argv\":[\"a\"],\"env\":%s}", envs[i].env);
		struct error *err = target_launch_params_decode(params(text), &p);
		ck_assert_msg(err != NULL, "accepted: %s", text);
		ck_assert_int_eq(err->code, ERR_INVALID_PARAMS);
		ck_assert_str_eq(error_detail_of(err, "pointer"), envs[i].pointer);
		error_destroy(err);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/params");
	TCase *tc = tcase_create("params_decode");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_params_defaults_are_filled_in);
	tcase_add_test(tc, test_params_enum_becomes_its_constant);
	tcase_add_loop_test(tc, test_params_wrong_value_is_named, 0, COUNT(wrong));
	tcase_add_test(tc, test_params_null_params_fail);
	tcase_add_test(tc, test_params_error_leaves_the_struct_alone);
	tcase_add_test(tc, test_params_strings_are_an_array);
	tcase_add_test(tc, test_params_handles_are_an_array);
	tcase_add_test(tc, test_params_handles_are_bounded);
	tcase_add_test(tc, test_params_names_become_their_numbers);
	tcase_add_test(tc, test_params_words_are_signed);
	tcase_add_test(tc, test_params_integers_without_bounds_take_int64);
	tcase_add_test(tc, test_params_id_is_borrowed);
	tcase_add_test(tc, test_params_env_is_strings_and_nulls);
	tcase_add_test(tc, test_params_env_names_what_is_wrong);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
