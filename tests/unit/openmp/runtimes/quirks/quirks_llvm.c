/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/quirks/quirks_llvm over faulty routines, on teams and tasks in this program. */
#include "check_main.h"

#include <stdio.h>
#include <string.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/quirks/quirks_llvm.h"

/* The "target": a team refers to the enclosing team; a record refers to that of the next outer serialized region. */
struct record {
	struct record *parent;
};
struct team {
	struct team *parent;
	struct record *records;
	int level;
};
struct task {
	struct team *team;
	struct task *parent;
	bool is_explicit;
};

/* As in the library. */
struct object {
	void *aspace;
	ompd_address_t th, lwt;
};
struct thread {
	void *aspace, *context;
	ompd_address_t th;
};

enum { ICV_LEVELS = 1, ICV_NTHREADS, ICV_BIND, ICV_SCHED, ICV_IMPLICIT, ICV_LAST };

static struct ompd_routines r;
static char aspace;
static struct team initial, outer = {.parent = &initial, .level = 1}, nest = {.parent = &outer, .level = 4};
static struct record w[2];
static struct task root = {.team = &initial}, in_outer = {.team = &outer, .parent = &root},
		   in_nest = {.team = &nest, .parent = &in_outer},
		   below = {.team = &nest, .parent = &in_nest, .is_explicit = true};
static struct task *current;
static const char *nthreads_text, *bind_text;
static uint64_t function;
static size_t handle_size = sizeof(struct object);

static ompd_rc_t make(const void *th, const void *lwt, void *ret)
{
	struct object *o = blocks_alloc(handle_size);

	*o = (struct object){.aspace = &aspace, .th = {.address = (uintptr_t)th}, .lwt = {.address = (uintptr_t)lwt}};
	memcpy(ret, &o, sizeof(o));
	return ompd_rc_ok;
}

static void *at(ompd_address_t address)
{
	return (void *)(uintptr_t)address.address;
}

static ompd_rc_t fake_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **ret)
{
	(void)context;
	*ret = (void *)&aspace;
	return ompd_rc_ok;
}

static ompd_rc_t fake_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current_id, ompd_icv_id_t *next,
				     const char **name, ompd_scope_t *scope, int *more)
{
	static const char *const names[] = {"",		"levels-var",	 "nthreads-var",
					    "bind-var", "run-sched-var", "implicit-task-var"};
	char *copy = blocks_alloc(32);

	(void)handle;
	*next = current_id + 1;
	strcpy(copy, names[*next]);
	*name = copy;
	*scope = ompd_scope_task;
	*more = *next + 1 < ICV_LAST;
	return ompd_rc_ok;
}

static ompd_rc_t fake_get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
	(void)thread;
	return make(current->team, current->team->records, ret);
}

static ompd_rc_t fake_get_enclosing_parallel_handle(ompd_parallel_handle_t *handle, ompd_parallel_handle_t **ret)
{
	const struct object *o = (void *)handle;
	const struct team *team = at(o->th);
	const struct record *record = at(o->lwt);

	if (record && record->parent)
		return make(team, record->parent, ret);
	if (!team->parent)
		return ompd_rc_unsupported;
	return make(team->parent, team->parent->records, ret);
}

static ompd_rc_t fake_get_task_parallel_handle(ompd_task_handle_t *handle, ompd_parallel_handle_t **ret)
{
	const struct object *o = (void *)handle;
	ompd_rc_t rc = make(((struct task *)at(o->th))->team, NULL, ret);

	((struct object *)*ret)->lwt = o->lwt;
	return rc;
}

static ompd_rc_t fake_get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
	(void)thread;
	return make(current, current->team->records, ret);
}

static ompd_rc_t fake_get_generating_task_handle(ompd_task_handle_t *handle, ompd_task_handle_t **ret)
{
	const struct object *o = (void *)handle;
	const struct task *task = at(o->th);
	const struct record *record = at(o->lwt);

	if (record && record->parent)
		return make(task, record->parent, ret);
	if (!task->parent)
		return ompd_rc_unsupported;
	return make(task->parent, task->parent->team->records, ret);
}

static ompd_rc_t fake_get_task_in_parallel(ompd_parallel_handle_t *handle, int num, ompd_task_handle_t **ret)
{
	(void)handle, (void)num;
	return make(&in_nest, NULL, ret);
}

static ompd_rc_t fake_get_task_function(ompd_task_handle_t *handle, ompd_address_t *ret)
{
	(void)handle;
	*ret = (ompd_address_t){.address = function};
	return ompd_rc_ok;
}

static ompd_rc_t fake_get_task_frame(ompd_task_handle_t *handle, ompd_frame_info_t *exit, ompd_frame_info_t *enter)
{
	(void)handle;
	exit->frame_address.address = 1;
	enter->frame_address.address = 2;
	return ompd_rc_ok;
}

static ompd_rc_t fake_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *ret)
{
	const struct object *o = handle;

	(void)scope;
	if (id == ICV_LEVELS)
		*ret = ((struct team *)at(o->th))->level;
	else if (id == ICV_IMPLICIT)
		*ret = !((struct task *)at(o->th))->is_explicit;
	else if (id == ICV_NTHREADS)
		*ret = 7;
	else
		return ompd_rc_incompatible;
	return id == ICV_NTHREADS ? ompd_rc_incomplete : ompd_rc_ok;
}

static ompd_rc_t fake_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, const char **ret)
{
	const char *text = id == ICV_NTHREADS ? nthreads_text
			   : id == ICV_BIND   ? bind_text
			   : id == ICV_SCHED  ? "auto,1"
					      : NULL;

	(void)handle, (void)scope;
	if (!text)
		return ompd_rc_unsupported;
	char *copy = blocks_alloc(64);

	snprintf(copy, 64, "%s", text);
	*ret = copy;
	return ompd_rc_ok;
}

static ompd_rc_t fake_release_parallel(ompd_parallel_handle_t *handle)
{
	return blocks_free(handle) ? ompd_rc_ok : ompd_rc_bad_input;
}

/* The difference of the addresses, truncated to an int. */
static ompd_rc_t fake_parallel_handle_compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b, int *ret)
{
	*ret = (int)(((struct object *)a)->th.address - ((struct object *)b)->th.address);
	return ompd_rc_ok;
}

static ompd_rc_t fake_thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
	*ret = (int)(((struct thread *)a)->th.address - ((struct thread *)b)->th.address);
	return ompd_rc_ok;
}

static void setup(void)
{
	ompd_address_space_handle_t *handle;

	memset(&r, 0, sizeof(r));
	r.process_initialize = fake_process_initialize;
	r.enumerate_icvs = fake_enumerate_icvs;
	r.get_curr_parallel_handle = fake_get_curr_parallel_handle;
	r.get_enclosing_parallel_handle = fake_get_enclosing_parallel_handle;
	r.get_task_parallel_handle = fake_get_task_parallel_handle;
	r.get_curr_task_handle = fake_get_curr_task_handle;
	r.get_generating_task_handle = fake_get_generating_task_handle;
	r.get_task_in_parallel = fake_get_task_in_parallel;
	r.get_task_function = fake_get_task_function;
	r.get_task_frame = fake_get_task_frame;
	r.get_icv_from_scope = fake_get_icv_from_scope;
	r.get_icv_string_from_scope = fake_get_icv_string_from_scope;
	r.rel_parallel_handle = fake_release_parallel;
	r.parallel_handle_compare = fake_parallel_handle_compare;
	r.thread_handle_compare = fake_thread_handle_compare;
	quirks_llvm.apply(&r);
	ck_assert_int_eq(r.process_initialize(NULL, &handle), ompd_rc_ok);
	handle_size = sizeof(struct object);
	/* Levels 4, 3 and 2 belong to one team. */
	nest.level = 4;
	nest.records = &w[0];
	w[0].parent = &w[1];
	w[1].parent = NULL;
	current = &in_nest;
	function = 0x1234;
}

static void teardown(void)
{
	blocks_free_all();
}

/* Levels from the current region outwards, such as "4 3 2 1 0". */
static void assert_levels(const char *expected)
{
	ompd_parallel_handle_t *region = NULL;
	char levels[64] = "";
	ompd_rc_t rc = r.get_curr_parallel_handle(NULL, &region);

	while (rc == ompd_rc_ok) {
		ompd_word_t level;

		ck_assert_int_eq(r.get_icv_from_scope(region, ompd_scope_parallel, ICV_LEVELS, &level), ompd_rc_ok);
		ck_assert_uint_lt(strlen(levels), sizeof(levels) - 4);
		sprintf(levels + strlen(levels), "%s%d", *levels ? " " : "", (int)level);
		rc = r.get_enclosing_parallel_handle(region, &region);
	}
	ck_assert_int_eq(rc, ompd_rc_unavailable);
	ck_assert_str_eq(levels, expected);
}

START_TEST(test_nest_has_all_its_levels)
{
	assert_levels("4 3 2 1 0");
}
END_TEST

START_TEST(test_nest_with_a_record_too_few_is_left_alone)
{
	nest.level = 5;
	assert_levels("5 5 1 0");
}
END_TEST

START_TEST(test_nest_with_a_record_too_many_is_left_alone)
{
	nest.level = 3;
	assert_levels("3 3 1 0");
}
END_TEST

START_TEST(test_records_in_a_ring)
{
	ompd_parallel_handle_t *region = NULL;
	ompd_word_t level;

	w[1].parent = &w[0];
	ck_assert_int_eq(r.get_curr_parallel_handle(NULL, &region), ompd_rc_ok);
	ck_assert_int_eq(r.get_icv_from_scope(region, ompd_scope_parallel, ICV_LEVELS, &level), ompd_rc_ok);
	ck_assert_int_eq(level, 4);
}
END_TEST

START_TEST(test_handles_of_another_kind_are_left_alone)
{
	handle_size = sizeof(struct object) + 8;
	assert_levels("4 4 1 0");
}
END_TEST

static bool is_same(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b)
{
	int value;

	ck_assert_int_eq(r.parallel_handle_compare(a, b, &value), ompd_rc_ok);
	return value == 0;
}

START_TEST(test_each_level_has_its_task)
{
	ompd_parallel_handle_t *region, *regions[5], *of_task;
	ompd_task_handle_t *task;
	int n = 0;

	current = &below;
	for (ompd_rc_t rc = r.get_curr_parallel_handle(NULL, &region); rc == ompd_rc_ok && n < 5;
	     rc = r.get_enclosing_parallel_handle(region, &region))
		regions[n++] = region;
	ck_assert_int_eq(n, 5);
	/* The explicit task is in the innermost region; then each level has one implicit task. */
	static const int expected[] = {0, 0, 1, 2, 3, 4};

	n = 0;
	for (ompd_rc_t rc = r.get_curr_task_handle(NULL, &task); rc == ompd_rc_ok;
	     rc = r.get_generating_task_handle(task, &task)) {
		ck_assert_int_lt(n, 6);
		ck_assert_int_eq(r.get_task_parallel_handle(task, &of_task), ompd_rc_ok);
		ck_assert(is_same(of_task, regions[expected[n]]));
		n++;
	}
	ck_assert_int_eq(n, 6);
	ck_assert_int_eq(r.get_task_in_parallel(regions[1], 0, &task), ompd_rc_ok);
	ck_assert_int_eq(r.get_task_parallel_handle(task, &of_task), ompd_rc_ok);
	ck_assert(is_same(of_task, regions[1]));
}
END_TEST

START_TEST(test_tasks_of_a_nest_tell_only_what_is_theirs)
{
	ompd_task_handle_t *task, *next;
	ompd_address_t address;
	ompd_word_t value;

	current = &below;
	ck_assert_int_eq(r.get_curr_task_handle(NULL, &task), ompd_rc_ok);
	ck_assert_int_eq(r.get_task_function(task, &address), ompd_rc_ok);
	ck_assert_int_eq(r.get_generating_task_handle(task, &task), ompd_rc_ok);
	/* The function belongs to an unknown one of the nest's regions. */
	ck_assert_int_eq(r.get_task_function(task, &address), ompd_rc_unavailable);
	ck_assert_int_eq(r.get_icv_from_scope(task, ompd_scope_task, ICV_IMPLICIT, &value), ompd_rc_ok);
	ck_assert_int_eq(r.get_generating_task_handle(task, &next), ompd_rc_ok);
	ck_assert_int_eq(r.get_task_function(next, &address), ompd_rc_unavailable);
	ck_assert_int_eq(r.get_icv_from_scope(next, ompd_scope_task, ICV_BIND, &value), ompd_rc_unavailable);
}
END_TEST

START_TEST(test_functions_that_are_none)
{
	ompd_task_handle_t *task;
	ompd_address_t address;

	current = &in_outer;
	ck_assert_int_eq(r.get_curr_task_handle(NULL, &task), ompd_rc_ok);
	ck_assert_int_eq(r.get_task_function(task, &address), ompd_rc_ok);
	ck_assert_uint_eq(address.address, 0x1234);
	function = 0;
	ck_assert_int_eq(r.get_task_function(task, &address), ompd_rc_unavailable);
	function = UINT64_MAX;
	ck_assert_int_eq(r.get_task_function(task, &address), ompd_rc_unavailable);
}
END_TEST

START_TEST(test_frames_are_flagged)
{
	ompd_frame_info_t exit = {.frame_flag = 0x77}, enter = {.frame_flag = 0x77};
	ompd_task_handle_t *task;

	current = &in_outer;
	ck_assert_int_eq(r.get_curr_task_handle(NULL, &task), ompd_rc_ok);
	ck_assert_int_eq(r.get_task_frame(task, &exit, &enter), ompd_rc_ok);
	ck_assert_int_eq(exit.frame_flag, ompt_frame_runtime | ompt_frame_cfa);
	ck_assert_int_eq(enter.frame_flag, ompt_frame_runtime | ompt_frame_cfa);
}
END_TEST

START_TEST(test_addresses_four_gibibytes_apart_differ)
{
	ompd_parallel_handle_t *a, *b;
	struct thread *x = blocks_alloc(sizeof(*x)), *y = blocks_alloc(sizeof(*y));
	int value;

	make((void *)0x100001000, NULL, &a);
	make((void *)0x300001000, NULL, &b);
	ck_assert_int_eq(r.parallel_handle_compare(a, b, &value), ompd_rc_ok);
	ck_assert_int_lt(value, 0);
	ck_assert_int_eq(r.parallel_handle_compare(b, a, &value), ompd_rc_ok);
	ck_assert_int_gt(value, 0);
	x->aspace = y->aspace = &aspace;
	x->th.address = 0x100001000;
	y->th.address = 0x200001000;
	ck_assert_int_eq(r.thread_handle_compare((void *)x, (void *)y, &value), ompd_rc_ok);
	ck_assert_int_lt(value, 0);
}
END_TEST

static void assert_text(ompd_icv_id_t id, const char *expected)
{
	const char *text = NULL;
	char object[sizeof(struct object)] = {0};

	ck_assert_int_eq(r.get_icv_string_from_scope(object, ompd_scope_task, id, &text), ompd_rc_ok);
	ck_assert_str_eq(text, expected);
	callbacks_free(text);
}

START_TEST(test_texts)
{
	bind_text = "3,0";
	assert_text(ICV_BIND, "close,false");
	bind_text = "6";
	assert_text(ICV_BIND, "default");
	/* Unknown values are passed on unchanged. */
	bind_text = "9,0";
	assert_text(ICV_BIND, "9,0");
	bind_text = "spread";
	assert_text(ICV_BIND, "spread");
	assert_text(ICV_SCHED, "auto");
}
END_TEST

START_TEST(test_number_as_text)
{
	struct object object = {.th = {.address = (uintptr_t)&in_outer}};
	const char *text = NULL;

	ck_assert_int_eq(r.get_icv_string_from_scope(&object, ompd_scope_task, ICV_IMPLICIT, &text), ompd_rc_ok);
	ck_assert_str_eq(text, "1");
}
END_TEST

START_TEST(test_number_of_threads)
{
	char object[sizeof(struct object)] = {0};
	ompd_word_t value;

	nthreads_text = "7";
	ck_assert_int_eq(r.get_icv_from_scope(object, ompd_scope_thread, ICV_NTHREADS, &value), ompd_rc_ok);
	ck_assert_int_eq(value, 7);
	nthreads_text = "7,5";
	ck_assert_int_eq(r.get_icv_from_scope(object, ompd_scope_thread, ICV_NTHREADS, &value), ompd_rc_incomplete);
}
END_TEST

START_TEST(test_only_llvms_is_corrected)
{
	ck_assert(quirks_llvm.is_needed("LLVM OpenMP 5.0 Debugging Library"));
	ck_assert(!quirks_llvm.is_needed("ompdd's libompd"));
	ck_assert(!quirks_llvm.is_needed(""));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quirks_llvm");
	TCase *nests = tcase_create("serialized_nests"), *rest = tcase_create("rest");

	tcase_add_checked_fixture(nests, setup, teardown);
	tcase_add_test(nests, test_nest_has_all_its_levels);
	tcase_add_test(nests, test_nest_with_a_record_too_few_is_left_alone);
	tcase_add_test(nests, test_nest_with_a_record_too_many_is_left_alone);
	tcase_add_test(nests, test_records_in_a_ring);
	tcase_add_test(nests, test_handles_of_another_kind_are_left_alone);
	tcase_add_test(nests, test_each_level_has_its_task);
	tcase_add_test(nests, test_tasks_of_a_nest_tell_only_what_is_theirs);
	suite_add_tcase(suite, nests);
	tcase_add_checked_fixture(rest, setup, teardown);
	tcase_add_test(rest, test_functions_that_are_none);
	tcase_add_test(rest, test_frames_are_flagged);
	tcase_add_test(rest, test_addresses_four_gibibytes_apart_differ);
	tcase_add_test(rest, test_texts);
	tcase_add_test(rest, test_number_as_text);
	tcase_add_test(rest, test_number_of_threads);
	tcase_add_test(rest, test_only_llvms_is_corrected);
	suite_add_tcase(suite, rest);
	return check_main(suite);
}
