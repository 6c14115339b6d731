/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Targets whose libgomp is absent, strange or of an unknown version. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "gomp/gomp.h"
#include "handles.h"
#include "libompd_oracle.h"
#include "self_target.h"

static void program(void)
{
#pragma omp parallel num_threads(2)
	oracle_park(omp_get_thread_num());
}

static ompd_address_space_handle_t *open_again(ompd_rc_t expected)
{
	ompd_address_space_handle_t *as = NULL;
	ompd_rc_t rc = ompd_process_initialize(self_target_context(), &as);

	ck_assert_msg(rc == expected, "rc %d: %s", rc, self_target.printed);
	ck_assert_int_eq(as != NULL, rc == ompd_rc_ok);
	return as;
}

static const struct gomp *gomp(ompd_address_space_handle_t *as)
{
	return as->base.process->data;
}

static void observe_no_libgomp(void)
{
	self_target.hide[0] = "GOMP_parallel";
	open_again(ompd_rc_unavailable);
	ck_assert_ptr_nonnull(strstr(self_target.printed, "no libgomp"));
}

START_TEST(test_layout_without_libgomp)
{
	oracle_run(program, 2, 0, observe_no_libgomp);
}
END_TEST

/* A static executable, or a tool that does not know files. */
static void observe_no_files(void)
{
	self_target.no_files = true;
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_int_eq(gomp(as)->version, gomp(oracle_process)->version);
	ompd_rel_address_space_handle(as);
	/*
	 * LLVM's runtime may be loaded too and has functions of the same names: only their code
	 * shows the runtime.
	 */
	self_target.rename[0][0] = "__kmpc_fork_call";
	self_target.rename[0][1] = "GOMP_parallel";
	as = open_again(ompd_rc_ok);
	ck_assert_str_eq(as->base.process->backend->name, "gomp");
	ompd_rel_address_space_handle(as);
	self_target.rename[1][0] = "omp_get_level";
	self_target.rename[1][1] = "GOMP_barrier";
	open_again(ompd_rc_incompatible);
	ck_assert_ptr_nonnull(strstr(self_target.printed, "layout of libomp "));
	self_target_reset();
}

START_TEST(test_layout_libgomp_in_no_file_of_its_name)
{
	oracle_run(program, 2, 0, observe_no_files);
}
END_TEST

static void observe_foreign_accessor(void)
{
	static const char *const core[] = {"omp_get_thread_num", "omp_get_level", "omp_get_active_level",
					   "omp_get_num_threads", "omp_get_max_threads"};

	for (size_t i = 0; i < 5; i++) {
		self_target_reset();
		self_target.rename[0][0] = core[i];
		self_target.rename[0][1] = "strtol";
		open_again(ompd_rc_incompatible);
		ck_assert_ptr_nonnull(strstr(self_target.printed, core[i]));
	}
	/* The accessor of another field does not return a thread number: the offsets disagree. */
	self_target_reset();
	self_target.rename[0][0] = "omp_get_ancestor_thread_num";
	self_target.rename[0][1] = "omp_get_team_size";
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_int_ne(gomp(as)->version, 0);
	ompd_rel_address_space_handle(as);
	self_target_reset();
}

START_TEST(test_layout_code_is_not_libgomps)
{
	oracle_run(program, 2, 0, observe_foreign_accessor);
}
END_TEST

static void check_icv(ompd_task_handle_t *task, const char *name, long expected)
{
	ompd_word_t value = -5;

	ck_assert_int_eq(oracle_icv(task, ompd_scope_task, name, &value), ompd_rc_ok);
	ck_assert_int_eq(value, expected);
}

/* With accessors only, the facts that they show are correct, and the rest is unavailable. */
static void check_accessors_only(ompd_address_space_handle_t *as)
{
	const struct oracle_view *root = oracle_view(0), *worker = oracle_view(1);
	uint64_t id = (uint64_t)root->thread;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region = NULL;
	ompd_task_handle_t *task = NULL, *parent = NULL;
	ompd_word_t value = -1;
	ompd_address_t entry;

	ck_assert_int_eq(gomp(as)->version, 0);
	ck_assert_int_eq(ompd_get_omp_version(as, &value), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "team-size-var", &value), ompd_rc_ok);
	ck_assert_int_eq(value, root->num_threads);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	check_icv(task, "nthreads-var", root->max_threads);
	check_icv(task, "dyn-var", root->dynamic);
	check_icv(task, "final-task-var", 0);
	if (!offset_known(gomp(as)->layout.task_kind)) /* proven by an accessor since 13 */
		ck_assert_int_eq(oracle_icv(task, ompd_scope_task, "explicit-task-var", &value), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_generating_task_handle(task, &parent), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_task_function(task, &entry), ompd_rc_unavailable);
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);

	/* A worker may be in the dock. Without its pool, this cannot be determined. */
	id = (uint64_t)worker->thread;
	region = NULL;
	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_unavailable);
	ck_assert_int_eq(ompd_get_state(thread, &value, NULL), ompd_rc_unavailable);
	ck_assert_ptr_null(region);
	ompd_rel_thread_handle(thread);
}

static const char *const probes[] = {
	"omp_target_memset", "GOMP_interop",	  "GOMP_add_alloc", "omp_in_explicit_task",
	"omp_display_env",   "omp_fulfill_event", "acc_attach",	    "omp_pause_resource",
};

static void observe_unknown_version(void)
{
	self_target_reset();
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		self_target.hide[i] = probes[i];
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_ptr_nonnull(strstr(self_target.printed, "unknown version"));
	check_accessors_only(as);
	ompd_rel_address_space_handle(as);
	self_target_reset();
}

START_TEST(test_layout_unknown_version_shows_what_accessors_show)
{
	oracle_run(program, 2, 0, observe_unknown_version);
}
END_TEST

/* libgomp looks like a version, but its code contradicts the row of that version. */
static void observe_disagreement(void)
{
	self_target_reset();
	/*
	 * Use the row of another version: 9 has smaller structures than later versions, 16 larger
	 * ones than 12.
	 */
	bool old = gomp(oracle_process)->version <= 12;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		if (strcmp(probes[i], old ? "omp_target_memset" : "omp_pause_resource"))
			self_target.hide[n++] = probes[i];
	self_target.rename[0][0] = "omp_target_memset";
	self_target.rename[0][1] = "omp_get_level";
	if (!old)
		self_target.hide[n++] = "omp_target_memset";
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_ptr_nonnull(strstr(self_target.printed, "but differs in"));
	check_accessors_only(as);
	ompd_rel_address_space_handle(as);
	self_target_reset();
}

START_TEST(test_layout_table_that_the_code_contradicts)
{
	oracle_run(program, 2, 0, observe_disagreement);
}
END_TEST

static void observe_32_bit(void)
{
	self_target.pointer_size = 4;
	open_again(ompd_rc_incompatible);
	ck_assert_ptr_nonnull(strstr(self_target.printed, "not a 64-bit process"));
	self_target_reset();
}

START_TEST(test_layout_other_word_size)
{
	oracle_run(program, 2, 0, observe_32_bit);
}
END_TEST

/* Without glibc's data, kernel ids are unavailable, but pthread ids are available. */
static void observe_without_glibc(void)
{
	uint32_t lwp = (uint32_t)oracle_view(0)->tid;
	uint64_t id = (uint64_t)oracle_view(0)->thread;
	ompd_thread_handle_t *thread = NULL;

	self_target_reset();
	self_target.hide[0] = "errno";
	self_target.hide[1] = "_thread_db_pthread_tid";
	self_target.hide[2] = "gomp_tls_data";
	ompd_address_space_handle_t *as = open_again(ompd_rc_ok);

	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp, &thread),
			 ompd_rc_unavailable);
	ck_assert_ptr_null(thread);
	ck_assert_int_eq(ompd_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id, &thread), ompd_rc_ok);
	lwp = 0;
	ck_assert_int_eq(ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp), ompd_rc_unavailable);
	ck_assert_uint_eq(lwp, 0);
	ompd_rel_thread_handle(thread);
	ompd_rel_address_space_handle(as);
	self_target_reset();
}

START_TEST(test_layout_without_glibcs_descriptors)
{
	oracle_run(program, 2, 0, observe_without_glibc);
}
END_TEST

/*
 * The errno of another library (the dynamic linker) does not lead to a thread pointer: the check of
 * the TCB shows it.
 */
static void observe_wrong_errno(void)
{
	uint32_t lwp = (uint32_t)oracle_view(1)->tid;
	ompd_thread_handle_t *thread = NULL;
	static uint64_t nonsense[8];

	self_target_reset();
	self_target.symbols[0].name = "errno";
	self_target.symbols[0].address = (uint64_t)(uintptr_t)nonsense;
	self_target.hide[0] = "gomp_tls_data";
	ck_assert_int_eq(ompd_get_thread_handle(oracle_process, OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp, &thread),
			 ompd_rc_unavailable);
	ck_assert_ptr_null(thread);
	self_target_reset();
}

START_TEST(test_layout_wrong_errno_is_noticed)
{
	oracle_run(program, 2, 0, observe_wrong_errno);
}
END_TEST

/* The table's row agrees with the accessors of this libgomp in every field that they show. */
static void observe_table(void)
{
	const struct gomp_layout *row = offsets_of(gomp(oracle_process)->version, &gomp_layouts);
	unsigned agreed = 0;

	ck_assert_ptr_nonnull(row);
	ck_assert_ptr_null(offsets_differ(&gomp_layouts, &gomp(oracle_process)->layout, row, &agreed));
	ck_assert_uint_ge(agreed, 30);
	ck_assert_ptr_null(offsets_of(8, &gomp_layouts));
	for (int version = 9; version <= 16; version++)
		ck_assert_ptr_nonnull(offsets_of(version, &gomp_layouts));
}

START_TEST(test_layout_row_of_this_version)
{
	oracle_run(program, 2, 0, observe_table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *tcase = tcase_create("open");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_layout_without_libgomp);
	tcase_add_test(tcase, test_layout_libgomp_in_no_file_of_its_name);
	tcase_add_test(tcase, test_layout_code_is_not_libgomps);
	tcase_add_test(tcase, test_layout_unknown_version_shows_what_accessors_show);
	tcase_add_test(tcase, test_layout_table_that_the_code_contradicts);
	tcase_add_test(tcase, test_layout_other_word_size);
	tcase_add_test(tcase, test_layout_without_glibcs_descriptors);
	tcase_add_test(tcase, test_layout_wrong_errno_is_noticed);
	tcase_add_test(tcase, test_layout_row_of_this_version);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
