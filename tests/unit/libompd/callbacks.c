/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The number of callbacks for memory that a whole snapshot needs (openmp/model/walk/walk.c), for each
 * thread of a team.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "ompd-more.h"
#include "libompd_oracle.h"
#include "self_target.h"

#define N_THREADS 64
#define MAX_ICVS  64
/* Limits for each thread, with a view and for a tool without views: reads and bytes. */
#define MAX_READS	  30
#define MAX_BYTES	  5000
#define MAX_READS_NO_VIEW 75
/* Stock libgomp counts no uses: each routine reads the threads to see whether a handle is stale. */
#define MAX_READS_STOCK 145

static struct {
	ompd_icv_id_t id;
	ompd_scope_t scope;
} icvs[MAX_ICVS];
static size_t n_icvs;

static void enumerate(void)
{
	int more = 1;

	for (n_icvs = 0; more && n_icvs < MAX_ICVS; n_icvs++) {
		const char *name;

		ck_assert_int_eq(ompd_enumerate_icvs(oracle_process, n_icvs ? icvs[n_icvs - 1].id : ompd_icv_undefined,
						     &icvs[n_icvs].id, &name, &icvs[n_icvs].scope, &more),
				 ompd_rc_ok);
		/* Aliases of other ICVs, which a snapshot leaves out. */
		if (!strncmp(name, "ompd-", 5) || !strcmp(name, "implicit-task-var"))
			icvs[n_icvs].scope = ompd_scope_global;
		self_target_callbacks()->free_memory((void *)(uintptr_t)name);
	}
	ck_assert_int_eq(more, 0);
}

static void walk_icvs(void *handle, ompd_scope_t scope)
{
	for (size_t i = 0; i < n_icvs; i++) {
		ompd_word_t value;
		const char *text;

		if (icvs[i].scope != scope)
			continue;
		ompd_rc_t rc = ompd_get_icv_from_scope(handle, scope, icvs[i].id, &value);

		if (rc != ompd_rc_incomplete && rc != ompd_rc_incompatible)
			continue;
		if (ompd_get_icv_string_from_scope(handle, scope, icvs[i].id, &text) == ompd_rc_ok)
			self_target_callbacks()->free_memory((void *)(uintptr_t)text);
	}
}

static void walk_task(ompd_task_handle_t *task)
{
	ompd_parallel_handle_t *region;
	ompd_frame_info_t leave, enter;
	ompd_task_handle_t *other;
	ompd_address_t entry;

	ck_assert_int_eq(ompd_get_task_parallel_handle(task, &region), ompd_rc_ok);
	ompd_rel_parallel_handle(region);
	if (ompd_get_generating_task_handle(task, &other) == ompd_rc_ok)
		ompd_rel_task_handle(other);
	if (ompd_get_scheduling_task_handle(task, &other) == ompd_rc_ok)
		ompd_rel_task_handle(other);
	ompd_get_task_function(task, &entry);
	walk_icvs(task, ompd_scope_task);
	walk_icvs(task, ompd_scope_implicit_task);
	ompd_get_task_frame(task, &leave, &enter);
}

static void walk_region(ompd_parallel_handle_t *region)
{
	ompd_parallel_handle_t *outer;

	ompd_task_handle_t **tasks;
	ompd_word_t n, total;

	walk_icvs(region, ompd_scope_parallel);
	ompd_rc_t rc = ompd_get_queued_tasks(region, 100, &tasks, &n, &total);
	ck_assert(rc == ompd_rc_unsupported || (rc == ompd_rc_ok && !n));
	if (ompd_get_enclosing_parallel_handle(region, &outer) == ompd_rc_ok)
		ompd_rel_parallel_handle(outer);
}

static void walk_all(void)
{
	static ompd_task_handle_t *tasks[N_THREADS];
	ompd_parallel_handle_t *region = NULL;

	for (int i = 0; i < oracle_count; i++) {
		uint64_t pthread = (uint64_t)oracle_views[i].thread;
		ompd_thread_handle_t *thread;
		ompd_wait_id_t wait;
		ompd_word_t state;

		ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
							&pthread, &thread),
				 ompd_rc_ok);
		ompd_get_state(thread, &state, &wait);
		walk_icvs(thread, ompd_scope_thread);
		if (region)
			ompd_rel_parallel_handle(region);
		ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
		ck_assert_int_eq(ompd_get_curr_task_handle(thread, &tasks[i]), ompd_rc_ok);
		ompd_rel_thread_handle(thread);
	}
	for (int i = 0; i < oracle_count; i++) {
		walk_task(tasks[i]);
		ompd_rel_task_handle(tasks[i]);
	}
	walk_region(region);
	ompd_rel_parallel_handle(region);
}

static void program(void)
{
#pragma omp parallel num_threads(N_THREADS)
	oracle_park(omp_get_thread_num());
}

static void count(const char *how, double max_reads, double max_bytes)
{
	uint64_t reads = self_target.reads, bytes = self_target.bytes_read;

	walk_all();
	double each = (double)(self_target.reads - reads) / N_THREADS;
	double bytes_each = (double)(self_target.bytes_read - bytes) / N_THREADS;

	printf("%s: %.1f reads of %.0f bytes for each thread\n", how, each, bytes_each);
	ck_assert_double_le(each, max_reads);
	ck_assert_double_le(bytes_each, max_bytes);
}

/* Return the number of reads for the state of a thread. */
static uint64_t ask_state(ompd_thread_handle_t *thread)
{
	uint64_t before = self_target.reads;
	ompd_wait_id_t wait;
	ompd_word_t state;

	ompd_get_state(thread, &state, &wait);
	return self_target.reads - before;
}

static void observe_views(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(1));
	uint64_t reads = ask_state(thread);

	ck_assert_uint_gt(reads, 0);
	ck_assert_uint_eq(ask_state(thread), reads);
	ck_assert_int_eq(ompd_begin_view(oracle_process), ompd_rc_ok);
	ck_assert_uint_eq(ask_state(thread), reads);
	ck_assert_uint_eq(ask_state(thread), 0);
	ck_assert_int_eq(ompd_begin_view(oracle_process), ompd_rc_ok);
	ck_assert_uint_eq(ask_state(thread), reads);
	ck_assert_int_eq(ompd_end_view(oracle_process), ompd_rc_ok);
	ck_assert_uint_eq(ask_state(thread), reads);
	ck_assert_uint_eq(ask_state(thread), reads);
	ck_assert_int_ne(ompd_begin_view(NULL), ompd_rc_ok);
	ck_assert_int_ne(ompd_end_view((ompd_address_space_handle_t *)thread), ompd_rc_ok);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_without_a_view_each_question_reads_anew)
{
	oracle_run(program, N_THREADS, N_THREADS, observe_views);
}
END_TEST

static void observe(void)
{
	enumerate();
	count("no view", oracle_runtime_is_ours() ? MAX_READS_NO_VIEW : MAX_READS_STOCK, 1e9);
	ck_assert_int_eq(ompd_begin_view(oracle_process), ompd_rc_ok);
	count("in a view", MAX_READS, MAX_BYTES);
	ck_assert_int_eq(ompd_end_view(oracle_process), ompd_rc_ok);
}

START_TEST(test_each_structure_is_read_once)
{
	oracle_run(program, N_THREADS, N_THREADS, observe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reads");
	TCase *tcase = tcase_create("walk");

	tcase_add_test(tcase, test_without_a_view_each_question_reads_anew);
	tcase_add_test(tcase, test_each_structure_is_read_once);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
