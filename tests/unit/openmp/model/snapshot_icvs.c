/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of openmp/model/snapshot_icvs: where the variables of the fake library appear, and what they say about tasks.
 */
#include "openmp/model/snapshot_icvs.h"

#include <string.h>

#include "check_main.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct plugin *p;
static struct icv_table table;
static struct snapshot_fields fields;
static struct snapshot s;
/* Objects of the fake library start with an id: a region, a thread, an explicit task and an implicit one. */
static int region = 2, thread = 103, explicit_task = 5, implicit_task = 20;

static void setup(void)
{
	unsetenv("FAKE_OMPD");
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), 0);
	ck_assert_no_err(icv_enumerate(p, NULL, &table));
	s = (struct snapshot){0};
}

static void teardown(void)
{
	snapshot_deinit(&s);
	ck_assert_uint_eq(blocks_count(), 0);
	plugin_destroy(p);
}

static void assert_set(const struct snapshot_icv_set *set, const char *const *names)
{
	size_t n = 0;

	for (; names[n]; n++) {
		ck_assert_uint_lt(n, set->n);
		ck_assert_str_eq(set->defs[n]->name, names[n]);
	}
	ck_assert_uint_eq(set->n, n);
}

START_TEST(test_each_variable_is_shown_in_one_place)
{
	snapshot_icvs_sort(&s, &table, &fields);
	assert_set(&s.process_icvs, (const char *const[]){"num-procs-var", "wait-policy-var", NULL});
	assert_set(&s.thread_icvs, (const char *const[]){NULL});
	assert_set(&s.parallel_icvs, (const char *const[]){NULL});
	assert_set(&s.task_icvs, (const char *const[]){"explicit-task-var", "nthreads-var", "run-sched-var",
						       "place-partition-var", NULL});
	ck_assert_str_eq(fields.thread_num->name, "thread-num-var");
	ck_assert_str_eq(fields.levels->name, "levels-var");
	ck_assert_str_eq(fields.active_levels->name, "active-levels-var");
	ck_assert_str_eq(fields.team_size->name, "team-size-var");
	snapshot_icvs_keep_kinds(&s, false);
	assert_set(&s.process_icvs, (const char *const[]){NULL});
	assert_set(&s.task_icvs, (const char *const[]){"explicit-task-var", NULL});
}
END_TEST

/* The default device is kept for programs with devices only. */
START_TEST(test_the_default_device_is_kept_on_request)
{
	strcpy(icv_find(&table, "nthreads-var")->name, "default-device-var");
	snapshot_icvs_sort(&s, &table, &fields);
	snapshot_icvs_keep_kinds(&s, true);
	assert_set(&s.task_icvs, (const char *const[]){"explicit-task-var", "default-device-var", NULL});
	snapshot_icvs_keep_kinds(&s, false);
	assert_set(&s.task_icvs, (const char *const[]){"explicit-task-var", NULL});
}
END_TEST

/* A library may report any scope: then variables would be requested from the wrong objects. */
START_TEST(test_a_field_of_another_scope_is_none)
{
	icv_find(&table, "levels-var")->scope = ompd_scope_task;
	icv_find(&table, "active-levels-var")->scope = ompd_scope_thread;
	icv_find(&table, "team-size-var")->scope = ompd_scope_global;
	icv_find(&table, "thread-num-var")->scope = ompd_scope_parallel;
	snapshot_icvs_sort(&s, &table, &fields);
	ck_assert_ptr_null(fields.levels);
	ck_assert_ptr_null(fields.active_levels);
	ck_assert_ptr_null(fields.team_size);
	ck_assert_ptr_null(fields.thread_num);
}
END_TEST

START_TEST(test_fields)
{
	struct snapshot_word word;

	snapshot_icvs_sort(&s, &table, &fields);
	ck_assert_no_err(snapshot_icvs_read_field(&s, p, &thread, fields.thread_num, &word));
	ck_assert_int_eq(word.rc, ompd_rc_ok);
	ck_assert_int_eq(word.value, 3);
	ck_assert_no_err(snapshot_icvs_read_field(&s, p, &region, NULL, &word));
	ck_assert_int_eq(word.rc, ompd_rc_unsupported);
	/* A text is no number, */
	ck_assert_no_err(snapshot_icvs_read_field(&s, p, &region, icv_find(&table, "wait-policy-var"), &word));
	ck_assert_int_eq(word.rc, ompd_rc_incompatible);
	/* and no thread has number -98. */
	ck_assert_err(snapshot_icvs_read_field(&s, p, &region, fields.thread_num, &word), ERR_PLUGIN_MISBEHAVED);
}
END_TEST

START_TEST(test_variables_of_implicit_tasks_are_of_no_explicit_one)
{
	struct snapshot_task task = {.object = &explicit_task};

	snapshot_icvs_sort(&s, &table, &fields);
	ck_assert_no_err(snapshot_icvs_read_task(&s, p, &task));
	ck_assert_int_eq(task.kind, TASK_EXPLICIT);
	ck_assert_int_eq(task.icvs[3].rc, SNAPSHOT_ICV_NOT_HERE);
	ck_assert_int_eq(snapshot_icvs_task_flag(&s, &task, "explicit-task-var"), 1);
	task = (struct snapshot_task){.object = &implicit_task};
	ck_assert_no_err(snapshot_icvs_read_task(&s, p, &task));
	/* A later step concludes which of the others it is. */
	ck_assert_int_eq(task.kind, TASK_UNKNOWN);
	ck_assert_int_eq(task.icvs[3].rc, ompd_rc_unavailable);
	ck_assert_int_eq(snapshot_icvs_task_flag(&s, &task, "explicit-task-var"), 0);
	/* The variable is missing, or has no value. */
	ck_assert_int_eq(snapshot_icvs_task_flag(&s, &task, "implicit-task-var"), -1);
	ck_assert_int_eq(snapshot_icvs_task_flag(&s, &task, "place-partition-var"), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_snapshot_icvs");
	TCase *tc = tcase_create("snapshot_icvs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_each_variable_is_shown_in_one_place);
	tcase_add_test(tc, test_the_default_device_is_kept_on_request);
	tcase_add_test(tc, test_a_field_of_another_scope_is_none);
	tcase_add_test(tc, test_fields);
	tcase_add_test(tc, test_variables_of_implicit_tasks_are_of_no_explicit_one);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
