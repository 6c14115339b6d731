/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of snapshot.get and the lists on the fake library's world (tests/support/fake_libompd.c). */
#include "check_main.h"

#include <string.h>

#include "fake_worker.h"

START_TEST(test_snapshot)
{
	fake_worker_begin(TARGET_STOP, "");
	fake_target_set_stopped_us(w.target, 212);
	struct json_object *o = fake_worker_call("snapshot.get", "{}");

	ck_assert_str_eq(text_at(o, "target"), "t1");
	ck_assert_int_eq(int_at(o, "epoch"), 1);
	ck_assert_str_eq(text_at(o, "consistency"), "stopped");
	ck_assert_int_eq(int_at(o, "stopped_us"), 212);
	ck_assert_str_eq(text_at(o, "runtime.kind"), "libgomp");
	ck_assert_str_eq(text_at(o, "runtime.version"), "99");
	ck_assert_str_eq(text_at(o, "plugin.version_string"), "fake");
	ck_assert_uint_eq(json_object_array_length(at(o, "threads")), 4);
	ck_assert_int_eq(int_at(o, "threads.1.thread_num"), 1);
	ck_assert_str_eq(text_at(o, "threads.1.pthread"), "0x8000");
	ck_assert_str_eq(text_at(o, "threads.1.comm"), "te\\xffm");
	ck_assert_str_eq(text_at(o, "threads.1.state.name"), "ompt_state_wait_barrier");
	ck_assert_str_eq(text_at(o, "threads.1.state.source"), "plugin");
	ck_assert_str_eq(text_at(o, "threads.1.wait_id.value"), "0x5000");
	ck_assert_str_eq(text_at(o, "threads.0.wait_id.rc"), "ompd_rc_unavailable");
	ck_assert(!json_object_get_boolean(at(o, "threads.3.openmp")));
	ck_assert_ptr_null(json_object_object_get(at(o, "threads.3"), "state"));
	/* The outermost one comes first. */
	ck_assert_int_eq(int_at(o, "parallels.0.level"), 0);
	ck_assert_str_eq(text_at(o, "parallels.1.handle"), text_at(o, "threads.0.parallel"));
	ck_assert_str_eq(text_at(o, "parallels.1.enclosing"), text_at(o, "parallels.0.handle"));
	ck_assert_str_eq(json_object_to_json_string_ext(at(o, "parallels.1.threads"), JSON_C_TO_STRING_PLAIN),
			 "[100,101,102]");
	ck_assert_str_eq(text_at(o, "icvs.num-procs-var.value"), "2");
	ck_assert_str_eq(text_at(o, "icvs.num-procs-var.scope"), "address_space");
	ck_assert_str_eq(text_at(o, "icvs.wait-policy-var.value"), "passive");
	ck_assert_ptr_null(json_object_object_get(o, "warnings"));
	json_object_put(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_tasks)
{
	fake_worker_begin(TARGET_STOP, "");
	struct json_object *o = fake_worker_call("task.list", "{}");

	/* Thread 101 executes the explicit task. */
	ck_assert_str_eq(text_at(o, "tasks.1.kind"), "explicit");
	ck_assert_int_eq(int_at(o, "tasks.1.thread"), 101);
	ck_assert_str_eq(text_at(o, "tasks.1.function.address"), "0x401000");
	ck_assert_str_eq(text_at(o, "tasks.1.function.symbol"), "my_task._omp_fn.0");
	ck_assert_str_eq(text_at(o, "tasks.1.icvs.nthreads-var.value"), "3,5");
	ck_assert_int_eq(int_at(o, "tasks.1.icvs.nthreads-var.int"), 3);
	ck_assert_ptr_null(json_object_object_get(at(o, "tasks.1.icvs"), "place-partition-var"));
	ck_assert_str_eq(text_at(o, "tasks.0.icvs.place-partition-var.rc"), "ompd_rc_unavailable");
	/* Values that several tasks share appear in each task's output. */
	ck_assert_ptr_nonnull(strstr(json_object_to_json_string(at(o, "tasks.2")), "\"3,5\""));
	json_object_put(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_lists_have_their_part_only)
{
	static const char *const methods[] = {"thread.list", "parallel.list", "task.list", "icv.list"};
	static const char *const parts[] = {"threads", "parallels", "tasks", "icvs"};

	fake_worker_begin(TARGET_STOP, "");
	for (int i = 0; i < 4; i++) {
		struct json_object *o = fake_worker_call(methods[i], "{}");

		for (int k = 0; k < 4; k++)
			ck_assert((json_object_object_get(o, parts[k]) != NULL) == (i == k));
		ck_assert_int_eq(int_at(o, "epoch"), i + 1);
		json_object_put(o);
	}
	fake_worker_end();
}
END_TEST

START_TEST(test_observe_is_racy_and_does_not_stop)
{
	fake_worker_begin(TARGET_OBSERVE, "");
	struct json_object *o = fake_worker_call("snapshot.get", "{}");

	ck_assert_str_eq(text_at(o, "consistency"), "racy");
	ck_assert_int_eq(int_at(o, "stopped_us"), 0);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 0);
	json_object_put(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_failed_walk_resumes_the_target)
{
	struct json_object *o = NULL;

	fake_worker_begin(TARGET_STOP, "null_handle");
	ck_assert_err(fake_worker_try("snapshot.get", "{}", &o), ERR_PLUGIN_MISBEHAVED);
	ck_assert_uint_eq(fake_target_n_stops(w.target), 1);
	ck_assert_uint_eq(fake_target_n_resumes(w.target), 1);
	ck_assert_ptr_null(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_warnings)
{
	fake_worker_begin(TARGET_STOP, "cyclic");
	struct json_object *o = fake_worker_call("snapshot.get", "{}");

	ck_assert_str_eq(text_at(o, "warnings.0.name"), "cyclic_chain");
	json_object_put(o);
	fake_worker_end();
	fake_worker_begin(TARGET_STOP, "endless");
	o = fake_worker_call("snapshot.get", "{}");
	ck_assert_str_eq(text_at(o, "warnings.0.name"), "truncated");
	json_object_put(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_info_does_not_look_at_the_target)
{
	fake_worker_begin(TARGET_STOP, "");
	struct json_object *o = fake_worker_call("target.info", "{}");

	ck_assert_str_eq(text_at(o, "mode"), "stop");
	ck_assert_str_eq(text_at(o, "exe"), "/fake/program");
	ck_assert_int_eq(int_at(o, "epoch"), 0);
	ck_assert_str_eq(text_at(o, "plugin.version_string"), "fake");
	ck_assert_uint_eq(fake_target_n_stops(w.target), 0);
	json_object_put(o);
	fake_worker_end();
}
END_TEST

START_TEST(test_stop_and_resume_are_one_epoch)
{
	struct json_object *none = NULL;

	fake_worker_begin(TARGET_STOP, "");
	struct json_object *o = fake_worker_call("target.stop", "{}");

	ck_assert_str_eq(text_at(o, "state"), "held");
	ck_assert_int_eq(int_at(o, "epoch"), 1);
	json_object_put(o);
	for (int i = 0; i < 2; i++) {
		o = fake_worker_call("snapshot.get", "{}");
		ck_assert_int_eq(int_at(o, "epoch"), 1);
		ck_assert_str_eq(text_at(o, "threads.0.parallel"), "t1:e1:par:1");
		json_object_put(o);
	}
	o = fake_worker_call("target.info", "{}");
	ck_assert_str_eq(text_at(o, "state"), "held");
	json_object_put(o);
	o = fake_worker_call("target.resume", "{}");
	ck_assert_str_eq(text_at(o, "state"), "running");
	json_object_put(o);
	ck_assert_err(fake_worker_try("target.resume", "{}", &none), ERR_NOT_STOPPED);
	fake_worker_end();
}
END_TEST

START_TEST(test_detach_of_what_another_holds)
{
	struct json_object *none = NULL;

	fake_worker_begin(TARGET_STOP, "");
	json_object_put(fake_worker_call("target.stop", "{}"));
	w.client = 2;
	ck_assert_err(fake_worker_try("target.detach", "{}", &none), ERR_TARGET_HELD);
	ck_assert(!w.detached);
	w.client = 1;
	json_object_put(fake_worker_call("target.detach", "{}"));
	ck_assert(w.detached);
	ck_assert_uint_eq(fake_target_n_resumes(w.target), 1);
	fake_worker_end();
}
END_TEST

START_TEST(test_before_attach)
{
	struct json_object *none = NULL;

	w = (struct worker){.write_event = event_write, .plugin_options = {.libompd = FAKE_LIBOMPD}};
	ck_assert_no_err(worker_init(&w, "t1"));
	static const char *const methods[] = {"snapshot.get",  "target.info",	"target.stop",	       "target.resume",
					      "target.detach", "ompd.finalize", "ompd.get_api_version"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		ck_assert_err(fake_worker_try(methods[i], "{}", &none), ERR_NO_SUCH_TARGET);
	fake_worker_end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("state");

	tcase_add_test(t, test_snapshot);
	tcase_add_test(t, test_tasks);
	tcase_add_test(t, test_lists_have_their_part_only);
	tcase_add_test(t, test_observe_is_racy_and_does_not_stop);
	tcase_add_test(t, test_failed_walk_resumes_the_target);
	tcase_add_test(t, test_warnings);
	tcase_add_test(t, test_info_does_not_look_at_the_target);
	tcase_add_test(t, test_stop_and_resume_are_one_epoch);
	tcase_add_test(t, test_detach_of_what_another_holds);
	tcase_add_test(t, test_before_attach);
	suite_add_tcase(s, t);
	return check_main(s);
}
