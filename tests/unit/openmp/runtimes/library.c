/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/runtimes/library: the chosen OMPD library, and refused libraries. */
#include "check_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fake_target.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/library.h"
#include "openmp/runtimes/runtime.h"

#define VECTOR 0x20000u
#define NAMES  0x21000u

static struct target *t;
static struct runtime libgomp = {
	.descriptor = &descriptor_libgomp, .start = 0x1000, .path = (char *)"/lib/libgomp.so.1"};
static struct runtime libomp = {.descriptor = &descriptor_libomp, .start = 0x1000, .path = (char *)"/lib/libomp.so.5"};

static void setup(void)
{
	t = fake_target_create(TARGET_OBSERVE);
	fake_target_add_module(t, "/lib/libgomp.so.1", 0x1000, 0x3000, NULL, NULL);
	fake_target_map(t, 0x2000, NULL, 4096);
	fake_target_map(t, VECTOR, NULL, 8192);
	target_view_begin(t);
	unsetenv("FAKE_OMPD");
}

static void teardown(void)
{
	target_destroy(t);
}

/* ompd_dll_locations = {@name, NULL} */
static void name_library(const char *name)
{
	fake_target_add_symbol(t, 0, "ompd_dll_locations", 0x2010, 8, false);
	fake_target_poke_u64(t, 0x2010, VECTOR);
	fake_target_poke_u64(t, VECTOR, NAMES);
	fake_target_poke(t, NAMES, name, strlen(name) + 1);
}

START_TEST(test_own_library_for_libgomp)
{
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD};
	struct plugin *p = NULL;

	ck_assert_no_err(library_find(t, &libgomp, &options, &p));
	ck_assert_int_eq(plugin_api_version(p), 202111);
	ck_assert_str_eq(plugin_version_string(p), "fake");
	ck_assert_str_eq(plugin_path(p), FAKE_LIBOMPD);
	plugin_destroy(p);
}
END_TEST

START_TEST(test_what_another_runtime_names_is_not_taken)
{
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD};
	struct runtime other = libgomp;
	struct plugin *p = NULL;

	name_library("/nowhere/libompd.so");
	other.start = 0x8000;
	ck_assert_no_err(library_find(t, &other, &options, &p));
	ck_assert_str_eq(plugin_path(p), FAKE_LIBOMPD);
	plugin_destroy(p);
}
END_TEST

START_TEST(test_own_library_for_stripped_libomp)
{
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD};
	struct plugin *p = NULL;

	ck_assert_no_err(library_find(t, &libomp, &options, &p));
	ck_assert_str_eq(plugin_path(p), FAKE_LIBOMPD);
	plugin_destroy(p);
}
END_TEST

/* ompdd does not have our own library either. */
START_TEST(test_libomp_without_any_library)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;
	struct error *err = library_find(t, &libomp, &options, &p);

	ck_assert_msg(error_is(err, ERR_RUNTIME_STRIPPED), "%s", err ? err->message : "ok");
	ck_assert_ptr_nonnull(strstr(err->message, "/lib/libomp.so.5"));
	ck_assert_ptr_nonnull(strstr(error_hint_text(err), "--debug-dir"));
	error_destroy(err);
	/* The runtime was built without OMPD. */
	fake_target_add_symbol(t, 0, "__kmp_threads", 0x2000, 8, false);
	ck_assert_err(library_find(t, &libomp, &options, &p), ERR_PLUGIN_NOT_FOUND);
}
END_TEST

/* The quirks belong to the library, whichever runtime it was found for. */
START_TEST(test_faults_are_worked_around)
{
	struct plugin_options options = {.libompd = FAKE_LIBOMPD};
	struct plugin *p = NULL;

	ck_assert_no_err(library_find(t, &libomp, &options, &p));
	ck_assert_ptr_null(*plugin_quirks(p));
	plugin_destroy(p);
	setenv("FAKE_OMPD", "llvm", 1);
	ck_assert_no_err(library_find(t, &libgomp, &options, &p));
	ck_assert(plugin_has_quirk(p, "handle_compare"));
	plugin_destroy(p);
}
END_TEST

START_TEST(test_explicit_library_wins)
{
	struct plugin_options options = {.libompd = FAKE_LIBOMPD, .own_libompd = "/nowhere"};
	struct plugin *p = NULL;

	name_library("/elsewhere/libompd.so");
	ck_assert_no_err(library_find(t, &libomp, &options, &p));
	plugin_destroy(p);
}
END_TEST

START_TEST(test_explicit_library_that_is_no_file)
{
	struct plugin_options options = {.libompd = "/nowhere/libompd.so"};
	struct plugin *p = NULL;

	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_LOAD_FAILED);
	options.libompd = "/usr/lib";
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_LOAD_FAILED);
	options.libompd = "/dev/null";
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_LOAD_FAILED);
}
END_TEST

START_TEST(test_named_library_is_vetted)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;

	name_library("/tmp/../etc/passwd");
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_UNTRUSTED);
}
END_TEST

START_TEST(test_own_library_where_the_named_one_is_refused)
{
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD};
	struct plugin *p = NULL;

	name_library("/tmp/../etc/passwd");
	ck_assert_no_err(library_find(t, &libomp, &options, &p));
	ck_assert_str_eq(plugin_path(p), FAKE_LIBOMPD);
	plugin_destroy(p);
}
END_TEST

START_TEST(test_bare_name_of_our_runtime_is_our_own)
{
	static struct runtime omprt = {
		.descriptor = &descriptor_omprt, .start = 0x1000, .path = (char *)"/lib/libgomp.so.1"};
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD_PARTIAL, .dirs = {FAKE_DIR}, .n_dirs = 1};
	struct plugin *p = NULL;

	/* A library of another user, which would load, is in an allowed directory. */
	name_library("libompd_fake.so");
	struct error *err = library_find(t, &omprt, &options, &p);

	ck_assert(error_is(err, ERR_PLUGIN_LOAD_FAILED));
	ck_assert_ptr_nonnull(strstr(err->message, FAKE_LIBOMPD_PARTIAL));
	error_destroy(err);
}
END_TEST

START_TEST(test_named_library_that_does_not_exist)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;

	name_library("/usr/lib/libompd_is_not_here.so");
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_NOT_FOUND);
}
END_TEST

START_TEST(test_refusal_says_more_than_absence)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;

	name_library("libompd_is_not_here.so");
	fake_target_poke_u64(t, VECTOR + 8, NAMES + 100);
	fake_target_poke(t, NAMES + 100, "/etc/passwd", 12);
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_UNTRUSTED);
}
END_TEST

START_TEST(test_locations_not_set_yet)
{
	struct plugin_options options = {.own_libompd = FAKE_LIBOMPD};
	struct plugin *p = NULL;

	name_library("libompd.so");
	fake_target_poke_u64(t, 0x2010, 0);
	ck_assert_err(library_find(t, &libomp, &options, &p), ERR_OPENMP_NOT_STARTED);
}
END_TEST

START_TEST(test_locations_lead_nowhere)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;

	name_library("libompd.so");
	fake_target_poke_u64(t, 0x2010, 0xdead0000);
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_MEMORY_UNREADABLE);
	fake_target_poke_u64(t, 0x2010, VECTOR);
	fake_target_poke_u64(t, VECTOR, 0xdead0000);
	target_view_begin(t);
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_MEMORY_UNREADABLE);
}
END_TEST

START_TEST(test_locations_without_end)
{
	struct plugin_options options = {0};
	struct plugin *p = NULL;

	name_library("libompd_is_not_here.so");
	for (unsigned i = 0; i < 512; i++)
		fake_target_poke_u64(t, VECTOR + 8 * i, NAMES);
	ck_assert_err(library_find(t, &libgomp, &options, &p), ERR_PLUGIN_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("library");
	TCase *find = tcase_create("library_find");

	tcase_add_checked_fixture(find, setup, teardown);
	tcase_add_test(find, test_own_library_for_libgomp);
	tcase_add_test(find, test_what_another_runtime_names_is_not_taken);
	tcase_add_test(find, test_own_library_for_stripped_libomp);
	tcase_add_test(find, test_libomp_without_any_library);
	tcase_add_test(find, test_faults_are_worked_around);
	tcase_add_test(find, test_explicit_library_wins);
	tcase_add_test(find, test_explicit_library_that_is_no_file);
	tcase_add_test(find, test_named_library_is_vetted);
	tcase_add_test(find, test_own_library_where_the_named_one_is_refused);
	tcase_add_test(find, test_bare_name_of_our_runtime_is_our_own);
	tcase_add_test(find, test_named_library_that_does_not_exist);
	tcase_add_test(find, test_refusal_says_more_than_absence);
	tcase_add_test(find, test_locations_not_set_yet);
	tcase_add_test(find, test_locations_lead_nowhere);
	tcase_add_test(find, test_locations_without_end);
	suite_add_tcase(s, find);
	return check_main(s);
}
