/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ICVs from the environment, changed ICVs, lists and control variables, against omp_get_*. The
 * program executes itself again with the environment that the tests expect.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "libompd_oracle.h"
#include "self_target.h"

static const char *const environment[][2] = {
	{"OMP_NUM_THREADS", "2,3,4"},
	{"OMP_PROC_BIND", "spread,close"},
	{"OMP_SCHEDULE", "monotonic:dynamic,4"},
	{"OMP_MAX_ACTIVE_LEVELS", "3"},
	{"OMP_NESTED", "true"},
	{"OMP_THREAD_LIMIT", "64"},
	{"OMP_CANCELLATION", "true"},
	{"OMP_MAX_TASK_PRIORITY", "11"},
	{"OMP_STACKSIZE", "3M"},
	{"OMP_AFFINITY_FORMAT", "host=%H"},
	{"OMP_PLACES", "{0},{1}"},
	{"OMP_DYNAMIC", "false"},
};

#define N_ENVIRONMENT (sizeof(environment) / sizeof(environment[0]))

static void check_process_number(const char *name, ompd_scope_t scope, long expected)
{
	ompd_word_t value = -7;

	ck_assert_msg(oracle_icv(oracle_process, scope, name, &value) == ompd_rc_ok, "%s", name);
	ck_assert_msg(value == expected, "%s: %ld, expected %ld", name, (long)value, expected);
}

static void check_text(void *handle, ompd_scope_t scope, const char *name, const char *expected)
{
	char text[512] = "";
	ompd_rc_t rc = oracle_icv_string(handle, scope, name, text, sizeof(text));

	ck_assert_msg(rc == ompd_rc_ok, "%s: rc %d", name, rc);
	ck_assert_msg(!strcmp(text, expected), "%s: '%s', expected '%s'", name, text, expected);
}

static void program_nested(void)
{
#pragma omp parallel
#pragma omp parallel
	oracle_park(10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
}

static void observe_nested(void)
{
	ck_assert_int_eq(oracle_count, 6);
	oracle_check_all();
	for (int i = 0; i < oracle_count; i++) {
		ompd_thread_handle_t *thread = oracle_thread(&oracle_views[i]);
		ompd_task_handle_t *task, *parent;
		ompd_word_t value = -1;

		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
		check_text(task, ompd_scope_task, "nthreads-var", "4");
		ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "nthreads-var", &value), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_ok);
		ompd_rel_task_handle(task);
		check_text(parent, ompd_scope_task, "nthreads-var", "3,4");
		check_text(parent, ompd_scope_task, "bind-var", "close");
		ck_assert_int_eq(oracle_icv(parent, ompd_scope_task, "nthreads-var", &value), ompd_rc_incomplete);
		ck_assert_int_eq(value, 3);
		check_text(parent, ompd_scope_task, "run-sched-var", "monotonic:dynamic,4");
		check_text(parent, ompd_scope_task, "dyn-var", "false");
		ck_assert_int_eq(ompd_get_generating_task_handle(parent, &task), ompd_rc_ok);
		ompd_rel_task_handle(parent);
		check_text(task, ompd_scope_task, "nthreads-var", "2,3,4");
		check_text(task, ompd_scope_task, "bind-var", "spread,close");
		check_text(task, ompd_scope_task, "thread-limit-var", "64");
		ompd_rel_task_handle(task);
		ompd_rel_thread_handle(thread);
	}
}

START_TEST(test_icvs_lists_shrink_with_the_level)
{
	oracle_run(program_nested, 6, 0, observe_nested);
}
END_TEST

static void program_process(void)
{
	oracle_park(0);
}

static void observe_process(void)
{
	ompd_word_t value = -1;

	check_process_number("num-procs-var", ompd_scope_address_space, omp_get_num_procs());
	check_process_number("ompd-num-procs-var", ompd_scope_address_space, omp_get_num_procs());
	check_process_number("cancel-var", ompd_scope_address_space, omp_get_cancellation());
	check_process_number("max-task-priority-var", ompd_scope_address_space, omp_get_max_task_priority());
	check_text(oracle_process, ompd_scope_address_space, "cancel-var", "true");
	check_text(oracle_process, ompd_scope_address_space, "affinity-format-var", "host=%H");
	ck_assert_int_eq(oracle_icv(oracle_process, ompd_scope_address_space, "affinity-format-var", &value),
			 ompd_rc_incompatible);
	ck_assert_int_eq(oracle_icv(oracle_process, ompd_scope_global, "num-procs-var", &value), ompd_rc_incompatible);
	ck_assert_int_eq(value, -1);
	check_text(oracle_process, ompd_scope_address_space, "display-affinity-var", "false");

	/* libgomp has none of these. */
	static const char *const absent[] = {"debug-var", "tool-var", "tool-libraries-var", "tool-verbose-init-var"};

	for (size_t i = 0; i < 4 && !oracle_runtime_is_ours(); i++)
		ck_assert_int_eq(oracle_icv(oracle_process, ompd_scope_address_space, absent[i], &value),
				 ompd_rc_unavailable);
	if (oracle_runtime_is_ours()) {
		check_text(oracle_process, ompd_scope_address_space, "debug-var", "disabled");
		check_text(oracle_process, ompd_scope_address_space, "tool-var", "enabled");
	}
}

START_TEST(test_icvs_of_the_process)
{
	oracle_run(program_process, 1, 0, observe_process);
}
END_TEST

static void program_changed(void)
{
	omp_set_affinity_format("changed %L");
#pragma omp parallel num_threads(2)
	{
		int i = omp_get_thread_num();

		omp_set_num_threads(10 + i);
		omp_set_dynamic(i);
		omp_set_max_active_levels(4 + i);
		omp_set_schedule(i ? omp_sched_auto : omp_sched_static, 6);
#pragma omp barrier /* up to 10, all tasks share one max-active-levels-var */
		oracle_park(i);
	}
}

static void observe_changed(void)
{
	oracle_check_all();
	for (int i = 0; i < 2; i++) {
		ompd_thread_handle_t *thread = oracle_thread(oracle_view(i));
		ompd_task_handle_t *task;

		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
		check_text(task, ompd_scope_task, "nthreads-var", i ? "11,4" : "10,4");
		check_text(task, ompd_scope_task, "run-sched-var", i ? "auto" : "nonmonotonic:static,6");
		ompd_rel_task_handle(task);
		ompd_rel_thread_handle(thread);
	}
	check_text(oracle_process, ompd_scope_address_space, "affinity-format-var", "changed %L");
}

START_TEST(test_icvs_changed_ones_are_per_task)
{
	oracle_run(program_changed, 2, 0, observe_changed);
}
END_TEST

static int partition[2][4], partition_size[2];

static void program_places(void)
{
#pragma omp parallel num_threads(2)
	{
		int i = omp_get_thread_num();

		partition_size[i] = omp_get_partition_num_places();
		omp_get_partition_place_nums(partition[i]);
		oracle_park(i);
	}
}

/* Places {0} and {1}: the text must match the numbers. */
static void observe_places(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	for (int i = 0; i < 2; i++) {
		ompd_thread_handle_t *thread = oracle_thread(oracle_view(i));
		ompd_task_handle_t *task;
		ompd_word_t first = -2;
		char expected[64] = "";

		for (int j = 0; j < partition_size[i]; j++)
			sprintf(expected + strlen(expected), "%s{%d}", j ? "," : "", partition[i][j]);
		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
		check_text(task, ompd_scope_task, "place-partition-var", expected);
		ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "place-partition-var", &first),
				 partition_size[i] > 1 ? ompd_rc_incomplete : ompd_rc_ok);
		ck_assert_int_eq(first, partition[i][0]);

		/* The same values through the region, without the thread. */
		ompd_parallel_handle_t *region;

		ck_assert_int_eq(ompd_get_task_parallel_handle(task, &region), ompd_rc_ok);
		ompd_rel_task_handle(task);
		ck_assert_int_eq(ompd_get_task_in_parallel(region, i, &task), ompd_rc_ok);
		check_text(task, ompd_scope_task, "place-partition-var", expected);
		ompd_rel_parallel_handle(region);
		ompd_rel_task_handle(task);
		ompd_rel_thread_handle(thread);
	}
}

START_TEST(test_icvs_place_partition)
{
	oracle_run(program_places, 2, 0, observe_places);
}
END_TEST

static void observe_allocator(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_task_handle_t *task;
	ompd_word_t value = -1;
	char text[64];

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ompd_rc_t rc = oracle_icv(task, ompd_scope_task, "def-allocator-var", &value);

	if (rc == ompd_rc_ok) { /* since 11 */
		ck_assert_int_eq(value, 1);
		ck_assert_int_eq(oracle_icv_string(task, ompd_scope_task, "def-allocator-var", text, sizeof(text)),
				 ompd_rc_ok);
		ck_assert_str_eq(text, "omp_default_mem_alloc");
	} else {
		ck_assert_int_eq(rc, ompd_rc_unavailable);
	}
	ompd_rel_task_handle(task);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_icvs_default_allocator)
{
	oracle_run(program_places, 2, 0, observe_allocator);
}
END_TEST

static void program_explicit(void)
{
#pragma omp task
	oracle_park(0);
}

static void observe_explicit(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(0));
	ompd_task_handle_t *task;
	ompd_word_t value = -1;

	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_implicit_task, "def-allocator-var", &value), ompd_rc_incompatible);
	ck_assert_int_eq(value, -1);
	/* The value of its implicit task. */
	ompd_rc_t rc = oracle_icv(task, ompd_scope_task, "def-allocator-var", &value);

	ck_assert_int_eq(rc, value == 1 ? ompd_rc_ok : ompd_rc_unavailable);
	if (oracle_runtime_is_ours())
		ck_assert_int_eq(value, 1);
	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "implicit-task-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, 0);
	ompd_rel_task_handle(task);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_icvs_of_explicit_tasks)
{
	oracle_run(program_explicit, 1, 0, observe_explicit);
}
END_TEST

/* Every control variable of the environment is shown with its effective value. */
static void observe_control_vars(void)
{
	static const char *const expected[] = {
		"OMP_NUM_THREADS=2,3,4", "OMP_PROC_BIND=spread,close",
		"OMP_THREAD_LIMIT=64",	 "OMP_SCHEDULE=monotonic:dynamic,4",
		"OMP_CANCELLATION=true", "OMP_MAX_TASK_PRIORITY=11",
		"OMP_DYNAMIC=false",	 "OMP_AFFINITY_FORMAT=host=%H",
	};
	const char *const *vars;

	ck_assert_int_eq(ompd_get_display_control_vars(oracle_process, &vars), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		bool found = false;

		for (size_t j = 0; vars[j]; j++)
			found = found || !strcmp(vars[j], expected[i]);
		ck_assert_msg(found, "no %s", expected[i]);
	}
	for (size_t j = 0; vars[j]; j++)
		ck_assert_ptr_nonnull(strchr(vars[j], '='));
	ck_assert_int_eq(ompd_rel_display_control_vars(&vars), ompd_rc_ok);
	ck_assert_ptr_null(vars);
}

START_TEST(test_icvs_display_control_vars)
{
	oracle_run(program_process, 1, 0, observe_control_vars);
}
END_TEST

/* In the system's libgomp 12, variables that no function returns are known too. */
static void observe_display_env(void)
{
	const char *version;

	ck_assert_int_eq(ompd_get_omp_version_string(oracle_process, &version), ompd_rc_ok);
	bool is_12 = strstr(version, "GCC 12") != NULL;

	self_target_callbacks()->free_memory((void *)(uintptr_t)version);
	if (!is_12)
		return;
	check_process_number("stacksize-var", ompd_scope_address_space, 3 << 20);
	check_text(oracle_process, ompd_scope_address_space, "target-offload-var", "default");
	check_process_number("nteams-var", ompd_scope_address_space, 0);
	check_process_number("teams-thread-limit-var", ompd_scope_address_space, 0);
}

START_TEST(test_icvs_behind_omp_display_env)
{
	oracle_run(program_process, 1, 0, observe_display_env);
}
END_TEST

int main(int argc, char **argv)
{
	if (!getenv("OMPDD_TEST_ENVIRONMENT")) {
		for (size_t i = 0; i < N_ENVIRONMENT; i++)
			setenv(environment[i][0], environment[i][1], 1);
		setenv("OMPDD_TEST_ENVIRONMENT", "1", 1);
		execv("/proc/self/exe", argv);
		return EXIT_FAILURE;
	}
	(void)argc;
	Suite *suite = suite_create("icvs");
	TCase *tcase = tcase_create("oracle");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_icvs_lists_shrink_with_the_level);
	tcase_add_test(tcase, test_icvs_of_the_process);
	tcase_add_test(tcase, test_icvs_changed_ones_are_per_task);
	tcase_add_test(tcase, test_icvs_place_partition);
	tcase_add_test(tcase, test_icvs_default_allocator);
	tcase_add_test(tcase, test_icvs_of_explicit_tasks);
	tcase_add_test(tcase, test_icvs_display_control_vars);
	tcase_add_test(tcase, test_icvs_behind_omp_display_env);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
