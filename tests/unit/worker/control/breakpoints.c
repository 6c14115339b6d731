/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of worker/control/breakpoints.c: which hits count for which breakpoint, and what it plants in the target. */
#include "fake_hits.h"
#include "worker/control/breakpoint_list.h"

/* Thread @tid returns to @address. */
static void come_back(pid_t tid, uint64_t address, uint64_t sp)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = tid, .address = address};

	e.registers.value[TARGET_REGISTER_SP] = sp;
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

START_TEST(test_hit_holds_for_who_made_it)
{
	w.client = 7;
	uint32_t number = set_function();

	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, WORK), 1);
	w.client = 1;
	come(101, WORK, USER, 0);
	ck_assert(target_is_stopped(w.target));
	ck_assert_int_eq(w.holder, 7);
	ck_assert_int_eq(w.stop.reason, STOP_BREAKPOINT);
	ck_assert_int_eq(w.stop.tid, 101);
	ck_assert_uint_eq(w.stop.breakpoint, number);
	ck_assert_uint_eq(w.stop.address, WORK);
	ck_assert_uint_eq(w.epoch, 1);
	ck_assert(emitted("\"type\":\"breakpoint\""));
	ck_assert_uint_eq(breakpoints_find(w.breakpoints, number)->n_hits, 1);
}
END_TEST

START_TEST(test_thread_and_once)
{
	set((struct breakpoint_spec){.kind = BREAKPOINT_FUNCTION, .function = "work", .tid = 102, .once = true});
	come(101, WORK, USER, 0);
	ck_assert(!target_is_stopped(w.target));
	ck_assert(!emitted("breakpoint"));
	come(102, WORK, USER, 0);
	ck_assert_int_eq(w.holder, 1);
	ck_assert_uint_eq(w.breakpoints->n, 0);
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
	ck_assert_uint_eq(w.stop.breakpoint, 1);
}
END_TEST

START_TEST(test_first_of_two_is_told)
{
	uint32_t first = set_function(), second = set_function();

	ck_assert_uint_eq(fake_target_n_planted(w.target, WORK), 2);
	come(100, WORK, USER, 0);
	ck_assert_uint_eq(w.stop.breakpoint, first);
	ck_assert_uint_eq(breakpoints_find(w.breakpoints, second)->n_hits, 1);
	ck_assert_no_err(breakpoints_delete(&w, first));
	ck_assert(target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, WORK), 1);
	ck_assert_err(breakpoints_delete(&w, first), ERR_NO_SUCH_BREAKPOINT);
	w.client = 2;
	ck_assert_err(breakpoints_delete(&w, second), ERR_NO_SUCH_BREAKPOINT);
}
END_TEST

START_TEST(test_calls_of_the_runtime_do_not_count)
{
	set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_PARALLEL_BEGIN});
	come(100, GOMP_PARALLEL, INSIDE, 0);
	ck_assert(!target_is_stopped(w.target));
	come(100, GOMP_PARALLEL, USER, 0);
	ck_assert(target_is_stopped(w.target));
	ck_assert(w.stop.has_event && w.stop.event == EVENT_PARALLEL_BEGIN);
	ck_assert(emitted("\"event\":\"parallel_begin\""));
}
END_TEST

START_TEST(test_return)
{
	set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_PARALLEL_END});
	come(100, GOMP_PARALLEL, USER, 0);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 1);
	/* Another thread, and another call of this thread, further in. */
	come_back(101, USER, RETURNED);
	come_back(100, USER, STACK + 128);
	ck_assert(!target_is_stopped(w.target));
	come_back(100, USER, RETURNED);
	ck_assert(target_is_stopped(w.target));
	ck_assert(w.stop.event == EVENT_PARALLEL_END);
	ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 0);
}
END_TEST

/* A thread to which the function returns false does not execute the construct. */
START_TEST(test_return_of_what_counts)
{
	set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_SINGLE_BEGIN});
	for (int result = 0; result < 2; result++) {
		struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = 100, .address = USER};

		come(100, GOMP_SINGLE, USER, 0);
		ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 1);
		/* A bool result does not change the rest of its register. */
		e.registers.value[arch->result] = 0x7f00 + (uint64_t)result;
		e.registers.value[TARGET_REGISTER_SP] = RETURNED;
		fake_target_push_event(w.target, &e);
		worker_target_events(&w);
		ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 0);
		ck_assert_int_eq(target_is_stopped(w.target), result);
	}
	ck_assert(w.stop.event == EVENT_SINGLE_BEGIN);
}
END_TEST

START_TEST(test_learnt_from_an_argument)
{
	uint32_t number = set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_TASK_BEGIN});

	for (int i = 0; i < 2; i++)
		come(100, GOMP_TASK, USER, REGION);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(breakpoints_find(w.breakpoints, number)->n_places, 2);
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 1);
	come(102, REGION, INSIDE, 0);
	ck_assert_int_eq(w.stop.tid, 102);
	ck_assert_no_err(breakpoints_delete(&w, number));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

START_TEST(test_refused_place_leaves_nothing)
{
	const struct breakpoint *b;
	const struct breakpoint_spec spec = {.kind = BREAKPOINT_ADDRESS, .address = 0x10};

	fake_target_refuse_plant(w.target, 0x10);
	ck_assert_err(breakpoints_set(&w, &spec, &b), ERR_BREAKPOINT_IMPOSSIBLE);
	ck_assert_uint_eq(w.breakpoints->n, 0);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_limit)
{
	const struct breakpoint *b;
	const struct breakpoint_spec spec = {.kind = BREAKPOINT_FUNCTION, .function = "work"};

	for (int i = 0; i < BREAKPOINTS_MAX; i++)
		ck_assert_no_err(breakpoints_set(&w, &spec, &b));
	ck_assert_err(breakpoints_set(&w, &spec, &b), ERR_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_client_gone)
{
	set_function();
	w.client = 2;
	uint32_t other = set_function();
	worker_client_gone(&w, 1);
	ck_assert_uint_eq(w.breakpoints->n, 1);
	ck_assert_ptr_nonnull(breakpoints_find(w.breakpoints, other));
	ck_assert_uint_eq(fake_target_n_planted(w.target, WORK), 1);
	/* Also when the client holds the target at a breakpoint. */
	come(100, WORK, USER, 0);
	ck_assert_int_eq(w.holder, 2);
	worker_client_gone(&w, 2);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

/* The target could not be stopped to remove them. */
START_TEST(test_breakpoints_of_nobody_stop_nothing)
{
	set_function();
	set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_PARALLEL_END});
	come(100, GOMP_PARALLEL, USER, 0);
	fake_target_fail(w.target, ERR_STOP_TIMEOUT);
	worker_client_gone(&w, 1);
	fake_target_recover(w.target);
	come(100, WORK, USER, 0);
	ck_assert(!target_is_stopped(w.target));
	come_back(100, USER, RETURNED);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

/* Lets the tracer ask about a thread while all others run. */
static bool ask(pid_t tid, uint64_t address)
{
	struct target_event e = {.kind = TARGET_EVENT_ASK, .tid = tid, .address = address};
	bool counts;

	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
	ck_assert_int_eq(fake_target_answered(w.target, &counts), tid);
	return counts;
}

static struct breakpoint_spec on_thread(int64_t number)
{
	return (struct breakpoint_spec){.kind = BREAKPOINT_FUNCTION,
					.function = "work",
					.condition = {.has_thread_num = true, .thread_num = number}};
}

START_TEST(test_condition)
{
	uint32_t number = set(on_thread(1));

	/* Thread 199 is not an OpenMP thread. */
	ck_assert(!ask(100, WORK) && ask(101, WORK) && !ask(102, WORK) && !ask(199, WORK));
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(breakpoints_find(w.breakpoints, number)->n_undecided, 0);
	come(101, WORK, USER, 0);
	ck_assert_int_eq(w.stop.tid, 101);
	resume();
	/* The tracer does not ask about a thread that arrived while all were stopped. */
	come(102, WORK, USER, 0);
	ck_assert(!target_is_stopped(w.target));
}
END_TEST

START_TEST(test_condition_level)
{
	struct breakpoint_spec spec = {
		.kind = BREAKPOINT_FUNCTION, .function = "work", .condition = {.has_level = true}};

	spec.condition.level = 1;
	set(spec);
	ck_assert(ask(100, WORK));
	spec.condition.level = 0;
	w.client = 2;
	set(spec);
	worker_client_gone(&w, 1);
	ck_assert(!ask(100, WORK));
}
END_TEST

/*
 * A thread that was asked about is not counted again at its hit. A thread that was not asked about is counted once, at
 * its hit.
 */
START_TEST(test_condition_and_counts)
{
	struct breakpoint_spec spec = on_thread(1);

	spec.after = 1;
	spec.every = 2;
	uint32_t number = set(spec);
	const struct breakpoint *b = breakpoints_find(w.breakpoints, number);
	ck_assert(!ask(101, WORK) && !ask(101, WORK));
	ck_assert_uint_eq(breakpoints_passed(&w, b), 2);
	ck_assert(ask(101, WORK));
	come(101, WORK, USER, 0);
	ck_assert(target_is_stopped(w.target));
	ck_assert_uint_eq(breakpoints_passed(&w, b), 3);
	ck_assert_uint_eq(b->n_hits, 1);
	resume();
	come(101, WORK, USER, 0);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(breakpoints_passed(&w, b), 4);
}
END_TEST

START_TEST(test_condition_that_is_never_known)
{
	const struct breakpoint *b;
	struct breakpoint_spec spec = {
		.kind = BREAKPOINT_FUNCTION, .function = "work", .condition = {.region = "work"}};

	ck_assert_err(breakpoints_set(&w, &spec, &b), ERR_CONDITION_UNAVAILABLE);
	spec.condition.region = "nothing";
	ck_assert_err(breakpoints_set(&w, &spec, &b), ERR_SYMBOL_NOT_FOUND);
	ck_assert_uint_eq(w.breakpoints->n, 0);
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
	/* The region is known where it is passed as an argument. */
	set((struct breakpoint_spec){
		.kind = BREAKPOINT_EVENT, .event = EVENT_PARALLEL_BEGIN, .condition = {.region = "work"}});
	come(100, GOMP_PARALLEL, USER, REGION);
	ck_assert(!target_is_stopped(w.target));
	come(100, GOMP_PARALLEL, USER, WORK);
	ck_assert(target_is_stopped(w.target));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/control/breakpoints");
	TCase *tc = tcase_create("breakpoints");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_hit_holds_for_who_made_it);
	tcase_add_test(tc, test_thread_and_once);
	tcase_add_test(tc, test_first_of_two_is_told);
	tcase_add_test(tc, test_calls_of_the_runtime_do_not_count);
	tcase_add_test(tc, test_return);
	tcase_add_test(tc, test_return_of_what_counts);
	tcase_add_test(tc, test_learnt_from_an_argument);
	tcase_add_test(tc, test_refused_place_leaves_nothing);
	tcase_add_test(tc, test_limit);
	tcase_add_test(tc, test_client_gone);
	tcase_add_test(tc, test_breakpoints_of_nobody_stop_nothing);
	tcase_add_test(tc, test_condition);
	tcase_add_test(tc, test_condition_level);
	tcase_add_test(tc, test_condition_and_counts);
	tcase_add_test(tc, test_condition_that_is_never_known);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
