/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of breakpoint.*, target.step and `stop` of target.info on the fake library's world. */
#include "check_main.h"

#include <string.h>

#include "fake_worker.h"
#include "worker/control/control.h"

#define FUNCTION 0x401000 /* "my_task._omp_fn.0" */

static void setup(void)
{
	fake_worker_begin(TARGET_STOP, "");
}

static void teardown(void)
{
	fake_worker_end();
}

static void come(pid_t tid, uint64_t address)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = tid, .address = address};

	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

static void assert_refused(const char *method, const char *params, enum error_code code)
{
	struct json_object *o = NULL;

	ck_assert_err(fake_worker_try(method, params, &o), code);
	ck_assert_ptr_null(o);
}

START_TEST(test_set_and_list)
{
	struct json_object *o =
		fake_worker_call("breakpoint.set", "{\"function\":\"my_task._omp_fn.0\",\"thread\":101}");

	ck_assert_int_eq(int_at(o, "breakpoint"), 1);
	ck_assert_str_eq(text_at(o, "kind"), "function");
	ck_assert_str_eq(text_at(o, "places.0.address"), "0x401000");
	ck_assert_str_eq(text_at(o, "places.0.function"), "my_task._omp_fn.0");
	ck_assert_int_eq(int_at(o, "places.0.offset"), 0);
	ck_assert_int_eq(int_at(o, "thread"), 101);
	ck_assert(json_object_get_boolean(at(o, "own")));
	json_object_put(o);
	w.client = 2;
	o = fake_worker_call("breakpoint.list", "{}");
	ck_assert_uint_eq(json_object_array_length(at(o, "breakpoints")), 1);
	ck_assert(!json_object_get_boolean(at(o, "breakpoints.0.own")));
	json_object_put(o);
	assert_refused("breakpoint.delete", "{\"breakpoint\":1}", ERR_NO_SUCH_BREAKPOINT);
	w.client = 1;
	json_object_put(fake_worker_call("breakpoint.delete", "{\"breakpoint\":1}"));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

START_TEST(test_exactly_one_place)
{
	assert_refused("breakpoint.set", "{}", ERR_INVALID_PARAMS);
	assert_refused("breakpoint.set", "{\"function\":\"f\",\"event\":\"task_begin\"}", ERR_INVALID_PARAMS);
	assert_refused("breakpoint.set", "{\"file\":\"f.c\"}", ERR_INVALID_PARAMS);
	assert_refused("breakpoint.set", "{\"line\":1,\"function\":\"f\"}", ERR_INVALID_PARAMS);
	assert_refused("breakpoint.set", "{\"function\":\"nowhere\"}", ERR_SYMBOL_NOT_FOUND);
	/* The fake's modules have no files. */
	assert_refused("breakpoint.set", "{\"file\":\"f.c\",\"line\":1}", ERR_SYMBOL_NOT_FOUND);
	assert_refused("breakpoint.set", "{\"event\":\"task_begin\"}", ERR_EVENT_UNAVAILABLE);
}
END_TEST

START_TEST(test_stop_of_a_hit)
{
	json_object_put(fake_worker_call("breakpoint.set", "{\"address\":\"0x401004\"}"));
	come(101, FUNCTION + 4);
	struct json_object *o = fake_worker_call("target.info", "{}");

	ck_assert_str_eq(text_at(o, "state"), "breakpoint");
	ck_assert_str_eq(text_at(o, "stop.reason"), "breakpoint");
	ck_assert_int_eq(int_at(o, "stop.breakpoint"), 1);
	ck_assert_int_eq(int_at(o, "stop.tid"), 101);
	ck_assert_str_eq(text_at(o, "stop.address"), "0x401004");
	ck_assert_str_eq(text_at(o, "stop.function"), "my_task._omp_fn.0");
	ck_assert_int_eq(int_at(o, "stop.offset"), 4);
	/* The condition names a region and a task. */
	ck_assert_ptr_nonnull(strstr(text_at(o, "stop.parallel"), "t1:e1:par:"));
	ck_assert_ptr_nonnull(strstr(text_at(o, "stop.task"), "t1:e1:task:"));
	json_object_put(o);
	w.client = 2;
	assert_refused("target.resume", "{}", ERR_TARGET_HELD);
	assert_refused("breakpoint.set", "{\"address\":\"0x401000\"}", ERR_TARGET_HELD);
	w.client = 1;
	json_object_put(fake_worker_call("target.resume", "{}"));
}
END_TEST

START_TEST(test_hit_of_a_thread_without_openmp)
{
	json_object_put(fake_worker_call("breakpoint.set", "{\"address\":\"0x401000\"}"));
	come(199, FUNCTION);
	struct json_object *o = fake_worker_call("target.info", "{}");

	ck_assert_ptr_nonnull(at(o, "stop.parallel.rc"));
	ck_assert_ptr_nonnull(at(o, "stop.task.rc"));
	json_object_put(o);
}
END_TEST

START_TEST(test_step)
{
	assert_refused("target.step", "{\"kind\":\"instruction\"}", ERR_NOT_STOPPED);
	json_object_put(fake_worker_call("target.stop", "{}"));
	struct json_object *o = fake_worker_call("target.step", "{\"kind\":\"instruction\",\"thread\":102}");

	ck_assert_str_eq(text_at(o, "kind"), "instruction");
	ck_assert_str_eq(text_at(o, "state"), "held");
	ck_assert_int_eq(int_at(o, "thread"), 102);
	ck_assert_int_eq(int_at(o, "epoch"), 2);
	json_object_put(o);
	o = fake_worker_call("target.info", "{}");
	ck_assert_str_eq(text_at(o, "state"), "held");
	ck_assert_str_eq(text_at(o, "stop.reason"), "step");
	ck_assert_str_eq(text_at(o, "stop.step"), "instruction");
	json_object_put(o);
	/* Without a thread, the default is the thread of the stop. */
	o = fake_worker_call("target.step", "{\"kind\":\"instruction\"}");
	ck_assert_int_eq(int_at(o, "thread"), 102);
	json_object_put(o);
	assert_refused("target.step", "{\"kind\":\"into_parallel\"}", ERR_EVENT_UNAVAILABLE);
	assert_refused("target.step", "{\"kind\":\"sideways\"}", ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_step_on_its_way)
{
	fake_target_add_symbol(w.target, 0, "GOMP_parallel", 0x21000, 64, false);
	json_object_put(fake_worker_call("target.stop", "{}"));
	struct json_object *o = fake_worker_call("target.step", "{\"kind\":\"into_parallel\"}");

	ck_assert_str_eq(text_at(o, "state"), "running");
	ck_assert_int_eq(int_at(o, "thread"), 100);
	json_object_put(o);
	o = fake_worker_call("target.info", "{}");
	ck_assert_str_eq(text_at(o, "state"), "running");
	ck_assert_str_eq(text_at(o, "step.kind"), "into_parallel");
	ck_assert_uint_eq(json_object_array_length(at(o, "step.arrived")), 0);
	json_object_put(o);
}
END_TEST

START_TEST(test_addresses)
{
	fake_target_add_symbol(w.target, 0, "GOMP_task", 0x22000, 64, false);
	struct json_object *o = fake_worker_call("breakpoint.addresses", "{}");

	ck_assert_uint_eq(json_object_array_length(at(o, "events")), EVENT_KINDS);
	ck_assert_str_eq(text_at(o, "events.2.event"), "task_begin");
	ck_assert_str_eq(text_at(o, "events.2.places.0.function"), "GOMP_task");
	ck_assert_str_eq(text_at(o, "events.2.places.0.point"), "argument_call");
	ck_assert_str_eq(text_at(o, "events.0.places.name"), "event_unavailable");
	json_object_put(o);
}
END_TEST

START_TEST(test_not_in_observe_mode)
{
	teardown();
	fake_worker_begin(TARGET_OBSERVE, "");
	assert_refused("breakpoint.set", "{\"address\":\"0x401000\"}", ERR_MODE_UNSUPPORTED);
	assert_refused("breakpoint.delete", "{\"breakpoint\":1}", ERR_MODE_UNSUPPORTED);
	assert_refused("target.step", "{\"kind\":\"instruction\"}", ERR_MODE_UNSUPPORTED);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("breakpoint");
	TCase *c = tcase_create("methods");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_set_and_list);
	tcase_add_test(c, test_exactly_one_place);
	tcase_add_test(c, test_stop_of_a_hit);
	tcase_add_test(c, test_hit_of_a_thread_without_openmp);
	tcase_add_test(c, test_step);
	tcase_add_test(c, test_step_on_its_way);
	tcase_add_test(c, test_addresses);
	tcase_add_test(c, test_not_in_observe_mode);
	suite_add_tcase(s, c);
	return check_main(s);
}
