/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the layouts of libomptarget: releases by exported functions, messages, lists. */
#include <check.h>
#include <string.h>

#include "check_main.h"
#include "fake_target.h"
#include "openmp/devices/omptarget_layout.h"

#define BASE 0x10000
#define SIZE 0x1000

static struct target *t;
static size_t module;

static void set_up(void)
{
	t = fake_target_create(TARGET_STOP);
	fake_target_map(t, BASE, NULL, SIZE);
	module = fake_target_add_module(t, "/fake/libomptarget.so.99", BASE, BASE + SIZE, NULL, NULL);
}

static void tear_down(void)
{
	target_destroy(t);
}

/* Functions that a release added. */
static const char *const added[] = {
	"__tgt_interop_init",	   "__tgt_target_kernel",     "omp_get_mapped_ptr",
	"omp_target_memcpy_async", "omp_target_memset",	      "ompx_dump_mapping_tables",
	"llvmLaunchKernel",	   "omp_get_uid_from_device", "omp_get_gprivate_limit",
};

static void export_function(const char *name)
{
	fake_target_add_symbol(t, module, name, BASE + 0x100, 16, false);
}

static void export_first(size_t n)
{
	for (size_t i = 0; i < n; i++)
		export_function(added[i]);
	target_view_begin(t);
}

static void assert_refused(const char *why)
{
	const struct omptarget_layout *layout = NULL;
	char release[OMPTARGET_MAX_RELEASE];
	struct error *err = omptarget_layout_find(t, release, &layout);

	ck_assert(error_is(err, ERR_UNKNOWN_LAYOUT));
	ck_assert_ptr_null(layout);
	ck_assert_ptr_nonnull(strstr(err->message, why));
	error_destroy(err);
}

/* The releases that the first functions of added[] show. */
static const struct {
	const char *release;
	unsigned first;
} releases[] = {
	{"LLVM 14", 14}, {"LLVM 15", 15},	{"LLVM 16", 16}, {"LLVM 17", 17},	   {"LLVM 18", 18},
	{"LLVM 19", 19}, {"LLVM 20 or 21", 20}, {"LLVM 22", 22}, {"LLVM 23 or newer", 22},
};

START_TEST(test_releases)
{
	const struct omptarget_layout *layout = NULL;
	char release[OMPTARGET_MAX_RELEASE];

	export_first((size_t)_i + 1);
	ck_assert_no_err(omptarget_layout_find(t, release, &layout));
	ck_assert_str_eq(release, releases[_i].release);
	ck_assert_uint_eq(layout->first, releases[_i].first);
	ck_assert_ptr_eq(layout, omptarget_layout_of(releases[_i].first));
}
END_TEST

START_TEST(test_no_release)
{
	export_first(0);
	assert_refused("of an unknown release: the tables of LLVM 14 to 23 are known");
}
END_TEST

START_TEST(test_one_function_is_missing)
{
	for (size_t i = 0; i < 5; i++) {
		if (i != 2)
			export_function(added[i]);
	}
	target_view_begin(t);
	assert_refused("of an unknown release: the tables of LLVM 14 to 23 are known");
}
END_TEST

START_TEST(test_other_releases)
{
	ck_assert_ptr_null(omptarget_layout_of(13));
	ck_assert_ptr_nonnull(omptarget_layout_of(23));
	ck_assert_ptr_null(omptarget_layout_of(24));
}
END_TEST

START_TEST(test_vectors)
{
	const struct omptarget_layout *layout = omptarget_layout_of(15);
	struct omptarget_list list = {0};

	ck_assert(omptarget_list_decode(layout, (const uint64_t[]){0x1000, 0x1010}, 2, &list));
	ck_assert_uint_eq(list.first, 0x1000);
	ck_assert_uint_eq(list.n, 2);
	ck_assert(!omptarget_list_decode(layout, (const uint64_t[]){0x1000, 0x1010}, 1, &list));
	ck_assert(!omptarget_list_decode(layout, (const uint64_t[]){0x1000, 0x100c}, 2, &list));
	ck_assert(!omptarget_list_decode(layout, (const uint64_t[]){0x1010, 0x1000}, 2, &list));
}
END_TEST

START_TEST(test_small_vectors)
{
	const struct omptarget_layout *layout = omptarget_layout_of(16);
	struct omptarget_list list = {0};

	ck_assert(omptarget_list_decode(layout, (const uint64_t[]){0x1000, 6ull << 32 | 4}, 4, &list));
	ck_assert_uint_eq(list.first, 0x1000);
	ck_assert_uint_eq(list.n, 4);
	ck_assert(!omptarget_list_decode(layout, (const uint64_t[]){0x1000, 6ull << 32 | 4}, 3, &list));
	ck_assert(!omptarget_list_decode(layout, (const uint64_t[]){0x1000, 3ull << 32 | 4}, 4, &list));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_omptarget_layout");
	TCase *layouts = tcase_create("omptarget_layout");

	tcase_add_checked_fixture(layouts, set_up, tear_down);
	tcase_add_loop_test(layouts, test_releases, 0, (int)(sizeof(releases) / sizeof(releases[0])));
	tcase_add_test(layouts, test_no_release);
	tcase_add_test(layouts, test_one_function_is_missing);
	tcase_add_test(layouts, test_other_releases);
	tcase_add_test(layouts, test_vectors);
	tcase_add_test(layouts, test_small_vectors);
	suite_add_tcase(suite, layouts);
	return check_main(suite);
}
