/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Breakpoints, hits and steps of the worker's connections, on a fake target with a fake runtime (worker/breakpoints.c, control.c, step.c). */
#include "worker/breakpoints.h"

#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "methods/event.h"
#include "openmp/model/model.h"
#include "worker/control.h"
#include "worker/step.h"
#include "worker/worker.h"

#define STACK	      0x700000
#define WORK	      0x401000 /* a function of the program */
#define REGION	      0x402000 /* a region's function */
#define USER	      0x403000 /* a return address in the program */
#define GOMP_PARALLEL 0x21000
#define GOMP_TASK     0x22000
#define INSIDE	      0x2f000 /* a return address in the runtime */

static struct worker w;

static void setup(void)
{
	setenv("FAKE_OMPD", "", 1);
	setenv("FAKE_OMPD_THREADS", "3", 1);
	w = (struct worker){.write_event = event_write, .plugin_options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000}};
	ck_assert_no_err(worker_init(&w, "t1"));
	w.client = 1;
	w.target = fake_target_create(TARGET_STOP);
	size_t program = fake_target_add_module(w.target, "/fake/program", 0x400000, 0x500000, "aa", NULL);
	size_t gomp = fake_target_add_module(w.target, "/lib/libgomp.so.1", 0x20000, 0x30000, "ab", NULL);

	fake_target_add_symbol(w.target, program, "work", WORK, 16, false);
	fake_target_add_symbol(w.target, gomp, "GOMP_parallel", GOMP_PARALLEL, 64, false);
	fake_target_add_symbol(w.target, gomp, "GOMP_task", GOMP_TASK, 64, false);
	for (int i = 0; i < 3; i++)
		fake_target_add_thread(w.target, 100 + i, 0x7000 + 0x1000 * (uint64_t)i, "team");
	fake_target_add_thread(w.target, 199, 0, "other");
	fake_target_map(w.target, STACK, NULL, 4096);
	ck_assert_no_err(model_create(w.target, &w.plugin_options, w.handles, &w.model));
}

static void teardown(void)
{
	worker_deinit(&w);
}

static uint32_t set(struct breakpoint_spec spec)
{
	const struct breakpoint *b = NULL;

	ck_assert_no_err(breakpoints_set(&w, &spec, &b));
	return b->number;
}

static uint32_t set_function(void)
{
	return set((struct breakpoint_spec){.kind = BREAKPOINT_FUNCTION, .function = "work"});
}

/* Thread @tid comes to @address in a call that returns to @return_address. */
static void come(pid_t tid, uint64_t address, uint64_t return_address, uint64_t argument)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = tid, .address = address};

	fake_target_poke_u64(w.target, STACK + 256, return_address);
	e.registers.known = (1u << TARGET_N_REGISTERS) - 1;
	e.registers.value[TARGET_REGISTER_SP] = STACK + 256;
	e.registers.value[TARGET_REGISTER_PC] = address;
	e.arguments[0] = argument;
	fake_target_set_registers(w.target, tid, &e.registers);
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

/* It returns there. */
static void come_back(pid_t tid, uint64_t address, uint64_t sp)
{
	struct target_event e = {.kind = TARGET_EVENT_HIT, .tid = tid, .address = address};

	e.registers.value[TARGET_REGISTER_SP] = sp;
	fake_target_push_event(w.target, &e);
	worker_target_events(&w);
}

static void resume(void)
{
	int64_t us;

	ck_assert_no_err(worker_release(&w, &us));
}

static bool emitted(const char *text)
{
	bool found = w.events.len && memmem(buf_head(&w.events), w.events.len, text, strlen(text));

	buf_consume(&w.events, w.events.len);
	return found;
}

/* Hits */

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
	ck_assert_uint_eq(breakpoints_count(w.breakpoints), 0);
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
	/* Another thread, and another call of this one, further in. */
	come_back(101, USER, STACK + 256 + 8);
	come_back(100, USER, STACK + 128);
	ck_assert(!target_is_stopped(w.target));
	come_back(100, USER, STACK + 256 + 8);
	ck_assert(target_is_stopped(w.target));
	ck_assert(w.stop.event == EVENT_PARALLEL_END);
	ck_assert_uint_eq(fake_target_n_planted(w.target, USER), 0);
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
	ck_assert_uint_eq(breakpoints_count(w.breakpoints), 0);
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
	ck_assert_uint_eq(breakpoints_count(w.breakpoints), 1);
	ck_assert_ptr_nonnull(breakpoints_find(w.breakpoints, other));
	ck_assert_uint_eq(fake_target_n_planted(w.target, WORK), 1);
	/* Also when it holds the target at one. */
	come(100, WORK, USER, 0);
	ck_assert_int_eq(w.holder, 2);
	worker_client_gone(&w, 2);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted_all(w.target), 0);
}
END_TEST

/* It could not be stopped to take them out. */
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
	come_back(100, USER, STACK + 256 + 8);
	ck_assert(!target_is_stopped(w.target));
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
	ck_assert_uint_eq(breakpoints_count(w.breakpoints), 0);
}
END_TEST

/* Steps; the fake library says that threads 100 to 102 are one team, which 100 encountered. */

static void hold(void)
{
	struct view view;

	ck_assert_no_err(worker_hold(&w, &view));
}

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
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 1);
	/* Not this thread's. */
	come(101, GOMP_PARALLEL, USER, WORK);
	come(100, GOMP_PARALLEL, USER, REGION);
	ck_assert(!target_is_stopped(w.target));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 0);
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 1);
	/* Before the thread itself, nobody knows whose 199 is. */
	come(199, REGION, INSIDE, 0);
	come(102, REGION, INSIDE, 0);
	ck_assert(fake_target_is_parked(w.target, 199) && fake_target_is_parked(w.target, 102));
	come(100, REGION, INSIDE, 0);
	ck_assert(!fake_target_is_parked(w.target, 199) && fake_target_is_parked(w.target, 102));
	ck_assert(!target_is_stopped(w.target));
	ck_assert_int_eq(step_team_size(w.step), 3);
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
	struct target_registers registers = {.known = (1u << TARGET_N_REGISTERS) - 1};

	registers.value[TARGET_REGISTER_SP] = STACK + 256;
	registers.value[TARGET_REGISTER_PC] = GOMP_PARALLEL;
	registers.value[5] = REGION;
	fake_target_set_registers(w.target, 100, &registers);
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
	ck_assert_uint_eq(fake_target_n_planted(w.target, REGION), 1);
	/* That of the breakpoint. */
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 1);
}
END_TEST

START_TEST(test_function_that_is_none)
{
	fake_target_refuse_plant(w.target, 0x10);
	hold();
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
	come(100, GOMP_PARALLEL, USER, 0x10);
	assert_step_over(100, GOMP_PARALLEL);
}
END_TEST

START_TEST(test_stop_ends_a_step)
{
	hold();
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
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
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
	come(101, WORK, USER, 0);
	ck_assert_int_eq(w.stop.reason, STOP_BREAKPOINT);
	ck_assert(!step_is_active(w.step));
	ck_assert_uint_eq(fake_target_n_planted(w.target, GOMP_PARALLEL), 0);
}
END_TEST

START_TEST(test_step_of_a_client_that_is_gone)
{
	hold();
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
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

/* It could not be stopped to end the step. */
START_TEST(test_step_of_a_client_that_is_gone_ends_with_the_next_hit)
{
	hold();
	ck_assert_no_err(step_begin(&w, STEP_INTO_PARALLEL, 100));
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
	struct target_registers registers = {.known = (1u << TARGET_N_REGISTERS) - 1};

	registers.value[TARGET_REGISTER_PC] = WORK;
	hold();
	fake_target_set_registers(w.target, 101, &registers);
	ck_assert_no_err(step_begin(&w, STEP_INSTRUCTION, 101));
	ck_assert_uint_eq(fake_target_n_steps(w.target), 1);
	ck_assert_uint_eq(w.epoch, 2);
	assert_step_over(101, WORK + 1);
}
END_TEST

START_TEST(test_step_refusals)
{
	ck_assert_err(step_begin(&w, STEP_INSTRUCTION, 100), ERR_NOT_STOPPED);
	hold();
	ck_assert_err(step_begin(&w, STEP_INTO_PARALLEL, 7), ERR_STEP_IMPOSSIBLE);
	/* The fake's threads have no stacks. */
	ck_assert_err(step_begin(&w, STEP_OUT_OF_PARALLEL, 101), ERR_STEP_IMPOSSIBLE);
	ck_assert_int_eq(w.holder, 1);
	ck_assert(!step_is_active(w.step));
	w.client = 2;
	ck_assert_err(step_begin(&w, STEP_INSTRUCTION, 100), ERR_TARGET_HELD);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("breakpoints");
	TCase *hits = tcase_create("hits"), *steps = tcase_create("steps");

	tcase_add_checked_fixture(hits, setup, teardown);
	tcase_add_test(hits, test_hit_holds_for_who_made_it);
	tcase_add_test(hits, test_thread_and_once);
	tcase_add_test(hits, test_first_of_two_is_told);
	tcase_add_test(hits, test_calls_of_the_runtime_do_not_count);
	tcase_add_test(hits, test_return);
	tcase_add_test(hits, test_learnt_from_an_argument);
	tcase_add_test(hits, test_refused_place_leaves_nothing);
	tcase_add_test(hits, test_limit);
	tcase_add_test(hits, test_client_gone);
	tcase_add_test(hits, test_breakpoints_of_nobody_stop_nothing);
	tcase_add_test(hits, test_end_of_the_program);
	suite_add_tcase(s, hits);
	tcase_add_checked_fixture(steps, setup, teardown);
	tcase_add_test(steps, test_into_a_region);
	tcase_add_test(steps, test_into_from_the_entry_point);
	tcase_add_test(steps, test_function_that_is_none);
	tcase_add_test(steps, test_stop_ends_a_step);
	tcase_add_test(steps, test_breakpoint_ends_a_step);
	tcase_add_test(steps, test_step_of_a_client_that_is_gone);
	tcase_add_test(steps, test_step_of_a_client_that_is_gone_ends_with_the_next_hit);
	tcase_add_test(steps, test_instruction);
	tcase_add_test(steps, test_step_refusals);
	suite_add_tcase(s, steps);
	return check_main(s);
}
