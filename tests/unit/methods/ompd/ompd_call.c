/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the methods that map one to one to OMPD, on the fake library's world. */
#include "check_main.h"

#include <string.h>

#include <omp-tools.h>

#include "fake_worker.h"
#include "openmp/plugin/blocks.h"

static void setup(void)
{
	fake_worker_begin(TARGET_STOP, "");
	json_object_put(fake_worker_call("target.stop", "{}"));
}

static void teardown(void)
{
	fake_worker_end();
	ck_assert_uint_eq(blocks_count(), 0);
}

static void assert_rc(const char *method, const char *params, int rc)
{
	struct json_object *none = NULL;
	struct error *err = fake_worker_try(method, params, &none);

	ck_assert_msg(error_is(err, ERR_OMPD), "%s: %s", method, err ? err->message : "no error");
	ck_assert_int_eq(err->ompd_rc, rc);
	error_destroy(err);
}

static void assert_handle(const char *method, const char *params, const char *key, const char *handle)
{
	struct json_object *o = fake_worker_call(method, params);

	ck_assert_str_eq(text_at(o, key), handle);
	ck_assert_int_eq(int_at(o, "epoch"), 1);
	json_object_put(o);
}

#define LWP(tid) "{\"kind\":\"OMPD_THREAD_ID_LWP\",\"thread_id\":" #tid "}"
#define THREAD	 "{\"thread_handle\":\"t1:e1:thr:1\"}"

START_TEST(test_handles_lead_on)
{
	struct json_object *o;

	assert_handle("ompd.get_thread_handle", LWP(101), "thread_handle", "t1:e1:thr:1");
	assert_handle("ompd.get_thread_handle", LWP(101), "thread_handle", "t1:e1:thr:1");
	assert_handle("ompd.get_thread_handle", LWP(102), "thread_handle", "t1:e1:thr:2");
	assert_handle("ompd.get_curr_parallel_handle", THREAD, "parallel_handle", "t1:e1:par:1");
	assert_handle("ompd.get_enclosing_parallel_handle", "{\"parallel_handle\":\"t1:e1:par:1\"}",
		      "enclosing_parallel_handle", "t1:e1:par:2");
	assert_handle("ompd.get_curr_task_handle", THREAD, "task_handle", "t1:e1:task:1");
	assert_handle("ompd.get_generating_task_handle", "{\"task_handle\":\"t1:e1:task:1\"}", "generating_task_handle",
		      "t1:e1:task:2");
	assert_handle("ompd.get_scheduling_task_handle", "{\"task_handle\":\"t1:e1:task:1\"}", "scheduling_task_handle",
		      "t1:e1:task:2");
	assert_handle("ompd.get_task_parallel_handle", "{\"task_handle\":\"t1:e1:task:1\"}", "task_parallel_handle",
		      "t1:e1:par:1");
	assert_handle("ompd.get_task_in_parallel", "{\"parallel_handle\":\"t1:e1:par:1\",\"thread_num\":1}",
		      "task_handle", "t1:e1:task:2");
	assert_handle("ompd.get_thread_in_parallel", "{\"parallel_handle\":\"t1:e1:par:1\",\"thread_num\":2}",
		      "thread_handle", "t1:e1:thr:2");
	o = fake_worker_call("ompd.get_thread_id",
			     "{\"thread_handle\":\"t1:e1:thr:2\",\"kind\":\"OMPD_THREAD_ID_LWP\"}");
	ck_assert_str_eq(text_at(o, "thread_id"), "0x66");
	json_object_put(o);
}
END_TEST

START_TEST(test_codes_are_passed_on)
{
	assert_rc("ompd.get_thread_handle", LWP(199), ompd_rc_unavailable);
	assert_rc("ompd.get_thread_handle", "{\"kind\":\"OMPD_THREAD_ID_CUDALOGICAL\",\"thread_id\":1}",
		  ompd_rc_unsupported);
	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(100)));
	json_object_put(fake_worker_call("ompd.get_curr_parallel_handle", THREAD));
	assert_rc("ompd.get_thread_in_parallel", "{\"parallel_handle\":\"t1:e1:par:1\",\"thread_num\":-1}",
		  ompd_rc_bad_input);
	assert_rc("ompd.get_tool_data", "{\"scope\":\"ompd_scope_address_space\"}", ompd_rc_unsupported);
	/* Routines of OpenMP 5.2, which a 5.0 library lacks. */
	assert_rc("ompd.get_device_from_thread", THREAD, ompd_rc_unsupported);
	assert_rc("ompd.get_device_thread_id_kinds", "{}", ompd_rc_unsupported);
	assert_rc("ompd.device_initialize", "{\"kind\":\"OMPD_DEVICE_KIND_CUDA\",\"id\":0}", ompd_rc_unsupported);
}
END_TEST

START_TEST(test_state_and_icvs)
{
	struct json_object *o;

	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(101)));
	o = fake_worker_call("ompd.get_state", THREAD);
	ck_assert_int_eq(int_at(o, "state"), ompt_state_wait_barrier);
	ck_assert_str_eq(text_at(o, "wait_id"), "0x5000");
	json_object_put(o);
	o = fake_worker_call("ompd.get_icv_from_scope",
			     "{\"handle\":\"t1:e1:thr:1\",\"scope\":\"ompd_scope_thread\",\"icv_id\":4}");
	ck_assert_int_eq(int_at(o, "icv_value"), 1);
	json_object_put(o);
	o = fake_worker_call("ompd.get_icv_string_from_scope", "{\"scope\":\"ompd_scope_global\",\"icv_id\":11}");
	ck_assert_str_eq(text_at(o, "icv_string"), "passive");
	json_object_put(o);
}
END_TEST

START_TEST(test_scope_and_handle_must_fit)
{
	struct json_object *none = NULL;

	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(101)));
	ck_assert_err(
		fake_worker_try("ompd.get_icv_from_scope", "{\"scope\":\"ompd_scope_thread\",\"icv_id\":4}", &none),
		ERR_INVALID_PARAMS);
	ck_assert_err(fake_worker_try("ompd.get_icv_from_scope",
				      "{\"handle\":\"t1:e1:thr:1\",\"scope\":\"ompd_scope_task\","
				      "\"icv_id\":6}",
				      &none),
		      ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_enumerations)
{
	struct json_object *o = fake_worker_call("ompd.enumerate_icvs", "{\"current\":2}");

	ck_assert_int_eq(int_at(o, "next_id"), 3);
	ck_assert_str_eq(text_at(o, "next_icv_name"), "team-size-var");
	ck_assert_str_eq(text_at(o, "next_scope"), "ompd_scope_parallel");
	ck_assert_int_eq(int_at(o, "more"), 1);
	json_object_put(o);
	o = fake_worker_call("ompd.enumerate_states", "{}");
	ck_assert_int_eq(int_at(o, "next_state"), 0x200);
	ck_assert_str_eq(text_at(o, "next_state_name"), "fake_state");
	json_object_put(o);
}
END_TEST

START_TEST(test_display_control_vars)
{
	struct json_object *o = fake_worker_call("ompd.get_display_control_vars", "{}");

	ck_assert_str_eq(text_at(o, "control_vars.0"), "OMP_FAKE=1");
	ck_assert_str_eq(text_at(o, "control_vars.1"), "OMP_\\xff=2");
	ck_assert_uint_eq(json_object_array_length(at(o, "control_vars")), 2);
	json_object_put(o);
	/* A client cannot free another connection's list. */
	w.client = 2;
	assert_rc("ompd.rel_display_control_vars", "{}", ompd_rc_bad_input);
	w.client = 1;
	json_object_put(fake_worker_call("ompd.rel_display_control_vars", "{}"));
	assert_rc("ompd.rel_display_control_vars", "{}", ompd_rc_bad_input);
	/* The library's lists end with the library. */
	json_object_put(fake_worker_call("ompd.get_display_control_vars", "{}"));
	json_object_put(fake_worker_call("ompd.finalize", "{}"));
	assert_rc("ompd.rel_display_control_vars", "{}", ompd_rc_bad_input);
}
END_TEST

START_TEST(test_compare_and_release)
{
	struct json_object *o;

	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(101)));
	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(100)));
	o = fake_worker_call("ompd.thread_handle_compare", "{\"thread_handle_1\":\"t1:e1:thr:1\","
							   "\"thread_handle_2\":\"t1:e1:thr:2\"}");
	ck_assert_int_gt(int_at(o, "cmp_value"), 0);
	json_object_put(o);
	json_object_put(fake_worker_call("ompd.rel_thread_handle", THREAD));
	assert_rc("ompd.rel_thread_handle", THREAD, ompd_rc_stale_handle);
	assert_rc("ompd.get_state", THREAD, ompd_rc_stale_handle);
	o = fake_worker_call("handle.release", "{\"handles\":[\"t1:e1:thr:2\",\"t1:e1:thr:2\"]}");
	ck_assert_int_eq(int_at(o, "released"), 1);
	json_object_put(o);
}
END_TEST

START_TEST(test_handles_of_a_short_stop_are_stale)
{
	json_object_put(fake_worker_call("target.resume", "{}"));
	struct json_object *o = fake_worker_call("ompd.get_thread_handle", LWP(101));

	ck_assert_str_eq(text_at(o, "thread_handle"), "t1:e2:thr:1");
	json_object_put(o);
	size_t stops = fake_target_n_stops(w.target);

	assert_rc("ompd.get_state", "{\"thread_handle\":\"t1:e2:thr:1\"}", ompd_rc_stale_handle);
	/* The call does not justify a stop of the target. */
	ck_assert_uint_eq(fake_target_n_stops(w.target), stops);
}
END_TEST

START_TEST(test_library)
{
	struct json_object *o = fake_worker_call("ompd.get_api_version", "{}");

	ck_assert_int_eq(int_at(o, "version"), 202111);
	json_object_put(o);
	o = fake_worker_call("ompd.get_version_string", "{}");
	ck_assert_str_eq(text_at(o, "string"), "fake");
	json_object_put(o);
	o = fake_worker_call("ompd.get_omp_version_string", "{}");
	ck_assert_str_eq(text_at(o, "string"), "a fake (GCC 99)");
	json_object_put(o);
	assert_handle("ompd.process_initialize", "{}", "host_handle", "t1:e1:as:1");
	assert_handle("ompd.process_initialize", "{}", "host_handle", "t1:e1:as:2");
	o = fake_worker_call("ompd.get_omp_version", "{\"address_space\":\"t1:e1:as:2\"}");
	ck_assert_int_eq(int_at(o, "omp_version"), 202111);
	json_object_put(o);
	json_object_put(fake_worker_call("ompd.rel_address_space_handle", "{\"handle\":\"t1:e1:as:1\"}"));
}
END_TEST

START_TEST(test_initialize_again_and_finalize)
{
	json_object_put(fake_worker_call("ompd.get_thread_handle", LWP(101)));
	json_object_put(fake_worker_call("ompd.finalize", "{}"));
	ck_assert_uint_eq(blocks_count(), 0);
	assert_rc("ompd.get_state", THREAD, ompd_rc_stale_handle);
	assert_handle("ompd.get_thread_handle", LWP(101), "thread_handle", "t1:e1:thr:2");
	assert_rc("ompd.initialize", "{\"api_version\":199001}", ompd_rc_unsupported);
	assert_handle("ompd.get_thread_handle", LWP(101), "thread_handle", "t1:e1:thr:3");
	json_object_put(fake_worker_call("ompd.initialize", "{\"api_version\":202111}"));
	assert_handle("ompd.get_thread_handle", LWP(101), "thread_handle", "t1:e1:thr:4");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompd");
	TCase *t = tcase_create("ompd");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_handles_lead_on);
	tcase_add_test(t, test_codes_are_passed_on);
	tcase_add_test(t, test_state_and_icvs);
	tcase_add_test(t, test_scope_and_handle_must_fit);
	tcase_add_test(t, test_enumerations);
	tcase_add_test(t, test_display_control_vars);
	tcase_add_test(t, test_compare_and_release);
	tcase_add_test(t, test_handles_of_a_short_stop_are_stale);
	tcase_add_test(t, test_library);
	tcase_add_test(t, test_initialize_again_and_finalize);
	suite_add_tcase(s, t);
	return check_main(s);
}
