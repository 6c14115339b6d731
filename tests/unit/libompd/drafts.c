/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The routines of the 2014 and 2016 drafts on this process's runtime: they return the same as those
 * of 5.2 and omp_get_*().
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "ompd-drafts.h"
#include "libompd_oracle.h"
#include "self_target.h"

static void program(void)
{
	omp_set_dynamic(0);
	omp_set_schedule(omp_sched_dynamic, 7);
	oracle_allow_nesting(3);
#pragma omp parallel num_threads(2) proc_bind(spread)
#pragma omp parallel num_threads(3)
	oracle_park(10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
}

#define CK_VALUE(call, expected)                                                                                       \
	do {                                                                                                           \
		ompd_tword_t ck_value = -1;                                                                            \
		ck_assert_int_eq(call, ompd_rc_ok);                                                                    \
		ck_assert_int_eq(ck_value, expected);                                                                  \
	} while (0)

static void check_view(const struct oracle_view *view)
{
	ompd_thread_handle_t *thread = oracle_thread(view);
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	ompd_tword_t modifier;
	ompd_sched_t kind;
	ompd_proc_bind_t bind;
	uint64_t pthread = 0;

	ck_assert_int_eq(ompd_get_top_parallel_region(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_top_task_region(thread, &task), ompd_rc_ok);
	CK_VALUE(ompd_get_thread_num(thread, &ck_value), view->thread_num);
	CK_VALUE(ompd_get_max_active_levels(thread, &ck_value), view->max_active_levels);
	CK_VALUE(ompd_get_num_threads(region, &ck_value), view->num_threads);
	CK_VALUE(ompd_get_level(region, &ck_value), view->level);
	CK_VALUE(ompd_get_active_level(task, &ck_value), view->active_level);
	CK_VALUE(ompd_get_max_threads(task, &ck_value), view->max_threads);
	CK_VALUE(ompd_in_parallel(task, &ck_value), view->active_level > 0);
	CK_VALUE(ompd_in_final(task, &ck_value), view->in_final);
	CK_VALUE(ompd_get_dynamic(task, &ck_value), view->dynamic);
	CK_VALUE(ompd_get_nested(task, &ck_value), view->max_active_levels > 1);
	CK_VALUE(ompd_is_implicit(task, &ck_value), 1);
	ck_assert_int_eq(ompd_get_schedule(task, &kind, &modifier), ompd_rc_ok);
	ck_assert_int_eq(kind, ompd_sched_dynamic);
	ck_assert_int_eq(modifier, view->chunk);
	ck_assert_int_eq(ompd_get_proc_bind(task, &bind), ompd_rc_ok);
	ck_assert_int_eq((int)bind, view->bind);
	ck_assert_int_eq(ompd_get_osthread(thread, ompd_osthread_pthread, sizeof(pthread), &pthread), ompd_rc_ok);
	ck_assert_uint_eq(pthread, (uint64_t)view->thread);
	ck_assert_int_eq(ompd_release_task_handle(task), ompd_rc_ok);
	ck_assert_int_eq(ompd_release_parallel_handle(region), ompd_rc_ok);
	ck_assert_int_eq(ompd_release_thread_handle(thread), ompd_rc_ok);
}

static void observe_values(void)
{
	ompd_tword_t val;

	for (int i = 0; i < oracle_count; i++)
		check_view(&oracle_views[i]);
	ck_assert_int_eq(ompd_get_num_procs(oracle_process, &val), ompd_rc_ok);
	ck_assert_int_eq(val, omp_get_num_procs());
	ck_assert_int_eq(ompd_get_thread_limit(oracle_process, &val), ompd_rc_ok);
	ck_assert_int_eq(val, oracle_views[0].thread_limit);
}

/* The text has the strings of the vector, in the same order. */
static void observe_control_vars(void)
{
	const char *text, *at;
	const char *const *vars;

	ck_assert_int_eq(ompd_display_control_vars(oracle_process, NULL), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_display_control_vars(NULL, &text), ompd_rc_stale_handle);
	ck_assert_int_eq(ompd_display_control_vars(oracle_process, &text), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_display_control_vars(oracle_process, &vars), ompd_rc_ok);
	at = text;
	for (size_t i = 0; vars[i]; i++) {
		if (i)
			ck_assert_int_eq(*at++, '\n');
		ck_assert(!strncmp(at, vars[i], strlen(vars[i])));
		at += strlen(vars[i]);
	}
	ck_assert_int_eq(*at, '\0');
	ck_assert_ptr_ne(at, text);
	ck_assert_int_eq(ompd_release_display_control_vars(vars), ompd_rc_ok);
	self_target_callbacks()->free_memory((void *)(uintptr_t)text);
}

START_TEST(test_control_vars_as_one_text)
{
	oracle_run(program, 6, 0, observe_control_vars);
}
END_TEST

START_TEST(test_values_are_those_of_the_program)
{
	oracle_run(program, 6, 0, observe_values);
}
END_TEST

static char *thread_name(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	char *name;

	ck_assert_int_eq(ompd_get_thread_handle_string_id(thread, &name), ompd_rc_ok);
	ompd_release_thread_handle(thread);
	return name;
}

static char *region_name(int tag, bool enclosing)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_parallel_handle_t *region, *outer;
	ompd_parallel_id_t id;
	char *name;

	ck_assert_int_eq(ompd_get_top_parallel_region(thread, &region), ompd_rc_ok);
	if (enclosing) {
		ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
		ompd_release_parallel_handle(region);
		region = outer;
	}
	ck_assert_int_eq(ompd_get_parallel_handle_string_id(region, &name), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_parallel_id(region, &id), ompd_rc_ok);
	ck_assert_uint_ne(id, 0);
	ompd_release_parallel_handle(region);
	ompd_release_thread_handle(thread);
	return name;
}

static char *task_name(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_task_handle_t *task;
	ompd_task_id_t id;
	char *name;

	ck_assert_int_eq(ompd_get_top_task_region(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_task_handle_string_id(task, &name), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_task_id(task, &id), ompd_rc_ok);
	ck_assert_uint_ne(id, 0);
	ompd_release_task_handle(task);
	ompd_release_thread_handle(thread);
	return name;
}

/* Return whether both are well-formed and equal; frees them as their owner, the tool. */
static bool same(char *a, char *b)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	bool ret = !strcmp(a, b);

	ck_assert_uint_eq(strspn(a, allowed), strlen(a));
	ck_assert_uint_gt(strlen(a), 0);
	self_target_callbacks()->free_memory(a);
	self_target_callbacks()->free_memory(b);
	return ret;
}

static void observe_names(void)
{
	ck_assert(same(thread_name(1), thread_name(1)));
	ck_assert(!same(thread_name(1), thread_name(2)));
	ck_assert(same(region_name(1, false), region_name(2, false)));
	ck_assert(!same(region_name(1, false), region_name(11, false)));
	ck_assert(same(region_name(1, true), region_name(11, true)));
	ck_assert(!same(region_name(1, false), region_name(1, true)));
	ck_assert(same(task_name(1), task_name(1)));
	ck_assert(!same(task_name(1), task_name(2)));
}

START_TEST(test_string_ids_compare_as_handles_do)
{
	oracle_run(program, 6, 0, observe_names);
}
END_TEST

/* Return the id of the level-0 region, reached from the thread of view @tag. */
static ompd_parallel_id_t id_of_level_0(int tag)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(tag));
	ompd_parallel_handle_t *region, *outer;
	ompd_parallel_id_t id;

	ck_assert_int_eq(ompd_get_top_parallel_region(thread, &region), ompd_rc_ok);
	while (ompd_get_enclosing_parallel_handle(region, &outer) == ompd_rc_ok) {
		ompd_release_parallel_handle(region);
		region = outer;
	}
	ck_assert_int_eq(ompd_get_parallel_id(region, &id), ompd_rc_ok);
	ompd_release_parallel_handle(region);
	ompd_release_thread_handle(thread);
	return id;
}

static void observe_one_id(void)
{
	for (int i = 1; i < oracle_count; i++)
		ck_assert_uint_eq(id_of_level_0(oracle_views[i].tag), id_of_level_0(oracle_views[0].tag));
}

START_TEST(test_a_region_has_one_id_from_every_thread)
{
	oracle_run(program, 6, 0, observe_one_id);
}
END_TEST

static void observe_ancestors(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(12));
	ompd_parallel_handle_t *region, *same_region, *outer, *same_outer;
	ompd_task_handle_t *task, *parent, *same_parent;
	ompd_tword_t level;
	int cmp = -1;

	ck_assert_int_eq(ompd_get_innermost_parallel_region(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_curr_parallel_handle(thread, &same_region), ompd_rc_ok);
	ck_assert_int_eq(ompd_parallel_handle_compare(region, same_region, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_get_ancestor_parallel_handle(region, &outer), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_enclosing_parallel_handle(region, &same_outer), ompd_rc_ok);
	ck_assert_int_eq(ompd_parallel_handle_compare(outer, same_outer, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_get_level(outer, &level), ompd_rc_ok);
	ck_assert_int_eq(level, 1);
	ck_assert_int_eq(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_ancestor_task_handle(task, &parent), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_generating_task_handle(task, &same_parent), ompd_rc_ok);
	ck_assert_int_eq(ompd_task_handle_compare(parent, same_parent, &cmp), ompd_rc_ok);
	ck_assert_int_eq(cmp, 0);
	ck_assert_int_eq(ompd_task_handle_compare(parent, task, &cmp), ompd_rc_ok);
	ck_assert_int_ne(cmp, 0);
	ompd_rel_task_handle(same_parent);
	ompd_rel_task_handle(parent);
	ompd_rel_task_handle(task);
	ompd_rel_parallel_handle(same_outer);
	ompd_rel_parallel_handle(outer);
	ompd_rel_parallel_handle(same_region);
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
}

START_TEST(test_ancestors)
{
	oracle_run(program, 6, 0, observe_ancestors);
}
END_TEST

static void observe_lists(void)
{
	ompd_thread_handle_t *thread = oracle_thread(oracle_view(12)), *primary, **threads;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t **tasks;
	uint64_t id;
	int n = 0, cmp;

	ck_assert_int_eq(ompd_get_top_parallel_region(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_implicit_task_in_parallel(region, NULL, &n), ompd_rc_ok);
	ck_assert_int_eq(n, 3);
	ck_assert_int_eq(ompd_get_implicit_task_in_parallel(region, &tasks, &n), ompd_rc_ok);
	ck_assert_int_eq(n, 3);
	ck_assert_int_eq(ompd_task_handle_compare(tasks[0], tasks[1], &cmp), ompd_rc_ok);
	ck_assert_int_ne(cmp, 0);
	for (int i = 0; i < n; i++)
		ompd_release_task_handle(tasks[i]);
	self_target_callbacks()->free_memory(tasks);

	ck_assert_int_eq(ompd_get_master_thread_in_parallel(region, &primary), ompd_rc_ok);
	ck_assert_int_eq(ompd_get_osthread(primary, ompd_osthread_pthread, sizeof(id), &id), ompd_rc_ok);
	ck_assert_uint_eq(id, (uint64_t)oracle_view(10)->thread);

	/* Stock libgomp has no list of its threads. */
	ompd_rc_t rc = ompd_get_threads(oracle_process, &threads, &n);
	if (rc != ompd_rc_unsupported) {
		ck_assert_int_eq(rc, ompd_rc_ok);
		ck_assert_int_ge(n, 6);
		int found = 0;
		for (int i = 0; i < n; i++) {
			ck_assert_int_eq(ompd_thread_handle_compare(threads[i], thread, &cmp), ompd_rc_ok);
			found += cmp == 0;
			ompd_release_thread_handle(threads[i]);
		}
		ck_assert_int_eq(found, 1);
		self_target_callbacks()->free_memory(threads);
	}
	ompd_release_thread_handle(primary);
	ompd_release_parallel_handle(region);
	ompd_release_thread_handle(thread);
}

START_TEST(test_lists)
{
	oracle_run(program, 6, 0, observe_lists);
}
END_TEST

START_TEST(test_versions_and_errors)
{
	const char *text;
	int version;

	ck_assert_int_eq(ompd_get_version(&version), ompd_rc_ok);
	ck_assert_int_eq(version, 2);
	ck_assert_int_eq(ompd_get_version(NULL), ompd_rc_bad_input);
	for (int rc = ompd_rc_ok; rc <= ompd_rc_callback_error; rc++) {
		ck_assert_int_eq(ompd_get_error_string(rc, &text), ompd_rc_ok);
		ck_assert_uint_gt(strlen(text), 10);
	}
	ck_assert_int_eq(ompd_get_error_string(-1, &text), ompd_rc_bad_input);
	ck_assert_int_eq(ompd_get_error_string(99, &text), ompd_rc_bad_input);
}
END_TEST

/* The changed names: a tool of 2016 with its own callbacks, on the library in its installed form. */

static ompd_rc_t old_alloc(ompd_tword_t bytes, void **ptr)
{
	return self_target_callbacks()->alloc_memory((ompd_size_t)bytes, ptr);
}

static ompd_rc_t old_print(const char *string)
{
	return self_target_callbacks()->print_string(string, 0);
}

static ompd_rc_t old_sizes(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes)
{
	(void)context;
	*sizes = (ompd_target_type_sizes_t){1, 2, 4, 8, 8, 8};
	return ompd_rc_ok;
}

static ompd_rc_t old_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *name,
			    ompd_address_t *address)
{
	return self_target_callbacks()->symbol_addr_lookup(context, thread, name, address, NULL);
}

static ompd_rc_t old_read(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			  const ompd_address_t *address, ompd_tword_t nbytes, void *buffer)
{
	return self_target_callbacks()->read_memory(context, thread, address, (ompd_size_t)nbytes, buffer);
}

static ompd_rc_t old_to_host(ompd_address_space_context_t *context, const void *input, int unit_size, int count,
			     void *output)
{
	return self_target_callbacks()->device_to_host(context, input, (ompd_size_t)unit_size, (ompd_size_t)count,
						       output);
}

static ompd_rc_t old_context(ompd_address_space_context_t *context, ompd_osthread_kind_t kind, ompd_size_t size,
			     const void *id, ompd_thread_context_t **thread)
{
	return self_target_callbacks()->get_thread_context_for_thread_id(context, (ompd_thread_id_t)kind, size, id,
									 thread);
}

#define OLD(library, name) __extension__((ompd_2016_##name##_fn_t)dlvsym(library, "ompd_" #name, OMPD_2016_VERSION))
#define NEW(library, name) __extension__((__typeof__(&ompd_##name))dlsym(library, "ompd_" #name))

static void observe_2016(void)
{
	const ompd_2016_callbacks_t callbacks = {
		.d_alloc_memory = old_alloc,
		.d_free_memory = self_target_callbacks()->free_memory,
		.print_string = old_print,
		.t_sizeof_prim_type = old_sizes,
		.t_symbol_addr_lookup = old_symbol,
		.t_read_memory = old_read,
		.target_to_host = old_to_host,
		.get_thread_context_for_osthread = old_context,
	};
	void *library = dlopen(LIBOMPD, RTLD_NOW | RTLD_LOCAL);
	ompd_address_space_handle_t *process;
	ompd_parallel_handle_t *region;
	ompd_thread_handle_t *thread, **threads;
	ompd_2016_callbacks_t broken = callbacks;
	uint64_t id = (uint64_t)oracle_view(10)->thread, stranger = (uint64_t)pthread_self(), found;
	int n;

	ck_assert_msg(library != NULL, "%s", dlerror());
	broken.t_read_memory = NULL;
	ck_assert_int_eq(OLD(library, initialize)(&broken), ompd_rc_bad_input);
	ck_assert_int_eq(OLD(library, initialize)(&callbacks), ompd_rc_ok);
	ck_assert_int_eq(NEW(library, process_initialize)(self_target_context(), &process), ompd_rc_ok);
	ck_assert_int_eq(OLD(library, get_thread_handle)(process, ompd_osthread_pthread, sizeof(id), &id, &thread),
			 ompd_rc_ok);
	ck_assert_int_eq(NEW(library, get_curr_parallel_handle)(thread, &region), ompd_rc_ok);
	ck_assert_int_eq(OLD(library, get_thread_in_parallel)(region, &threads, &n), ompd_rc_ok);
	ck_assert_int_eq(n, 3);
	for (int i = 0; i < n; i++) {
		ck_assert_int_eq(NEW(library, get_thread_id)(threads[i], OMPD_THREAD_ID_PTHREAD, sizeof(found), &found),
				 ompd_rc_ok);
		ck_assert_uint_eq(found, (uint64_t)oracle_view(10 + i)->thread);
		NEW(library, rel_thread_handle)(threads[i]);
	}
	self_target_callbacks()->free_memory(threads);
	NEW(library, rel_parallel_handle)(region);
	NEW(library, rel_thread_handle)(thread);
	/* This thread has never encountered the runtime. */
	ck_assert_int_eq(
		OLD(library, get_thread_handle)(process, ompd_osthread_pthread, sizeof(stranger), &stranger, &thread),
		ompd_rc_bad_input);
	ck_assert_ptr_null(thread);
	NEW(library, rel_address_space_handle)(process);
	ck_assert_int_eq(NEW(library, finalize)(), ompd_rc_ok);
	dlclose(library);
}

START_TEST(test_names_of_2016)
{
	oracle_run(program, 6, 0, observe_2016);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("libompd_drafts");
	TCase *c = tcase_create("drafts");

	tcase_add_checked_fixture(c, NULL, self_target_reset);
	tcase_add_test(c, test_values_are_those_of_the_program);
	tcase_add_test(c, test_control_vars_as_one_text);
	tcase_add_test(c, test_string_ids_compare_as_handles_do);
	tcase_add_test(c, test_a_region_has_one_id_from_every_thread);
	tcase_add_test(c, test_ancestors);
	tcase_add_test(c, test_lists);
	tcase_add_test(c, test_versions_and_errors);
	tcase_add_test(c, test_names_of_2016);
	suite_add_tcase(s, c);
	return check_main(s);
}
