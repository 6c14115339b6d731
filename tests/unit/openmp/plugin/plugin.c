/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/plugin/plugin: which libraries are loaded, and which are refused. */
#include "check_main.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "openmp/plugin/plugin.h"

START_TEST(test_load_by_descriptor)
{
	struct plugin *p = NULL;
	int fd = open(FAKE_LIBOMPD, O_RDONLY);

	ck_assert_no_err(plugin_load("/a/name", fd, &p));
	ck_assert_str_eq(plugin_path(p), "/a/name");
	plugin_destroy(p);
	close(fd);
}
END_TEST

START_TEST(test_load_without_a_routine)
{
	struct plugin *p = NULL;
	struct error *err = plugin_load(FAKE_LIBOMPD_PARTIAL, -1, &p);

	ck_assert(error_is(err, ERR_PLUGIN_LOAD_FAILED));
	ck_assert_ptr_nonnull(strstr(err->message, "ompd_get_state"));
	error_destroy(err);
}
END_TEST

START_TEST(test_load_of_an_old_version)
{
	struct plugin *p = NULL;

	setenv("FAKE_OMPD", "old", 1);
	ck_assert_err(plugin_load(FAKE_LIBOMPD, -1, &p), ERR_PLUGIN_INCOMPATIBLE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plugin");
	TCase *load = tcase_create("plugin_load");

	tcase_add_test(load, test_load_by_descriptor);
	tcase_add_test(load, test_load_without_a_routine);
	tcase_add_test(load, test_load_of_an_old_version);
	suite_add_tcase(s, load);
	return check_main(s);
}
