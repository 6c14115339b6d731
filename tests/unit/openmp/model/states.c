/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/states: OMPT's states, and those of the fake library. */
#include "openmp/model/states.h"

#include <string.h>

#include <omp-tools.h>

#include "check_main.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct state_table table;

static struct error *enumerate(const char *fault)
{
	struct plugin *p;

	setenv("FAKE_OMPD", fault, 1);
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), 0);
	struct error *err = states_enumerate(p, NULL, &table);
	/* All names were freed. */
	ck_assert_uint_eq(blocks_count(), 0);
	plugin_destroy(p);
	return err;
}

START_TEST(test_states_of_the_library)
{
	table.n = 17; /* from before */
	ck_assert_no_err(enumerate(_i ? "constants" : ""));
	/* The protocol does not allow the other state's name. */
	ck_assert_uint_eq(table.n, 1);
	ck_assert_str_eq(states_name(&table, 0x200), "fake_state");
	ck_assert_ptr_null(states_name(&table, 0x201));
}
END_TEST

START_TEST(test_an_enumeration_without_end)
{
	ck_assert_err(enumerate("endless_states"), ERR_PLUGIN_MISBEHAVED);
}
END_TEST

START_TEST(test_states_of_ompt_need_no_library)
{
	ck_assert_str_eq(states_name(NULL, ompt_state_work_serial), "ompt_state_work_serial");
	ck_assert_str_eq(states_name(NULL, ompt_state_wait_barrier_teams), "ompt_state_wait_barrier_teams");
	ck_assert_ptr_null(states_name(NULL, 0x200));
	/* A large number is not truncated to that of another state. */
	ck_assert_ptr_null(states_name(NULL, ompt_state_idle + (INT64_C(1) << 32)));
	/* No library can give them another meaning. */
	table.n = 1;
	table.states[0].value = ompt_state_idle;
	strcpy(table.states[0].name, "busy");
	ck_assert_str_eq(states_name(&table, ompt_state_idle), "ompt_state_idle");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_states");
	TCase *tc = tcase_create("states");

	tcase_add_loop_test(tc, test_states_of_the_library, 0, 2);
	tcase_add_test(tc, test_an_enumeration_without_end);
	tcase_add_test(tc, test_states_of_ompt_need_no_library);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
