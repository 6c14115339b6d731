/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/walk/location: the parts of a construct's place as a library reports it. */
#include "openmp/model/walk/location.h"

#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "check_main.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static struct snapshot s;

static struct error *ask(const char *fault, const char *text, const struct snapshot_location **ret)
{
	struct plugin *p;

	setenv("FAKE_OMPD", fault, 1);
	if (text)
		setenv("FAKE_OMPD_LOCATION", text, 1);
	else
		unsetenv("FAKE_OMPD_LOCATION");
	ck_assert_no_err(plugin_load(FAKE_LIBOMPD, -1, &p));
	ck_assert_int_eq(plugin_call(p, initialize, 202111, callbacks_table()), ompd_rc_ok);
	struct error *err = location_ask(p, &s, (struct location_of){.parallel = &s}, ret);

	plugin_destroy(p);
	return err;
}

static void teardown(void)
{
	snapshot_deinit(&s);
}

static const struct {
	const char *text, *file, *function;
	int line, column;
} places[] = {
	{"a.c;main;7;1", "a.c", "main", 7, 1},
	{"/home/u/a b.c;ns::solve;1234567;0", "/home/u/a b.c", "ns::solve", 1234567, 0},
	{"a;b.c;f;7;1", "a;b.c", "f", 7, 1},
	{"a.c;;7;1", "a.c", "", 7, 1},
};

START_TEST(test_a_place)
{
	const struct snapshot_location *location;

	ck_assert_no_err(ask("", places[_i].text, &location));
	ck_assert_ptr_nonnull(location);
	ck_assert_str_eq(location->file, places[_i].file);
	ck_assert_str_eq(location->function, places[_i].function);
	ck_assert_int_eq(location->line, places[_i].line);
	ck_assert_int_eq(location->column, places[_i].column);
}
END_TEST

START_TEST(test_the_same_place_again_is_the_same_object)
{
	const struct snapshot_location *first, *second, *other;

	ck_assert_no_err(ask("", places[0].text, &first));
	ck_assert_no_err(ask("", places[0].text, &second));
	ck_assert_no_err(ask("", "a.c;main;8;1", &other));
	ck_assert_ptr_eq(first, second);
	ck_assert_ptr_ne(first, other);
}
END_TEST

static const char *const nonsense[] = {
	"",
	";",
	";;;",
	"a.c",
	"a.c;7;1",
	";main;7;1",
	"a.c;main;0;1",
	"a.c;main;7",
	"a.c;main;7;",
	"a.c;main;7;x",
	"a.c;main;-7;1",
	"a.c;main;7;1;;",
	"a.c;main; 7;1",
	"a.c;main;99999999999;1",
	"a.c;main;99999999999999999999999;1",
};

START_TEST(test_nonsense_is_an_error_that_says_so)
{
	const struct snapshot_location *location = (void *)&s;

	ck_assert_err(ask("", nonsense[_i], &location), ERR_PLUGIN_MISBEHAVED);
	ck_assert_ptr_null(location);
}
END_TEST

START_TEST(test_a_text_that_is_too_long)
{
	const struct snapshot_location *location;
	static char text[1 << 14];

	memset(text, 'a', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 10, ";main;7;1", 10);
	ck_assert_err(ask("", text, &location), ERR_PLUGIN_MISBEHAVED);
}
END_TEST

START_TEST(test_a_library_that_says_nothing)
{
	const struct snapshot_location *location = (void *)&s;

	ck_assert_no_err(ask("", NULL, &location));
	ck_assert_ptr_null(location);
	ck_assert_err(ask("location_wild", NULL, &location), ERR_PLUGIN_MISBEHAVED);
	ck_assert_err(ask("location_null", NULL, &location), ERR_PLUGIN_MISBEHAVED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_location");
	TCase *tc = tcase_create("location");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_a_place, 0, sizeof(places) / sizeof(places[0]));
	tcase_add_test(tc, test_the_same_place_again_is_the_same_object);
	tcase_add_loop_test(tc, test_nonsense_is_an_error_that_says_so, 0, sizeof(nonsense) / sizeof(nonsense[0]));
	tcase_add_test(tc, test_a_text_that_is_too_long);
	tcase_add_test(tc, test_a_library_that_says_nothing);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
