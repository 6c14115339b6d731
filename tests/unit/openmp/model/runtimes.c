/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/runtimes: the list of runtimes, the main one, and whose symbols come first. */
#include "check_main.h"

#include "base/error.h"
#include "fake_target.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/runtime.h"

#define FIRST  0x20000
#define SECOND 0x40000

static const struct plugin_options options = {.libompd = FAKE_LIBOMPD, .timeout_ms = 1000};
static struct target *t;
static struct handles *handles;
static struct runtimes *r;

static size_t add(const char *path, uint64_t start)
{
	return fake_target_add_module(t, path, start, start + 0x10000, "ab", NULL);
}

static void setup(void)
{
	t = fake_target_create(TARGET_OBSERVE);
	fake_target_add_module(t, "/fake/program", 0x400000, 0x500000, "aa", NULL);
	fake_target_add_thread(t, 100, 0x7000, "main");
	handles = handles_create(1000);
}

static void begin(void)
{
	ck_assert_no_err(runtimes_create(t, &options, handles, &r));
}

static void teardown(void)
{
	runtimes_destroy(r);
	r = NULL;
	handles_destroy(handles);
	target_destroy(t);
}

static uint64_t start_of(size_t i)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(runtimes_get(r, i), &why);

	return runtime ? runtime->start : 0;
}

START_TEST(test_all_copies_are_found)
{
	add("/lib/libgomp.so.1", FIRST);
	add("/wheel/libgomp-a34b3233.so.1.0.0", SECOND);
	begin();
	ck_assert_uint_eq(runtimes_count(r), 2);
	ck_assert_uint_eq(start_of(0), FIRST);
	ck_assert_uint_eq(start_of(1), SECOND);
	ck_assert_uint_eq(model_index(runtimes_get(r, 1)), 1);
	ck_assert(!runtimes_find_more(r));
}
END_TEST

START_TEST(test_one_that_comes_later_is_seen)
{
	begin();
	ck_assert_uint_eq(runtimes_count(r), 1);
	ck_assert_uint_eq(start_of(0), 0);
	/* The first runtime belongs to the first model. */
	add("/lib/libgomp.so.1", FIRST);
	ck_assert(!runtimes_find_more(r));
	model_refresh(runtimes_get(r, 0));
	ck_assert_uint_eq(start_of(0), FIRST);
	add("/other/libgomp.so.1", SECOND);
	ck_assert(runtimes_find_more(r));
	ck_assert_uint_eq(start_of(1), SECOND);
}
END_TEST

/* malloc() gives the next model the memory of the one before. */
START_TEST(test_generations_never_come_again)
{
	unsigned before = 0;

	add("/lib/libgomp.so.1", FIRST);
	for (int i = 0; i < 4; i++) {
		begin();
		ck_assert_uint_gt(model_generation(runtimes_get(r, 0)), before);
		before = model_generation(runtimes_get(r, 0));
		model_finalize(runtimes_get(r, 0));
		ck_assert_uint_gt(model_generation(runtimes_get(r, 0)), before);
		before = model_generation(runtimes_get(r, 0));
		runtimes_destroy(r);
		r = NULL;
	}
}
END_TEST

START_TEST(test_more_than_there_is_room_for)
{
	for (uint64_t i = 0; i < RUNTIMES_MAX + 2; i++)
		add("/lib/libgomp.so.1", 0x1000000 + i * 0x20000);
	begin();
	ck_assert_uint_eq(runtimes_count(r), RUNTIMES_MAX);
}
END_TEST

START_TEST(test_main_is_that_which_is_used_most)
{
	add("/lib/libgomp.so.1", FIRST);
	add("/wheel/libgomp-b.so", SECOND);
	begin();
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 0));
	runtimes_note_use(r, 0, 10, 2);
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 0));
	runtimes_note_use(r, 1, 4, 3);
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 1));
	runtimes_note_use(r, 0, 10, 3);
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 0));
	runtimes_note_use(r, 1, 10, 3);
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 0));
}
END_TEST

/* A library with its state in variables must not mix up two runtimes. */
START_TEST(test_each_has_a_library_of_its_own)
{
	const struct error *why;

	add("/lib/libgomp.so.1", FIRST);
	add("/wheel/libgomp-b.so", SECOND);
	begin();
	struct plugin *a = model_plugin(runtimes_get(r, 0), &why), *b = model_plugin(runtimes_get(r, 1), &why);

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_ne(plugin_routines(a)->initialize, plugin_routines(b)->initialize);
	ck_assert_str_eq(plugin_path(a), plugin_path(b));
}
END_TEST

START_TEST(test_one_library_is_enough)
{
	struct error *err;

	begin();
	err = runtimes_need_plugin(r);
	ck_assert_int_eq(err->code, ERR_PROGRAM_STRIPPED);
	error_destroy(err);
	add("/lib/libgomp.so.1", FIRST);
	add("/wheel/libgomp-b.so", SECOND);
	model_refresh(runtimes_get(r, 0));
	ck_assert(runtimes_find_more(r));
	runtimes_note_use(r, 1, 1, 1);
	ck_assert_no_err(runtimes_need_plugin(r));
	ck_assert_ptr_eq(runtimes_main(r), runtimes_get(r, 1));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtimes");
	TCase *tc = tcase_create("runtimes");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_all_copies_are_found);
	tcase_add_test(tc, test_one_that_comes_later_is_seen);
	tcase_add_test(tc, test_generations_never_come_again);
	tcase_add_test(tc, test_more_than_there_is_room_for);
	tcase_add_test(tc, test_main_is_that_which_is_used_most);
	tcase_add_test(tc, test_each_has_a_library_of_its_own);
	tcase_add_test(tc, test_one_library_is_enough);
	suite_add_tcase(s, tc);
	return check_main(s);
}
