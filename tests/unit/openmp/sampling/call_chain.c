/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/call_chain: the state of a running thread by its stack. */
#include "check_main.h"

#include "openmp/sampling/call_chain.h"

/* A stack of the program's own thread, with a frame of its own code. */
static struct call_chain whole(bool is_in_region)
{
	return (struct call_chain){.n = 1, .is_whole = true, .knows_region = true, .is_in_region = is_in_region};
}

/* The same stack, with a call to the runtime for @construct. */
static struct call_chain at(enum construct construct, bool at_end)
{
	struct call_chain t = whole(true);

	t.in_runtime = true;
	t.construct = construct;
	t.at_end = at_end;
	return t;
}

/* A stack of a runtime's thread that executes nothing of the program. */
static struct call_chain pool(bool knows_barrier, bool at_barrier)
{
	return (struct call_chain){.is_pool = true,
				   .knows_region = true,
				   .in_runtime = true,
				   .knows_barrier = knows_barrier,
				   .at_barrier = at_barrier};
}

START_TEST(test_the_stack_says_whether_it_is_in_a_region)
{
	struct call_chain in = whole(true), out = whole(false), unknown = {.n = 1};

	/* The state in memory is from another moment. */
	ck_assert_int_eq(call_chain_state(&in, 0), PROFILE_WORK);
	ck_assert_int_eq(call_chain_state(&out, 1), PROFILE_SERIAL);
	ck_assert_int_eq(call_chain_state(&unknown, 1), PROFILE_WORK);
	ck_assert_int_eq(call_chain_state(&unknown, 0), PROFILE_SERIAL);
	ck_assert(call_chain_can_be(&in, PROFILE_WORK) && !call_chain_can_be(&in, PROFILE_SERIAL));
	ck_assert(!call_chain_can_be(&out, PROFILE_WORK) && call_chain_can_be(&out, PROFILE_SERIAL));
	ck_assert(call_chain_can_be(&unknown, PROFILE_WORK) && call_chain_can_be(&unknown, PROFILE_SERIAL));
}
END_TEST

START_TEST(test_threads_of_the_pool)
{
	struct call_chain idle = pool(true, false), ends = pool(true, true), unclear = pool(false, false);

	ck_assert_int_eq(call_chain_state(&idle, 1), PROFILE_IDLE);
	ck_assert_int_eq(call_chain_state(&idle, 0), PROFILE_IDLE);
	ck_assert_int_eq(call_chain_state(&idle, 2), PROFILE_OVERHEAD);
	ck_assert_int_eq(call_chain_state(&ends, 0), PROFILE_BARRIER_IMPLICIT);
	/* If the code does not decide it, only memory can distinguish the two. */
	unclear.knows_region = false;
	ck_assert_int_eq(call_chain_state(&unclear, 1), PROFILE_OVERHEAD);
	ck_assert_int_eq(call_chain_state(&unclear, 0), PROFILE_IDLE);
}
END_TEST

START_TEST(test_barriers)
{
	static const struct {
		enum construct construct;
		enum profile_state state;
	} rows[] = {
		{CONSTRUCT_BARRIER, PROFILE_BARRIER},		{CONSTRUCT_UNKNOWN, PROFILE_BARRIER},
		{CONSTRUCT_PARALLEL, PROFILE_BARRIER_IMPLICIT}, {CONSTRUCT_LOOP, PROFILE_BARRIER_IMPLICIT},
		{CONSTRUCT_SECTIONS, PROFILE_BARRIER_IMPLICIT}, {CONSTRUCT_SINGLE, PROFILE_BARRIER_IMPLICIT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct call_chain t = at(rows[i].construct, false);

		t.at_barrier = true;
		ck_assert_int_eq(call_chain_state(&t, 1), rows[i].state);
		ck_assert(call_chain_can_be(&t, rows[i].state));
	}
}
END_TEST

START_TEST(test_constructs)
{
	static const struct {
		enum construct construct;
		bool at_end;
		enum profile_state state;
	} rows[] = {
		{CONSTRUCT_CRITICAL, false, PROFILE_CRITICAL},	  {CONSTRUCT_CRITICAL, true, PROFILE_OVERHEAD},
		{CONSTRUCT_ATOMIC, false, PROFILE_ATOMIC},	  {CONSTRUCT_ORDERED, false, PROFILE_ORDERED},
		{CONSTRUCT_ORDERED, true, PROFILE_OVERHEAD},	  {CONSTRUCT_TASKWAIT, false, PROFILE_TASKWAIT},
		{CONSTRUCT_TASKGROUP, true, PROFILE_TASKGROUP},	  {CONSTRUCT_TASKGROUP, false, PROFILE_OVERHEAD},
		{CONSTRUCT_LOOP, true, PROFILE_BARRIER_IMPLICIT}, {CONSTRUCT_LOOP, false, PROFILE_OVERHEAD},
		{CONSTRUCT_BARRIER, false, PROFILE_BARRIER},	  {CONSTRUCT_PARALLEL, false, PROFILE_OVERHEAD},
		{CONSTRUCT_LOCK, false, PROFILE_OVERHEAD},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct call_chain t = at(rows[i].construct, rows[i].at_end);

		ck_assert_int_eq(call_chain_state(&t, 1), rows[i].state);
		ck_assert(call_chain_can_be(&t, rows[i].state));
		ck_assert(!call_chain_can_be(&t, PROFILE_WORK));
	}
	struct call_chain lock = at(CONSTRUCT_LOCK, false);
	lock.at_lock = true;
	ck_assert_int_eq(call_chain_state(&lock, 1), PROFILE_LOCK);
	ck_assert(call_chain_can_be(&lock, PROFILE_LOCK));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/call_chain");
	TCase *tc = tcase_create("call_chain");

	tcase_add_test(tc, test_the_stack_says_whether_it_is_in_a_region);
	tcase_add_test(tc, test_threads_of_the_pool);
	tcase_add_test(tc, test_barriers);
	tcase_add_test(tc, test_constructs);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
