/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/walk/snapshot_derived: conclusions from a walk's answers, and from contradictory answers. */
#include "openmp/model/walk/snapshot_derived.h"

#include <string.h>

#include "check_main.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"

static struct icv_def explicit_var = {.name = "explicit-task-var"}, implicit_var = {.name = "implicit-task-var"};

/* Region 0 encloses region 1. */
static struct snapshot_parallel regions[2];
static struct icv_value values[2];
static struct snapshot_task task;
static struct snapshot s;

static void setup(void)
{
	const struct snapshot_ref none = {ompd_rc_unavailable, SNAPSHOT_NONE, 0};

	memset(regions, 0, sizeof(regions));
	regions[0].enclosing = none;
	regions[1].level.value = 1;
	regions[1].enclosing = (struct snapshot_ref){ompd_rc_ok, 0, 1};
	for (int i = 0; i < 2; i++)
		regions[i].function.rc = ompd_rc_unavailable;
	values[0] = values[1] = (struct icv_value){.rc = ompd_rc_ok, .has_number = true};
	task = (struct snapshot_task){
		.icvs = values,
		.parallel = {ompd_rc_ok, 1, 2},
		.function = {ompd_rc_ok, 0x401000},
	};
	s = (struct snapshot){
		.parallels = regions,
		.n_parallels = 2,
		.tasks = &task,
		.n_tasks = 1,
		.task_icvs = {.defs = {&explicit_var, &implicit_var}, .n = 2},
	};
}

static const struct {
	int is_explicit, is_implicit; /* -1: the library does not report it */
	int level;		      /* of the task's region; -1: unknown, -2: no region */
	enum snapshot_task_kind kind;
} kinds[] = {
	{1, 0, 1, TASK_EXPLICIT},  {1, -1, 1, TASK_EXPLICIT}, {-1, 0, 1, TASK_EXPLICIT},  {0, 1, 1, TASK_IMPLICIT},
	{0, -1, 1, TASK_IMPLICIT}, {-1, 1, 1, TASK_IMPLICIT}, {0, 1, 0, TASK_INITIAL},	  {-1, 1, 0, TASK_INITIAL},
	{-1, -1, 1, TASK_UNKNOWN}, {-1, -1, 0, TASK_UNKNOWN}, {0, 1, -1, TASK_IMPLICIT},  {0, 1, -2, TASK_IMPLICIT},
	{1, 0, 0, TASK_EXPLICIT},  {1, 0, -2, TASK_EXPLICIT}, {-1, -1, -2, TASK_UNKNOWN},
};

START_TEST(test_kinds_of_tasks)
{
	values[0].number = kinds[_i].is_explicit;
	values[1].number = kinds[_i].is_implicit;
	if (kinds[_i].is_explicit < 0)
		values[0].rc = ompd_rc_unsupported;
	if (kinds[_i].is_implicit < 0)
		values[1].has_number = false;
	regions[1].level.value = kinds[_i].level > 0;
	if (kinds[_i].level < 0)
		regions[1].level.rc = ompd_rc_error;
	if (kinds[_i].level == -2)
		task.parallel = (struct snapshot_ref){ompd_rc_unavailable, SNAPSHOT_NONE, 0};
	snapshot_derived_set_tasks(&s, 1);
	ck_assert_int_eq(task.kind, kinds[_i].kind);
}
END_TEST

START_TEST(test_tasks_that_were_not_looked_at_stay)
{
	values[0].number = 1;
	snapshot_derived_set_tasks(&s, 0);
	ck_assert_int_eq(task.kind, TASK_UNKNOWN);
}
END_TEST

START_TEST(test_a_region_has_the_function_of_its_implicit_tasks)
{
	values[1].number = 1;
	snapshot_derived_set_tasks(&s, 1);
	ck_assert_int_eq(regions[1].function.rc, ompd_rc_ok);
	ck_assert_int_eq(regions[1].function.value, 0x401000);
	ck_assert_int_eq(regions[0].function.rc, ompd_rc_unavailable);
}
END_TEST

START_TEST(test_no_other_function_is_a_region_s)
{
	/* The function belongs to an explicit task. */
	values[0].number = 1;
	snapshot_derived_set_tasks(&s, 1);
	ck_assert_int_eq(regions[1].function.rc, ompd_rc_unavailable);
	/* A value that the library does not know. */
	values[0].number = 0;
	values[1].number = 1;
	task.function.rc = ompd_rc_error;
	snapshot_derived_set_tasks(&s, 1);
	ck_assert_int_eq(task.kind, TASK_IMPLICIT);
	ck_assert_int_eq(regions[1].function.rc, ompd_rc_unavailable);
	/* The task has no region. */
	task.function.rc = ompd_rc_ok;
	task.parallel.index = SNAPSHOT_NONE;
	snapshot_derived_set_tasks(&s, 1);
	ck_assert_int_eq(regions[1].function.rc, ompd_rc_unavailable);
}
END_TEST

static const struct {
	int outer_rc, inner_rc;
	int64_t outer, inner;
	bool has_gaps;
} levels[] = {
	{ompd_rc_ok, ompd_rc_ok, 0, 1, false},	  {ompd_rc_ok, ompd_rc_ok, 0, 2, true},
	{ompd_rc_ok, ompd_rc_ok, 0, 0, false},	  {ompd_rc_ok, ompd_rc_error, 0, 5, false},
	{ompd_rc_error, ompd_rc_ok, 0, 5, false}, {ompd_rc_ok, ompd_rc_ok, 3, 4, true}, /* which region encloses 3? */
	{ompd_rc_ok, ompd_rc_ok, 0, -1, true},
};

START_TEST(test_gaps_between_levels)
{
	regions[0].level = (struct snapshot_word){levels[_i].outer_rc, levels[_i].outer};
	regions[1].level = (struct snapshot_word){levels[_i].inner_rc, levels[_i].inner};
	snapshot_derived_set_gaps(&s);
	ck_assert_int_eq(s.has_gaps, levels[_i].has_gaps);
}
END_TEST

/* No region encloses the largest level, least of all the smallest level. */
START_TEST(test_the_largest_level_has_no_next)
{
	regions[0].level.value = INT64_MAX;
	regions[0].enclosing.rc = ompd_rc_incomplete;
	regions[1].level.value = INT64_MIN;
	snapshot_derived_set_gaps(&s);
	ck_assert(s.has_gaps);
}
END_TEST

START_TEST(test_a_chain_that_was_cut_is_no_gap)
{
	regions[1].level.value = 7;
	regions[1].enclosing = (struct snapshot_ref){ompd_rc_incomplete, SNAPSHOT_NONE, 0};
	snapshot_derived_set_gaps(&s);
	ck_assert(!s.has_gaps);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_conclude");
	TCase *tc = tcase_create("snapshot_derived");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, test_kinds_of_tasks, 0, sizeof(kinds) / sizeof(kinds[0]));
	tcase_add_test(tc, test_tasks_that_were_not_looked_at_stay);
	tcase_add_test(tc, test_a_region_has_the_function_of_its_implicit_tasks);
	tcase_add_test(tc, test_no_other_function_is_a_region_s);
	tcase_add_loop_test(tc, test_gaps_between_levels, 0, sizeof(levels) / sizeof(levels[0]));
	tcase_add_test(tc, test_the_largest_level_has_no_next);
	tcase_add_test(tc, test_a_chain_that_was_cut_is_no_gap);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
