/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/control/control: events in the target, their reports, and what they end. */
#include "worker/control/control.h"

#include "fake_hits.h"
#include "worker/control/breakpoint_list.h"

#define EVENT(params)	"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" params "}\n"
#define LOST_AND_EXITED EVENT("{\"count\":3,\"type\":\"lost\"}") EVENT("{\"tid\":5,\"type\":\"thread_exited\"}")

static void happens(struct target_event e)
{
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

START_TEST(test_threads_and_forks_are_told_of)
{
	happens((struct target_event){.kind = TARGET_EVENT_THREAD_STARTED, .tid = 5});
	ck_assert(emitted("{\"tid\":5,\"type\":\"thread_started\"}"));
	happens((struct target_event){.kind = TARGET_EVENT_FORKED, .tid = 5, .value = 77});
	ck_assert(emitted("{\"tid\":5,\"child\":77,\"type\":\"fork\"}"));
	happens((struct target_event){.kind = TARGET_EVENT_THREAD_EXITED, .tid = 5, .n_lost = 3});
	/* The report of events that the tracer could not keep comes first. */
	ck_assert_uint_eq(w.events.len, strlen(LOST_AND_EXITED));
	ck_assert(emitted(LOST_AND_EXITED));
}
END_TEST

START_TEST(test_hit_that_is_nobodys_passes)
{
	come(100, WORK, USER, 0);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_int_eq(w.holder, -1);
	ck_assert_uint_eq(w.events.len, 0);
}
END_TEST

START_TEST(test_hit_that_is_nobodys_leaves_it_held)
{
	hold();
	come(100, WORK, USER, 0);
	ck_assert(target_is_stopped(w.target));
	ck_assert_int_eq(w.holder, 1);
	ck_assert_int_eq(w.stop.reason, STOP_REQUEST);
}
END_TEST

START_TEST(test_hit_while_another_holds_stays_his)
{
	w.client = 7;
	set_function();
	w.client = 1;
	hold();
	come(100, WORK, USER, 0);
	ck_assert_int_eq(w.holder, 1);
	ck_assert_int_eq(w.stop.reason, STOP_BREAKPOINT);
}
END_TEST

START_TEST(test_exec_leaves_nothing_of_the_old_program)
{
	set_function();
	come(100, WORK, USER, 0);
	emitted("");
	happens((struct target_event){.kind = TARGET_EVENT_EXECED});
	ck_assert_int_eq(w.holder, -1);
	ck_assert_int_eq(w.stop.reason, STOP_NONE);
	ck_assert_uint_eq(w.breakpoints->n, 0);
	ck_assert(emitted("\"type\":\"exec\""));
	happens((struct target_event){.kind = TARGET_EVENT_EXECED});
	ck_assert_uint_eq(w.events.len, 0);
}
END_TEST

START_TEST(test_without_its_tracer_nothing_is_held)
{
	set_function();
	hold();
	emitted("");
	happens((struct target_event){.kind = TARGET_EVENT_TRACER_LOST});
	ck_assert_int_eq(w.holder, -1);
	ck_assert_uint_eq(w.breakpoints->n, 0);
	ck_assert(emitted("\"type\":\"tracer_lost\""));
}
END_TEST

START_TEST(test_end_of_the_program)
{
	struct target_event e = {.kind = TARGET_EVENT_EXITED, .value = 0x300};

	set_function();
	come(100, WORK, USER, 0);
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
	ck_assert_int_eq(w.holder, -1);
	ck_assert_int_eq(w.exit_status, 0x300);
	ck_assert_uint_eq(w.breakpoints->n, 0);
}
END_TEST

START_TEST(test_the_end_is_told_with_its_status)
{
	happens((struct target_event){.kind = TARGET_EVENT_EXITED, .value = 0x300});
	ck_assert_uint_eq(w.events.len, 0);
	worker_target_exited(&w);
	ck_assert(emitted("{\"exit\":{\"status\":3},\"type\":\"exited\"}"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/control");
	TCase *tc = tcase_create("control");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_threads_and_forks_are_told_of);
	tcase_add_test(tc, test_hit_that_is_nobodys_passes);
	tcase_add_test(tc, test_hit_that_is_nobodys_leaves_it_held);
	tcase_add_test(tc, test_hit_while_another_holds_stays_his);
	tcase_add_test(tc, test_exec_leaves_nothing_of_the_old_program);
	tcase_add_test(tc, test_without_its_tracer_nothing_is_held);
	tcase_add_test(tc, test_end_of_the_program);
	tcase_add_test(tc, test_the_end_is_told_with_its_status);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
