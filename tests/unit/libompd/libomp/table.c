/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compare our backend with LLVM's own OMPD library on a stripped libomp. LLVM's library gets a
 * symbol table with the addresses that our backend has derived. Both must agree on all threads,
 * wherever LLVM's library is correct. This process runs on libomp.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "handles.h"
#include "libomp/libomp.h"
#include "libompd_oracle.h"
#include "self_target.h"

static const char *const names[] = {
#define M(type, member) "ompd_access__" #type "__" #member,
#define F(name)
#define S(of)
#include "llvm_names.def"
#undef M
#define M(type, member) "ompd_sizeof__" #type "__" #member,
#include "llvm_names.def"
#undef M
#undef F
#define M(type, member)
#define F(name) "ompd_bitfield__kmp_tasking_flags_t__" #name,
#include "llvm_names.def"
#undef F
#undef S
#define F(name)
#define S(of) "ompd_sizeof__" #of,
#include "llvm_names.def"
#undef M
#undef F
#undef S
};

/* The library's routines that the test calls. */
#define ROUTINES(X)                                                                                                    \
	X(initialize)                                                                                                  \
	X(finalize)                                                                                                    \
	X(process_initialize)                                                                                          \
	X(get_thread_handle)                                                                                           \
	X(get_thread_id)                                                                                               \
	X(get_curr_parallel_handle)                                                                                    \
	X(get_enclosing_parallel_handle)                                                                               \
	X(get_thread_in_parallel)                                                                                      \
	X(get_curr_task_handle)                                                                                        \
	X(get_generating_task_handle)                                                                                  \
	X(get_task_function)                                                                                           \
	X(enumerate_icvs)                                                                                              \
	X(get_icv_from_scope)

#define X(name) static __typeof__(ompd_##name) *llvm_##name;
ROUTINES(X)
#undef X

static ompd_addr_t table;
static bool is_reversed;
static uint64_t no_state;
static int32_t gtid; /* of the thread that LLVM's library requests */

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *name,
			     ompd_address_t *ret, const char *file)
{
	const struct libomp *libomp = oracle_process->base.process->data;

	(void)context, (void)thread, (void)file;
	ret->segment = 0;
	ret->address = !strcmp(name, "__kmp_threads")		 ? libomp->threads
		       : !strcmp(name, "__kmp_gtid")		 ? (uintptr_t)&gtid
		       : !strcmp(name, "ompd_state")		 ? (uintptr_t)&no_state
		       : !strcmp(name, "__kmp_avail_proc")	 ? libomp->num_procs.address
		       : !strcmp(name, "__kmp_omp_cancellation") ? libomp->cancel.address
								 : 0;
	for (size_t i = 0; !ret->address && i < LIBOMP_WORDS; i++)
		if (!strcmp(names[i], name))
			ret->address = table + (is_reversed ? LIBOMP_WORDS - 1 - i : i) * sizeof(uint64_t);
	return ret->address ? ompd_rc_ok : ompd_rc_error;
}

static ompd_thread_handle_t *llvm_thread(ompd_address_space_handle_t *as, const struct oracle_view *view)
{
	ompd_thread_handle_t *own = oracle_thread(view), *thread = NULL;
	struct libomp_thread record;

	ck_assert_int_eq(libomp_thread_read(own->base.process, own->ref.thread, &record), ompd_rc_ok);
	ompd_rel_thread_handle(own);
	gtid = record.gtid;
	ck_assert_int_eq(
		llvm_get_thread_handle(as, OMPD_THREAD_ID_PTHREAD, sizeof(view->thread), &view->thread, &thread),
		ompd_rc_ok);
	return thread;
}

/* Return an ICV from LLVM's library; -1: it is not available. */
static ompd_word_t llvm_icv(ompd_address_space_handle_t *as, void *handle, ompd_scope_t scope, const char *name)
{
	ompd_icv_id_t id = 0, next;
	const char *found;
	ompd_scope_t of;
	ompd_word_t value = 0;
	int more = 1;

	while (more && llvm_enumerate_icvs(as, id, &next, &found, &of, &more) == ompd_rc_ok) {
		bool is_it = !strcmp(found, name);

		self_target_callbacks()->free_memory((void *)(uintptr_t)found);
		id = next;
		if (is_it)
			return llvm_get_icv_from_scope(handle, scope, id, &value) == ompd_rc_ok ? value : -1;
	}
	return -1;
}

static void same_icv(ompd_address_space_handle_t *as, void *own, void *theirs, ompd_scope_t scope, const char *name)
{
	ompd_word_t value = 0, said = llvm_icv(as, theirs, scope, name);

	if (said < 0)
		return;
	ck_assert_int_eq(oracle_icv(own, scope, name, &value), ompd_rc_ok);
	ck_assert_msg(value == said, "%s: %ld, LLVM's library returns %ld", name, (long)value, (long)said);
}

static void same_thread(ompd_thread_handle_t *own, ompd_thread_handle_t *theirs)
{
	uint64_t id = 0, other = 1;

	ck_assert_int_eq(ompd_get_thread_id(own, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id), ompd_rc_ok);
	ck_assert_int_eq(llvm_get_thread_id(theirs, OMPD_THREAD_ID_PTHREAD, sizeof(other), &other), ompd_rc_ok);
	ck_assert_uint_eq(id, other);
}

/* Compare the regions around a thread, and their threads. */
static void same_regions(ompd_address_space_handle_t *as, const struct oracle_view *view, ompd_thread_handle_t *own,
			 ompd_thread_handle_t *theirs)
{
	ompd_parallel_handle_t *region, *other;

	ck_assert_int_eq(ompd_get_curr_parallel_handle(own, &region), ompd_rc_ok);
	ck_assert_int_eq(llvm_get_curr_parallel_handle(theirs, &other), ompd_rc_ok);
	for (int level = view->level; level >= 0; level--) {
		ompd_word_t size;

		same_icv(as, region, other, ompd_scope_parallel, "levels-var");
		same_icv(as, region, other, ompd_scope_parallel, "active-levels-var");
		same_icv(as, region, other, ompd_scope_parallel, "team-size-var");
		ck_assert_int_eq(oracle_icv(region, ompd_scope_parallel, "team-size-var", &size), ompd_rc_ok);
		for (int i = 0; i < (int)size; i++) {
			ompd_thread_handle_t *one, *two;

			ck_assert_int_eq(ompd_get_thread_in_parallel(region, i, &one), ompd_rc_ok);
			ck_assert_int_eq(llvm_get_thread_in_parallel(other, i, &two), ompd_rc_ok);
			same_thread(one, two);
			ompd_rel_thread_handle(one);
		}
		ompd_parallel_handle_t *outer = NULL, *other_outer = NULL;
		ompd_rc_t rc = ompd_get_enclosing_parallel_handle(region, &outer);

		ck_assert_int_eq(rc, level ? ompd_rc_ok : ompd_rc_unavailable);
		if (level)
			ck_assert_int_eq(llvm_get_enclosing_parallel_handle(other, &other_outer), ompd_rc_ok);
		ompd_rel_parallel_handle(region);
		region = outer;
		other = other_outer;
	}
}

/* Compare the current task and the tasks that generated it. */
static void same_tasks(ompd_address_space_handle_t *as, ompd_thread_handle_t *own, ompd_thread_handle_t *theirs)
{
	static const char *const icvs[] = {"nthreads-var",	 "dyn-var",
					   "thread-limit-var",	 "max-active-levels-var",
					   "default-device-var", "implicit-task-var"};
	ompd_task_handle_t *task, *other;

	ck_assert_int_eq(ompd_get_curr_task_handle(own, &task), ompd_rc_ok);
	ck_assert_int_eq(llvm_get_curr_task_handle(theirs, &other), ompd_rc_ok);
	while (task) {
		ompd_task_handle_t *outer = NULL, *other_outer = NULL;
		ompd_address_t one, two;

		for (size_t i = 0; i < sizeof(icvs) / sizeof(icvs[0]); i++)
			same_icv(as, task, other, ompd_scope_task, icvs[i]);
		/* Our backend returns the program's function if gcc's code called a function of libomp. */
		if (ompd_get_task_function(task, &one) == ompd_rc_ok &&
		    llvm_get_task_function(other, &two) == ompd_rc_ok && two.address != one.address) {
			const struct libomp *libomp = oracle_process->base.process->data;

			ck_assert(image_has_code(&libomp->image, two.address));
		}
		ompd_rc_t rc = ompd_get_generating_task_handle(task, &outer);

		ompd_rel_task_handle(task);
		if (rc == ompd_rc_ok)
			ck_assert_int_eq(llvm_get_generating_task_handle(other, &other_outer), ompd_rc_ok);
		task = outer;
		other = other_outer;
	}
}

static void observe(void)
{
	static struct code_walk walk;
	const struct libomp *libomp = oracle_process->base.process->data;
	ompd_callbacks_t callbacks = *self_target_callbacks();
	ompd_address_space_handle_t *as = NULL;
	struct libomp_table derived;
	const char *why;
	void *library = dlopen(LLVM_LIBOMPD, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	ck_assert_msg(library != NULL, "%s", dlerror());
#define X(name)                                                                                                        \
	*(void **)&llvm_##name = dlsym(library, "ompd_" #name);                                                        \
	ck_assert_ptr_nonnull(*(void **)&llvm_##name);
	ROUTINES(X)
#undef X
	ck_assert_int_eq(libomp_table_read(self_target_context(), &libomp->image, &walk, &derived, &why), ompd_rc_ok);
	table = derived.address;
	is_reversed = derived.is_reversed;
	callbacks.symbol_addr_lookup = symbol_addr;
	ck_assert_int_eq(llvm_initialize(201811, &callbacks), ompd_rc_ok);
	ck_assert_int_eq(llvm_process_initialize(self_target_context(), &as), ompd_rc_ok);
	int64_t live = self_target.live_blocks;

	for (int i = 0; i < oracle_count; i++) {
		ompd_thread_handle_t *own = oracle_thread(&oracle_views[i]),
				     *theirs = llvm_thread(as, &oracle_views[i]);

		same_thread(own, theirs);
		same_icv(as, own, theirs, ompd_scope_thread, "thread-num-var");
		same_regions(as, &oracle_views[i], own, theirs);
		same_tasks(as, own, theirs);
		ompd_rel_thread_handle(own);
	}
	/* Do not count the handles that LLVM's library has left. */
	self_target.live_blocks = live - 1;
}

static void nested(void)
{
	oracle_allow_nesting(4);
#pragma omp parallel num_threads(2)
	{
		omp_set_num_threads(3 + omp_get_thread_num());
#pragma omp parallel
#pragma omp task if (0)
		oracle_park(10 * omp_get_ancestor_thread_num(1) + omp_get_thread_num());
	}
}

START_TEST(test_llvm_says_the_same_of_nested_teams)
{
	oracle_run(nested, 7, 0, observe);
}
END_TEST

static void flat(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp task if (0)
#pragma omp task if (0)
	oracle_park(omp_get_thread_num());
}

START_TEST(test_llvm_says_the_same_of_tasks)
{
	oracle_run(flat, 3, 0, observe);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("table");
	TCase *llvm = tcase_create("llvm");

	tcase_set_timeout(llvm, 60);
	/* Two libraries with the same symbols need RTLD_DEEPBIND, which AddressSanitizer refuses. */
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(llvm, test_llvm_says_the_same_of_nested_teams);
	tcase_add_test(llvm, test_llvm_says_the_same_of_tasks);
#else
	(void)test_llvm_says_the_same_of_nested_teams;
	(void)test_llvm_says_the_same_of_tasks;
#endif
	suite_add_tcase(s, llvm);
	return check_main(s);
}
