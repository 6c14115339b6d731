/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests that a wait which memory reports is not also counted by the stack of the running thread. */
#include "openmp/sampling/memory_states.h"

#include "check_main.h"
#include "openmp/sampling/call_chain.h"

static struct memory_states memory_states;

/* A thread of the pool, a thread at work, and two places where threads are in the runtime for the same
 * reason. */
static const struct call_chain idle = {
	.is_pool = true, .knows_region = true, .in_runtime = true, .knows_barrier = true};
static const struct call_chain at_end = {
	.is_pool = true, .knows_region = true, .in_runtime = true, .knows_barrier = true, .at_barrier = true};
static const struct call_chain work = {.n = 1, .knows_region = true, .is_in_region = true, .at = {.function = 1}};
static const struct call_chain here = {
	.n = 1, .in_runtime = true, .construct = CONSTRUCT_TASKWAIT, .at = {.function = 1, .line = 2}};
static const struct call_chain there = {
	.n = 1, .in_runtime = true, .construct = CONSTRUCT_TASKWAIT, .at = {.function = 1, .line = 3}};

static void setup(void)
{
	memory_states = (struct memory_states){0};
}

static const struct call_chain *newest(const struct call_chain *a, const struct call_chain *b)
{
	const struct call_chain *samples[] = {a, b};

	return memory_states_newest(&memory_states, samples, 2, 1);
}

static void note(enum profile_state state, const struct call_chain *a)
{
	memory_states_note(&memory_states, state, &a, 1, 1);
}

START_TEST(test_the_last_stack_says_the_state)
{
	ck_assert_ptr_eq(newest(&work, &idle), &idle);
	ck_assert_ptr_eq(newest(&idle, &work), &work);
	ck_assert_ptr_null(memory_states_newest(&memory_states, NULL, 0, 1));
}
END_TEST

/* A stack that was idle a moment ago is outdated: memory would report a thread that is idle now. */
START_TEST(test_what_memory_tells_is_not_of_this_moment)
{
	note(PROFILE_IDLE, &idle);
	ck_assert_ptr_eq(newest(&work, &idle), &work);
	ck_assert_ptr_eq(newest(&idle, &work), &work);
	ck_assert_ptr_null(newest(&idle, &idle));
	/* Other states are not affected. */
	ck_assert_ptr_eq(newest(&idle, &at_end), &at_end);
}
END_TEST

/* It has moved between the two: that says nothing about its earlier place. */
START_TEST(test_of_another_moment)
{
	note(PROFILE_IDLE, &work);
	note(PROFILE_TASKWAIT, &idle);
	memory_states_note(&memory_states, PROFILE_IDLE, NULL, 0, 1);
	ck_assert_uint_eq(memory_states.n, 0);
	ck_assert_ptr_eq(newest(&work, &idle), &idle);
}
END_TEST

/* Memory may report a wait at one place and not at another. */
START_TEST(test_by_place)
{
	note(PROFILE_TASKWAIT, &here);
	ck_assert_ptr_eq(newest(&work, &here), &work);
	ck_assert_ptr_eq(newest(&work, &there), &there);
}
END_TEST

START_TEST(test_kinds_of_barriers)
{
	note(PROFILE_BARRIER_EXPLICIT, &at_end);
	ck_assert_uint_eq(memory_states.n, 1);
	ck_assert_ptr_eq(newest(&work, &at_end), &work);
}
END_TEST

START_TEST(test_is_bounded)
{
	for (int line = 1; line <= 2 * MEMORY_STATES_MAX; line++) {
		struct call_chain t = here;

		t.at.line = line;
		note(PROFILE_TASKWAIT, &t);
		note(PROFILE_TASKWAIT, &t);
		ck_assert_uint_eq(memory_states.n, line < MEMORY_STATES_MAX ? line : MEMORY_STATES_MAX);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/memory_states");
	TCase *tc = tcase_create("memory_states");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_the_last_stack_says_the_state);
	tcase_add_test(tc, test_what_memory_tells_is_not_of_this_moment);
	tcase_add_test(tc, test_of_another_moment);
	tcase_add_test(tc, test_by_place);
	tcase_add_test(tc, test_kinds_of_barriers);
	tcase_add_test(tc, test_is_bounded);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
