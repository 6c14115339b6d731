/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/names: each object of a walk is in the snapshot once, whatever the library returns. */
#include "openmp/model/names.h"

#include "check_main.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct plugin *p;
static struct handles *handles;
static struct snapshot s;
static struct names names;

static void setup(void)
{
	unsetenv("FAKE_OMPD");
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), 0);
	handles = handles_create(1000);
	handles_set_plugin(handles, 0, p);
	s = (struct snapshot){.epoch = 1};
	names_init(&names, handles, 0, 9, &s);
}

static void teardown(void)
{
	snapshot_deinit(&s);
	handles_destroy(handles);
	ck_assert_uint_eq(blocks_count(), 0);
	plugin_destroy(p);
}

/* Creates an object as the library does. */
static void *object(int id)
{
	int *o = blocks_alloc(sizeof(*o));

	*o = id;
	return o;
}

static struct snapshot_ref parallel(int id, unsigned depth)
{
	struct snapshot_ref ref;

	ck_assert_no_err(names_add_parallel(&names, ompd_rc_ok, object(id), depth, "ompd_get_it", &ref));
	return ref;
}

static struct snapshot_ref task(int id, unsigned depth)
{
	struct snapshot_ref ref;

	ck_assert_no_err(names_add_task(&names, ompd_rc_ok, object(id), depth, "ompd_get_it", &ref));
	return ref;
}

START_TEST(test_each_object_is_there_once)
{
	/* More than the arrays' first size. */
	for (unsigned i = 0; i < 200; i++) {
		ck_assert_uint_eq(parallel(1000 + (int)i, 3).index, i);
		ck_assert_uint_eq(task(1000 + (int)i, 4).index, i);
	}
	struct snapshot_ref ref = parallel(1070, 5);
	ck_assert_uint_eq(ref.index, 70);
	ck_assert_uint_eq(ref.number, s.parallels[70].number);
	ref = task(1070, 5);
	ck_assert_uint_eq(ref.index, 70);
	ck_assert_uint_eq(ref.number, s.tasks[70].number);
	ck_assert_uint_eq(s.n_parallels, 200);
	ck_assert_uint_eq(s.n_tasks, 200);
	/* The name of the first encounter, with the object that is kept. */
	ck_assert_uint_eq(s.parallels[70].depth, 3);
	ck_assert_uint_eq(s.tasks[70].depth, 4);
	ck_assert_uint_eq(s.tasks[70].thread, SNAPSHOT_NONE);
	ck_assert_int_eq(*(int *)s.parallels[70].object, 1070);
	ck_assert_uint_eq(blocks_count(), 400);
}
END_TEST

START_TEST(test_another_walk_begins_anew_with_the_same_names)
{
	uint32_t first = parallel(7, 0).number, second = parallel(8, 0).number;

	snapshot_deinit(&s);
	s = (struct snapshot){.epoch = 1};
	names_init(&names, handles, 0, 9, &s);
	struct snapshot_ref ref = parallel(8, 0);
	ck_assert_uint_eq(ref.index, 0);
	ck_assert_uint_eq(ref.number, second);
	ck_assert_uint_ne(ref.number, first);
	ck_assert_uint_eq(s.n_parallels, 1);
}
END_TEST

START_TEST(test_a_chain_that_is_too_long_is_cut)
{
	ck_assert_int_eq(parallel(1, MODEL_MAX_DEPTH).rc, ompd_rc_ok);
	ck_assert(!s.truncated);
	struct snapshot_ref ref = parallel(2, MODEL_MAX_DEPTH + 1);
	ck_assert_int_eq(ref.rc, ompd_rc_incomplete);
	ck_assert_uint_eq(ref.index, SNAPSHOT_NONE);
	ck_assert(s.truncated);
	ck_assert_uint_eq(s.n_parallels, 1);
	/* An existing name is not a new one. */
	ck_assert_uint_eq(parallel(1, MODEL_MAX_DEPTH + 1).index, 0);
}
END_TEST

START_TEST(test_what_is_not_there_has_its_reason)
{
	struct snapshot_ref ref;

	ck_assert_no_err(names_add_task(&names, ompd_rc_unavailable, NULL, 0, "ompd_get_it", &ref));
	ck_assert_int_eq(ref.rc, ompd_rc_unavailable);
	ck_assert_uint_eq(ref.index, SNAPSHOT_NONE);
	ref = names_none(ompd_rc_unsupported);
	ck_assert_int_eq(ref.rc, ompd_rc_unsupported);
	ck_assert_uint_eq(ref.index, SNAPSHOT_NONE);
	ck_assert_uint_eq(s.n_tasks, 0);
	ck_assert(!s.truncated);
}
END_TEST

START_TEST(test_answers_that_make_no_sense)
{
	struct snapshot_ref ref;

	ck_assert_err(names_add_task(&names, ompd_rc_ok, NULL, 0, "ompd_get_it", &ref), ERR_PLUGIN_MISBEHAVED);
	ck_assert_err(names_add_parallel(&names, 77, NULL, 0, "ompd_get_it", &ref), ERR_PLUGIN_MISBEHAVED);
	ck_assert_err(names_add_parallel(&names, -1, NULL, 0, "ompd_get_it", &ref), ERR_PLUGIN_MISBEHAVED);
	ck_assert_uint_eq(s.n_tasks + s.n_parallels, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_names");
	TCase *tc = tcase_create("names");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_each_object_is_there_once);
	tcase_add_test(tc, test_another_walk_begins_anew_with_the_same_names);
	tcase_add_test(tc, test_a_chain_that_is_too_long_is_cut);
	tcase_add_test(tc, test_what_is_not_there_has_its_reason);
	tcase_add_test(tc, test_answers_that_make_no_sense);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
