/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/model, walk and members with the fake library; tests/support/fake_libompd.c has its world. */
#include "check_main.h"

#include <stdio.h>
#include <string.h>

#include "base/contract.h"
#include "base/error.h"
#include "fake_target.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/states.h"
#include "openmp/model/walk/walk.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/guard.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/runtime.h"

static struct target *t;
static struct handles *h;
static struct model *m;
static struct snapshot s;
static struct plugin_options options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 300};

static void begin(const char *fault, int n_threads)
{
	char n[16];

	snprintf(n, sizeof(n), "%d", n_threads);
	setenv("FAKE_OMPD", fault, 1);
	setenv("FAKE_OMPD_THREADS", n, 1);
	t = fake_target_create(TARGET_STOP);
	fake_target_add_module(t, "/lib/libgomp.so.1", 0x20000, 0x30000, "abcd", NULL);
	for (int i = 0; i < n_threads; i++)
		fake_target_add_thread(t, 100 + i, 0, "team");
	fake_target_add_thread(t, 90000, 0, "other");
	h = handles_create(300);
	ck_assert_no_err(model_create(t, &options, h, &m));
	ck_assert_no_err(model_need_plugin(m));
	target_view_begin(t);
}

static void end(void)
{
	snapshot_deinit(&s);
	handles_end_all(h);
	model_destroy(m);
	ck_assert_uint_eq(blocks_count(), 0);
	handles_destroy(h);
	target_destroy(t);
}

static struct error *walk(unsigned parts)
{
	return walk_snapshot(m, 1, 1, parts, options.timeout_ms, &s);
}

static const struct snapshot_task *task_of(size_t thread)
{
	ck_assert_uint_ne(s.threads[thread].task.index, SNAPSHOT_NONE);
	return &s.tasks[s.threads[thread].task.index];
}

START_TEST(test_threads)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.n_threads, 5);
	ck_assert_uint_eq(s.n_openmp, 4);
	for (int i = 0; i < 4; i++) {
		ck_assert(s.threads[i].openmp);
		ck_assert_int_eq((int)s.threads[i].thread_num.value, i);
		ck_assert_int_eq(s.threads[i].state.rc, 0);
		ck_assert(!s.threads[i].state_is_inferred);
		ck_assert_uint_eq(s.threads[i].parallel.index, s.threads[0].parallel.index);
	}
	ck_assert_int_eq(s.threads[0].state.value, ompt_state_work_parallel);
	ck_assert_int_eq(s.threads[0].wait_id.rc, ompd_rc_unavailable);
	ck_assert_int_eq(s.threads[1].state.value, ompt_state_wait_barrier);
	ck_assert_int_eq(s.threads[1].wait_id.value, 0x5000);
	ck_assert(!s.threads[4].openmp);
	ck_assert_int_eq(s.threads[4].openmp_rc, ompd_rc_unavailable);
	ck_assert_str_eq(s.threads[4].comm, "other");
	end();
}
END_TEST

START_TEST(test_parallels_and_their_members)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.n_parallels, 2);
	const struct snapshot_parallel *team = &s.parallels[s.threads[0].parallel.index];

	ck_assert_int_eq(team->level.value, 1);
	ck_assert_int_eq(team->team_size.value, 4);
	ck_assert_uint_eq(team->n_members, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(team->members[i], i);
	const struct snapshot_parallel *outer = &s.parallels[team->enclosing.index];

	ck_assert_int_eq(outer->level.value, 0);
	ck_assert_int_eq(outer->enclosing.rc, ompd_rc_unavailable);
	ck_assert_uint_eq(outer->n_members, 1);
	ck_assert_uint_eq(outer->members[0], 0);
	end();
}
END_TEST

START_TEST(test_tasks)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	/* The initial task, four implicit tasks, one explicit task. */
	ck_assert_uint_eq(s.n_tasks, 6);
	ck_assert_int_eq(task_of(0)->kind, TASK_IMPLICIT);
	const struct snapshot_task *initial = &s.tasks[task_of(0)->generating.index];

	ck_assert_int_eq(initial->kind, TASK_INITIAL);
	ck_assert_uint_eq(initial->thread, 0);
	ck_assert_int_eq(initial->generating.rc, ompd_rc_unavailable);
	ck_assert_int_eq(task_of(1)->kind, TASK_EXPLICIT);
	ck_assert_int_eq(task_of(1)->function.value, 0x401000);
	ck_assert_uint_eq(task_of(1)->thread, 1);
	const struct snapshot_task *implicit = &s.tasks[task_of(1)->generating.index];

	ck_assert_int_eq(implicit->kind, TASK_IMPLICIT);
	ck_assert_uint_eq(implicit->thread, 1);
	ck_assert_uint_eq(task_of(1)->scheduling.index, task_of(1)->generating.index);
	end();
}
END_TEST

static const struct icv_value *task_icv(const struct snapshot_task *task, const char *name)
{
	for (size_t i = 0; i < s.task_icvs.n; i++)
		if (strcmp(s.task_icvs.defs[i]->name, name) == 0)
			return &task->icvs[i];
	ck_abort_msg("no %s", name);
	return NULL;
}

START_TEST(test_icvs)
{
	begin("", 2);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	const struct icv_value *v = task_icv(task_of(0), "nthreads-var");

	/* incomplete as a number: the text has the whole list, the number its first element */
	ck_assert_int_eq(v->rc, 0);
	ck_assert_int_eq(v->number, 3);
	ck_assert_str_eq(v->text, "3,5");
	v = task_icv(task_of(0), "run-sched-var");
	ck_assert_str_eq(v->text, "static,7");
	ck_assert_int_eq(task_icv(task_of(0), "place-partition-var")->rc, ompd_rc_unavailable);
	/* An explicit task has no variables of implicit tasks. */
	ck_assert_int_eq(task_icv(task_of(1), "place-partition-var")->rc, SNAPSHOT_ICV_NOT_HERE);
	ck_assert_uint_eq(s.process_icvs.n, 2);
	ck_assert_int_eq(s.icvs[0].number, 2);
	/* wait-policy-var is not a number. */
	ck_assert_int_eq(s.icvs[1].rc, 0);
	ck_assert(!s.icvs[1].has_number);
	ck_assert_str_eq(s.icvs[1].text, "passive");
	/* The alias of thread-num-var and thread-num-var itself are not listed. */
	ck_assert_uint_eq(s.thread_icvs.n, 0);
	end();
}
END_TEST

START_TEST(test_walk_again_in_the_same_epoch_gives_the_same_names)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	uint32_t team = s.threads[3].parallel.number, task = s.threads[3].task.number;

	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.threads[3].parallel.number, team);
	ck_assert_uint_eq(s.threads[3].task.number, task);
	ck_assert_uint_eq(s.n_tasks, 6);
	end();
}
END_TEST

START_TEST(test_no_objects_are_left_behind)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	/* Its own address space, two regions, six tasks. */
	ck_assert_uint_eq(blocks_count(), 9);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(blocks_count(), 9);
	handles_epoch_ended(h, 1);
	ck_assert_uint_eq(blocks_count(), 1);
	end();
}
END_TEST

START_TEST(test_names_and_version_are_learned)
{
	const struct error *why;

	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_STATES));
	ck_assert_str_eq(model_runtime(m, &why)->version, "99");
	ck_assert_str_eq(states_name(model_states(m), 0x200), "fake_state");
	ck_assert_ptr_null(states_name(model_states(m), 0x201));
	end();
}
END_TEST

START_TEST(test_finalize_and_begin_again)
{
	begin("", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_int_eq(model_finalize(m), 0);
	ck_assert_uint_eq(blocks_count(), 0);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_int_eq(model_initialize_again(m, 199001), ompd_rc_unsupported);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	end();
}
END_TEST

START_TEST(test_no_thread_is_openmp)
{
	begin("no_threads", 4);
	ck_assert_err(walk(SNAPSHOT_ALL), ERR_OPENMP_NOT_STARTED);
	end();
}
END_TEST

START_TEST(test_unknown_layout_names_the_reason)
{
	begin("incompatible", 4);
	struct error *err = walk(SNAPSHOT_ALL);

	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_nonnull(strstr(err->message, "a layout from the future"));
	ck_assert_str_eq(err->details[0].value, "/lib/libgomp.so.1");
	ck_assert_str_eq(err->details[1].value, "abcd");
	error_destroy(err);
	end();
}
END_TEST

START_TEST(test_cyclic_chains_are_cut)
{
	begin("cyclic", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert(s.cyclic);
	for (size_t i = 0; i < s.n_parallels; i++) {
		size_t steps = 0;

		for (uint32_t at = (uint32_t)i; at != SNAPSHOT_NONE; at = s.parallels[at].enclosing.index)
			ck_assert_uint_le(++steps, s.n_parallels);
	}
	for (size_t i = 0; i < s.n_tasks; i++) {
		size_t steps = 0;

		for (uint32_t at = (uint32_t)i; at != SNAPSHOT_NONE; at = s.tasks[at].generating.index)
			ck_assert_uint_le(++steps, s.n_tasks);
	}
	end();
}
END_TEST

START_TEST(test_endless_chain_is_cut_and_reported)
{
	begin("endless", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert(s.truncated);
	ck_assert_uint_le(s.n_parallels, MODEL_MAX_DEPTH + 2);
	end();
}
END_TEST

START_TEST(test_team_size_that_cannot_be)
{
	begin("wild_size", 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.parallels[s.threads[0].parallel.index].n_members, 4);
	end();
}
END_TEST

static const char *const misbehaviours[] = {
	"wild_rc", "null_handle", "ok_without_handle", "cyclic_icvs", "endless_states", "cannot_compare",
};

START_TEST(test_nonsense_is_an_error_that_says_so)
{
	begin(misbehaviours[_i], 4);
	ck_assert_err(walk(SNAPSHOT_ALL), ERR_PLUGIN_MISBEHAVED);
	end();
}
END_TEST

static const char *const tolerated[] = {"constants", "frees_twice", "prints"};

START_TEST(test_what_old_libraries_do_is_tolerated)
{
	begin(tolerated[_i], 4);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.n_tasks, 6);
	end();
}
END_TEST

static const char *const crashes[] = {"crash", "abort", "exit", "_exit"};

START_TEST(test_crash_ends_the_process)
{
	begin(crashes[_i], 4);
	error_destroy(walk(SNAPSHOT_ALL));
}
END_TEST

START_TEST(test_hang_ends_the_process)
{
	begin("hang", 4);
	error_destroy(walk(SNAPSHOT_ALL));
}
END_TEST

START_TEST(test_target_that_exits_meanwhile)
{
	begin("reads", 4);
	fake_target_fail(t, ERR_TARGET_EXITED);
	ck_assert_err(walk(SNAPSHOT_ALL), ERR_TARGET_EXITED);
	end();
}
END_TEST

START_TEST(test_stop_that_runs_out_meanwhile)
{
	begin("reads", 4);
	fake_target_fail(t, ERR_STOP_TIMEOUT);
	ck_assert_err(walk(SNAPSHOT_ALL), ERR_STOP_TIMEOUT);
	end();
}
END_TEST

START_TEST(test_hundreds_of_threads)
{
	/* An emulated processor needs longer than the other tests allow. */
	options.timeout_ms = 60000;
	begin("", 2000);
	ck_assert_no_err(walk(SNAPSHOT_ALL));
	ck_assert_uint_eq(s.n_openmp, 2000);
	ck_assert_uint_eq(s.n_tasks, 2002);
	ck_assert_uint_eq(s.parallels[s.threads[0].parallel.index].n_members, 2000);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *c = tcase_create("walk_snapshot");

	tcase_add_test(c, test_threads);
	tcase_add_test(c, test_parallels_and_their_members);
	tcase_add_test(c, test_tasks);
	tcase_add_test(c, test_icvs);
	tcase_add_test(c, test_walk_again_in_the_same_epoch_gives_the_same_names);
	tcase_add_test(c, test_no_objects_are_left_behind);
	tcase_add_test(c, test_names_and_version_are_learned);
	tcase_add_test(c, test_finalize_and_begin_again);
	tcase_add_test(c, test_no_thread_is_openmp);
	tcase_add_test(c, test_unknown_layout_names_the_reason);
	tcase_add_test(c, test_cyclic_chains_are_cut);
	tcase_add_test(c, test_endless_chain_is_cut_and_reported);
	tcase_add_test(c, test_team_size_that_cannot_be);
	tcase_add_loop_test(c, test_nonsense_is_an_error_that_says_so, 0, 6);
	tcase_add_loop_test(c, test_what_old_libraries_do_is_tolerated, 0, 3);
	tcase_add_loop_exit_test(c, test_crash_ends_the_process, CONTRACT_EXIT_PLUGIN_CRASHED, 0, 4);
	tcase_add_exit_test(c, test_hang_ends_the_process, CONTRACT_EXIT_PLUGIN_HUNG);
	tcase_add_test(c, test_target_that_exits_meanwhile);
	tcase_add_test(c, test_stop_that_runs_out_meanwhile);
	tcase_add_test(c, test_hundreds_of_threads);
	suite_add_tcase(suite, c);
	return check_main(suite);
}
