/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of server/worker_env: the part of our environment that a worker gets, and what it gets for programs. */
#include "check_main.h"

#include <string.h>

#include "server/worker_env.h"

static char *const ours[] = {(char *)"LD_PRELOAD=evil.so", (char *)"TZ=UTC", (char *)"PATH=/opt/bin",
			     (char *)"SECRET=x", NULL};
static char **env;

static void teardown(void)
{
	worker_env_destroy(env);
	env = NULL;
}

static bool has(const char *variable)
{
	for (char **e = env; *e; e++) {
		if (!strcmp(*e, variable))
			return true;
	}
	return false;
}

static size_t count_with_prefix(void)
{
	size_t n = 0;

	for (char **e = env; *e; e++)
		n += !strncmp(*e, CONTRACT_ENV_PREFIX, strlen(CONTRACT_ENV_PREFIX));
	return n;
}

START_TEST(test_nothing_of_ours_decides_what_it_loads)
{
	ck_assert_no_err(worker_env_create(ours, NULL, &env));
	ck_assert(has("TZ=UTC") && has("PATH=/usr/local/bin:/usr/bin:/bin"));
	ck_assert(!has("LD_PRELOAD=evil.so") && !has("PATH=/opt/bin") && !has("SECRET=x"));
}
END_TEST

START_TEST(test_our_own_programs_get_all_of_it)
{
	ck_assert_no_err(worker_env_create(ours, NULL, &env));
	ck_assert(has(CONTRACT_ENV_PREFIX "LD_PRELOAD=evil.so") && has(CONTRACT_ENV_PREFIX "PATH=/opt/bin") &&
		  has(CONTRACT_ENV_PREFIX "SECRET=x") && has(CONTRACT_ENV_PREFIX "TZ=UTC"));
	ck_assert(has(CONTRACT_ENV_PREFIX "="));
	ck_assert_uint_eq(count_with_prefix(), 5);
}
END_TEST

START_TEST(test_an_empty_environment_is_one_too)
{
	char *const nothing[] = {NULL};

	ck_assert_no_err(worker_env_create(nothing, NULL, &env));
	ck_assert(has(CONTRACT_ENV_PREFIX "="));
	ck_assert_uint_eq(count_with_prefix(), 1);
}
END_TEST

START_TEST(test_others_get_that_of_a_login)
{
	const struct passwd pw = {.pw_name = (char *)"u", .pw_dir = (char *)"/home/u", .pw_shell = (char *)"/bin/sh"};

	ck_assert_no_err(worker_env_create(ours, &pw, &env));
	ck_assert(has(CONTRACT_ENV_PREFIX "HOME=/home/u") && has(CONTRACT_ENV_PREFIX "USER=u") &&
		  has(CONTRACT_ENV_PREFIX "LOGNAME=u") && has(CONTRACT_ENV_PREFIX "SHELL=/bin/sh"));
	ck_assert(!has(CONTRACT_ENV_PREFIX "SECRET=x"));
	ck_assert_uint_eq(count_with_prefix(), 6);
}
END_TEST

START_TEST(test_user_without_an_entry)
{
	const struct passwd nobody = {0};

	ck_assert_no_err(worker_env_create(ours, &nobody, &env));
	ck_assert_uint_eq(count_with_prefix(), 2);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("worker_env");
	TCase *t = tcase_create("worker_env");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, test_nothing_of_ours_decides_what_it_loads);
	tcase_add_test(t, test_our_own_programs_get_all_of_it);
	tcase_add_test(t, test_an_empty_environment_is_one_too);
	tcase_add_test(t, test_others_get_that_of_a_login);
	tcase_add_test(t, test_user_without_an_entry);
	suite_add_tcase(s, t);
	return check_main(s);
}
