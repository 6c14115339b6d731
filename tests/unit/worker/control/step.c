/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of steps into regions and of instruction steps: which threads arrive, which wait, and how a step ends. */
#include "worker/control/step.h"

#include "fake_hits.h"

static void assert_step_over(pid_t tid, uint64_t address)
{
	ck_assert(target_is_stopped(w.target));
	ck_assert_int_eq(w.holder, 1);
	ck_assert_int_eq(w.stop.reason, STOP_STEP);
	ck_assert_int_eq(w.stop.tid, tid);
	ck_assert_uint_eq(w.stop.address, address);
	ck_assert(!step_is_active(w.step));
	ck_assert(emitted("\"reason\":\"step\""));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
	for (pid_t member = 100; member < 103; member++)
		ck_assert(!fake_target_is_parked(w.target, member));
}

START_TEST(test_into_a_region)
{
	size_t n;

	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 1);
	/* This arrival is another thread's. */
	come(101, GOMP_PARALLEL, USER, WORK);
	come(100, GOMP_PARALLEL, USER, REGION);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 0);
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 1);
	/* Until the thread itself arrives, the team of thread 199 is unknown. */
	come(199, REGION, INSIDE, 0);
	come(102, REGION, INSIDE, 0);
	ck_assert(fake_target_is_parked(w.target, 199) && fake_target_is_parked(w.target, 102));
	come(100, REGION, INSIDE, 0);
	ck_assert(!fake_target_is_parked(w.target, 199) && fake_target_is_parked(w.target, 102));
	ck_assert(!target_is_stopped(w.target));
	come(199, REGION, INSIDE, 0);
	ck_assert(!fake_target_is_parked(w.target, 199));
	ck_assert(step_is_active(w.step));
	come(101, REGION, INSIDE, 0);
	assert_step_over(100, REGION);
	step_arrived(w.step, &n);
	ck_assert_uint_eq(n, 3);
}
END_TEST

START_TEST(test_into_from_the_entry_point)
{
	set((struct breakpoint_spec){.kind = BREAKPOINT_EVENT, .event = EVENT_PARALLEL_BEGIN});
	come(100, GOMP_PARALLEL, USER, 0);
	struct target_registers registers = {.known = TARGET_ALL_REGISTERS};

	registers.value[TARGET_REGISTER_SP] = STACK + 256;
	registers.value[TARGET_REGISTER_PC] = GOMP_PARALLEL;
	registers.value[arch->arguments[0]] = REGION;
	fake_target_set_registers(w.target, 100, &registers);
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 1);
	/* The breakpoint's own place. */
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 1);
}
END_TEST

/* Until the call returns, on the same stack; calls of the thread within it do not count. */
START_TEST(test_over_a_region)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = 100, .address = USER};

	hold();
	ck_assert_no_err(worker_step(&w, STEP_OVER_PARALLEL, 100));
	come(101, GOMP_PARALLEL, USER, REGION);
	ck_assert(!target_is_stopped(w.target));
	come(100, GOMP_PARALLEL, USER, REGION);
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 0);
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 0);
	ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 1);
	e.registers.value[TARGET_REGISTER_SP] = STACK + 128;
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
	ck_assert(!target_is_stopped(w.target));
	e.registers.value[TARGET_REGISTER_SP] = RETURNED;
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
	ck_assert(target_is_stopped(w.target));
	ck_assert_int_eq(w.stop.reason, STOP_STEP);
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

START_TEST(test_function_that_is_none)
{
	fake_target_refuse_plant(w.target, 0x10);
	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	come(100, GOMP_PARALLEL, USER, 0x10);
	assert_step_over(100, GOMP_PARALLEL);
}
END_TEST

START_TEST(test_stop_ends_a_step)
{
	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	come(100, GOMP_PARALLEL, USER, REGION);
	come(101, REGION, INSIDE, 0);
	ck_assert(fake_target_is_parked(w.target, 101));
	hold();
	ck_assert_int_eq(w.stop.reason, STOP_REQUEST);
	ck_assert(!step_is_active(w.step) && !fake_target_is_parked(w.target, 101));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
	resume();
}
END_TEST

START_TEST(test_breakpoint_ends_a_step)
{
	set_function();
	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	come(101, WORK, USER, 0);
	ck_assert_int_eq(w.stop.reason, STOP_BREAKPOINT);
	ck_assert(!step_is_active(w.step));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 0);
}
END_TEST

START_TEST(test_step_of_a_client_that_is_gone)
{
	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	come(100, GOMP_PARALLEL, USER, REGION);
	come(101, REGION, INSIDE, 0);
	worker_client_gone(&w, 2);
	ck_assert(step_is_active(w.step));
	worker_client_gone(&w, 1);
	ck_assert(!step_is_active(w.step) && !target_is_stopped(w.target));
	ck_assert(!fake_target_is_parked(w.target, 101));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

START_TEST(test_step_of_a_thread_that_has_ended)
{
	struct target_event e = {.kind = TARGET_EVENT_THREAD_EXITED, .tid = 101};

	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	worker_take_event(&w, &e);
	ck_assert(step_is_active(w.step));
	e.tid = 100;
	worker_take_event(&w, &e);
	ck_assert(!step_is_active(w.step) && !target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
	ck_assert(emitted("{\"tid\":100,\"type\":\"thread_exited\"}"));
	ck_assert(!emitted("\"reason\":\"step\""));
}
END_TEST

/* The target could not be stopped to end the step. */
START_TEST(test_step_of_a_client_that_is_gone_ends_with_the_next_hit)
{
	hold();
	ck_assert_no_err(worker_step(&w, STEP_INTO_PARALLEL, 100));
	fake_target_fail(w.target, ERR_STOP_TIMEOUT);
	worker_client_gone(&w, 1);
	fake_target_recover(w.target);
	ck_assert(step_is_active(w.step));
	come(100, GOMP_PARALLEL, USER, REGION);
	ck_assert(!step_is_active(w.step) && !target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

START_TEST(test_instruction)
{
	struct target_registers registers = {.known = TARGET_ALL_REGISTERS};

	registers.value[TARGET_REGISTER_PC] = WORK;
	hold();
	fake_target_set_registers(w.target, 101, &registers);
	ck_assert_no_err(worker_step(&w, STEP_INSTRUCTION, 101));
	ck_assert_uint_eq(fake_target_n_steps(w.target), 1);
	ck_assert_uint_eq(w.epoch, 2);
	assert_step_over(101, WORK + 1);
}
END_TEST

START_TEST(test_step_refusals)
{
	ck_assert_err(worker_step(&w, STEP_INSTRUCTION, 100), ERR_NOT_STOPPED);
	hold();
	ck_assert_err(worker_step(&w, STEP_INTO_PARALLEL, 7), ERR_STEP_IMPOSSIBLE);
	/* The fake's threads have no stacks. */
	ck_assert_err(worker_step(&w, STEP_OUT_OF_PARALLEL, 101), ERR_STEP_IMPOSSIBLE);
	ck_assert_int_eq(w.holder, 1);
	ck_assert(!step_is_active(w.step));
	w.client = 2;
	ck_assert_err(worker_step(&w, STEP_INSTRUCTION, 100), ERR_TARGET_HELD);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/control/step");
	TCase *tc = tcase_create("step");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_into_a_region);
	tcase_add_test(tc, test_into_from_the_entry_point);
	tcase_add_test(tc, test_over_a_region);
	tcase_add_test(tc, test_function_that_is_none);
	tcase_add_test(tc, test_stop_ends_a_step);
	tcase_add_test(tc, test_breakpoint_ends_a_step);
	tcase_add_test(tc, test_step_of_a_client_that_is_gone);
	tcase_add_test(tc, test_step_of_a_thread_that_has_ended);
	tcase_add_test(tc, test_step_of_a_client_that_is_gone_ends_with_the_next_hit);
	tcase_add_test(tc, test_instruction);
	tcase_add_test(tc, test_step_refusals);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
