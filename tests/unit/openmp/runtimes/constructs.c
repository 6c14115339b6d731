/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/constructs.c: names of entry points. */
#include "openmp/runtimes/constructs.h"

#include <stddef.h>

#include "check_main.h"

START_TEST(test_longest_prefix_decides)
{
	ck_assert_int_eq(construct_of("GOMP_task"), CONSTRUCT_TASK);
	ck_assert_int_eq(construct_of("GOMP_taskwait"), CONSTRUCT_TASKWAIT);
	ck_assert_int_eq(construct_of("GOMP_taskwait_depend"), CONSTRUCT_TASKWAIT);
	ck_assert_int_eq(construct_of("GOMP_taskloop_ull"), CONSTRUCT_TASKLOOP);
	ck_assert_int_eq(construct_of("GOMP_taskgroup_end"), CONSTRUCT_TASKGROUP);
	ck_assert_int_eq(construct_of("GOMP_taskgroup_reduction_register"), CONSTRUCT_REDUCTION);
	ck_assert_int_eq(construct_of("omp_set_nest_lock"), CONSTRUCT_LOCK);
	ck_assert_int_eq(construct_of("omp_set_num_threads"), CONSTRUCT_API);
	ck_assert_int_eq(construct_of("GOMP_parallel_loop_dynamic"), CONSTRUCT_PARALLEL);
	ck_assert_int_eq(construct_of("__kmpc_fork_call"), CONSTRUCT_PARALLEL);
	ck_assert_int_eq(construct_of("__kmpc_omp_taskwait"), CONSTRUCT_TASKWAIT);
	ck_assert_int_eq(construct_of("__kmpc_barrier"), CONSTRUCT_BARRIER);
}
END_TEST

START_TEST(test_other_names_are_unknown)
{
	ck_assert_int_eq(construct_of(NULL), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(construct_of(""), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(construct_of("main"), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(construct_of("GOMP"), CONSTRUCT_UNKNOWN);
	ck_assert_int_eq(construct_of("gomp_barrier"), CONSTRUCT_UNKNOWN);
}
END_TEST

START_TEST(test_every_construct_has_a_name)
{
	ck_assert_ptr_null(construct_name(CONSTRUCT_UNKNOWN));
	ck_assert_ptr_null(construct_name(N_CONSTRUCTS));
	for (int i = CONSTRUCT_UNKNOWN + 1; i < N_CONSTRUCTS; i++)
		ck_assert_ptr_nonnull(construct_name((enum construct)i));
	ck_assert_str_eq(construct_name(CONSTRUCT_TASKWAIT), "taskwait");
}
END_TEST

START_TEST(test_runtime_names)
{
	ck_assert(construct_is_runtime_name("gomp_team_barrier_wait"));
	ck_assert(construct_is_runtime_name("GOMP_parallel"));
	ck_assert(construct_is_runtime_name("omp_get_thread_num"));
	ck_assert(construct_is_runtime_name("__kmpc_barrier"));
	ck_assert(!construct_is_runtime_name("main._omp_fn.0"));
	ck_assert(!construct_is_runtime_name("my_omp_"));
	ck_assert(!construct_is_runtime_name(NULL));
}
END_TEST

START_TEST(test_ends_and_acquisitions)
{
	ck_assert(construct_is_of_end("GOMP_critical_end"));
	ck_assert(construct_is_of_end("GOMP_doacross_post"));
	ck_assert(construct_is_of_end("__kmpc_end_critical"));
	ck_assert(!construct_is_of_end("GOMP_loop_end_nowait"));
	ck_assert(!construct_is_of_end("GOMP_critical_start"));
	ck_assert(!construct_is_of_end(NULL));
	ck_assert(construct_is_of_lock_acquire("omp_set_lock"));
	ck_assert(construct_is_of_lock_acquire("omp_set_nest_lock_"));
	ck_assert(!construct_is_of_lock_acquire("omp_unset_lock"));
	ck_assert(!construct_is_of_lock_acquire("omp_set_num_threads"));
	ck_assert(!construct_is_of_lock_acquire(NULL));
}
END_TEST

START_TEST(test_names_of_critical_constructs)
{
	size_t len;

	ck_assert_str_eq(construct_critical_name(".gomp_critical_user_sum", &len), "sum");
	ck_assert_uint_eq(len, 3);
	construct_critical_name(".gomp_critical_user_sum.var", &len);
	ck_assert_uint_eq(len, 3);
	construct_critical_name(".gomp_critical_user_", &len);
	ck_assert_uint_eq(len, 0);
	ck_assert_ptr_null(construct_critical_name("sum", &len));
}
END_TEST

START_TEST(test_constructs_for_devices)
{
	static const struct {
		const char *callee, *name, *noun;
		enum construct_nowait nowait;
	} rows[] = {
		{"GOMP_target_ext", "target", "the target region", CONSTRUCT_NOWAIT_UNKNOWN},
		{"GOMP_target", "target", "the target region", CONSTRUCT_NOWAIT_NO},
		{"GOMP_target_data_ext", "target_data", "the start of the target data region", CONSTRUCT_NOWAIT_NO},
		{"GOMP_target_end_data", "target_end_data", "the end of the target data region", CONSTRUCT_NOWAIT_NO},
		{"GOMP_target_update_ext", "target_update", "the target update", CONSTRUCT_NOWAIT_UNKNOWN},
		{"GOMP_target_enter_exit_data", "target_enter_exit_data", "the target enter or exit data",
		 CONSTRUCT_NOWAIT_UNKNOWN},
		{"GOMP_interop", "interop", "the interop construct", CONSTRUCT_NOWAIT_UNKNOWN},
		{"omp_target_memcpy", "copy", "the copy", CONSTRUCT_NOWAIT_NO},
		{"omp_target_memcpy_rect_async", "copy", "the copy", CONSTRUCT_NOWAIT_YES},
		{"omp_target_memset", "fill", "the fill", CONSTRUCT_NOWAIT_NO},
		{"omp_target_alloc", "operation", "the operation", CONSTRUCT_NOWAIT_NO},
		{"__tgt_target_kernel", "target", "the target region", CONSTRUCT_NOWAIT_UNKNOWN},
		{"__tgt_target_teams_mapper", "target", "the target region", CONSTRUCT_NOWAIT_NO},
		{"__tgt_target_nowait_mapper", "target", "the target region", CONSTRUCT_NOWAIT_YES},
		{"__tgt_target_data_update_nowait", "target_update", "the target update", CONSTRUCT_NOWAIT_YES},
		{"__tgt_target_data_end", "target_end_data", "the end of the target data region", CONSTRUCT_NOWAIT_NO},
		{"__tgt_register_lib", "operation", "the operation", CONSTRUCT_NOWAIT_NO},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(construct_of(rows[i].callee), CONSTRUCT_TARGET);
		ck_assert_str_eq(construct_target_name(construct_target_of(rows[i].callee)), rows[i].name);
		ck_assert_str_eq(construct_target_noun(rows[i].callee), rows[i].noun);
		ck_assert_int_eq(construct_nowait_of(rows[i].callee), rows[i].nowait);
	}
	ck_assert_int_eq(construct_region_argument("GOMP_target_ext"), 1);
	ck_assert_int_eq(construct_region_argument("GOMP_target_data_ext"), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/runtimes/constructs");
	TCase *tc = tcase_create("construct_of");

	tcase_add_test(tc, test_longest_prefix_decides);
	tcase_add_test(tc, test_other_names_are_unknown);
	suite_add_tcase(suite, tc);
	tc = tcase_create("construct_name");
	tcase_add_test(tc, test_every_construct_has_a_name);
	suite_add_tcase(suite, tc);
	tc = tcase_create("construct_is_runtime_name");
	tcase_add_test(tc, test_runtime_names);
	tcase_add_test(tc, test_ends_and_acquisitions);
	tcase_add_test(tc, test_names_of_critical_constructs);
	tcase_add_test(tc, test_constructs_for_devices);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
