/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/settings: the table, and the effect of values. */
#include "check_main.h"

#include <string.h>

#include "server/settings.h"

static struct server_options with(const char *name, const char *value)
{
	struct server_options o = {.request_timeout_ms = 1};

	ck_assert_no_err(settings_apply(settings_find(name), value, &o));
	return o;
}

/* A valid value of each setting. */
static const char *value_of(const struct setting *s)
{
	static const char *const values[][2] = {
		{"exit-when", "idle:7"}, {"log-level", "debug"}, {"socket-mode", "0660"}, {"allow-remote", "yes"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!strcmp(s->name, values[i][0]))
			return values[i][1];
	}
	return "7";
}

START_TEST(test_each_goes_where_only_it_is_kept)
{
	size_t n;
	const struct setting *all = settings_list(&n);
	const struct server_options none = {.request_timeout_ms = 1};

	for (size_t i = 0; i < n; i++) {
		struct server_options o = with(all[i].name, value_of(&all[i]));
		const struct setting *fixed = settings_find_fixed(&none, &o);

		ck_assert(memcmp(&o, &none, sizeof(o)));
		ck_assert_ptr_eq(fixed, all[i].is_fixed ? &all[i] : NULL);
		ck_assert_ptr_null(settings_find_fixed(&o, &o));
		ck_assert(i == 0 || strcmp(all[i - 1].name, all[i].name) < 0);
	}
	ck_assert_ptr_null(settings_find("no-such"));
}
END_TEST

START_TEST(test_values)
{
	const struct server_options mode = with("socket-mode", "660"), list = with("allow", "observe");
	struct server_options o = {.n_allow = 0};

	ck_assert_uint_eq(mode.socket_mode, 0660);
	ck_assert_uint_eq(list.n_allow, 1);
	ck_assert_str_eq(list.allow[0], "observe");
	for (int i = 0; i < SERVER_MAX_ALLOW; i++)
		ck_assert_no_err(settings_apply(settings_find("allow"), "observe", &o));
	ck_assert_err(settings_apply(settings_find("allow"), "observe", &o), ERR_INVALID_PARAMS);
	ck_assert_err(settings_apply(settings_find("worker-cpu"), "-1", &o), ERR_INVALID_PARAMS);
	ck_assert_err(settings_apply(settings_find("allow-remote"), "1", &o), ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_lists_that_differ_in_one)
{
	struct server_options a = with("listen", "stdio"), b = with("listen", "stdio");

	ck_assert_ptr_null(settings_find_fixed(&a, &b));
	ck_assert_no_err(settings_apply(settings_find("listen"), "tcp:80", &b));
	ck_assert_ptr_eq(settings_find_fixed(&a, &b), settings_find("listen"));
	ck_assert_no_err(settings_apply(settings_find("listen"), "tcp:81", &a));
	ck_assert_ptr_eq(settings_find_fixed(&a, &b), settings_find("listen"));
}
END_TEST

START_TEST(test_nearest)
{
	ck_assert_str_eq(settings_nearest("lisen"), "listen");
	ck_assert_str_eq(settings_nearest("socket_mode"), "socket-mode");
	ck_assert_str_eq(settings_nearest("plugin-dirs"), "plugin-dir");
	ck_assert_ptr_null(settings_nearest("xyz"));
	ck_assert_ptr_null(settings_nearest(""));
	ck_assert_ptr_null(settings_nearest("a-name-that-is-longer-than-any-setting-can-be"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("settings");
	TCase *tc = tcase_create("settings");

	tcase_add_test(tc, test_each_goes_where_only_it_is_kept);
	tcase_add_test(tc, test_values);
	tcase_add_test(tc, test_lists_that_differ_in_one);
	tcase_add_test(tc, test_nearest);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
