/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of the environment of a launched program: which variables it gets, and from which environment. */
#include "worker/control/launch_env.h"

#include <string.h>

#include "base/contract.h"
#include "check_main.h"

#define ENV(...) ((char *const[]){__VA_ARGS__, NULL})

/* Returns the variables as one text, with a space behind each. */
static const char *made(char *const *environment, const struct launch_variable *asked, size_t n)
{
	static char text[512];
	char **env;

	ck_assert_no_err(launch_env_create(environment, asked, n, &env));
	text[0] = '\0';
	for (size_t i = 0; env[i]; i++) {
		ck_assert_uint_lt(strlen(text) + strlen(env[i]) + 2, sizeof(text));
		strncat(text, env[i], sizeof(text) - strlen(text) - 1);
		strncat(text, " ", sizeof(text) - strlen(text) - 1);
	}
	launch_env_destroy(env);
	return text;
}

START_TEST(test_by_hand_it_is_the_workers_own)
{
	ck_assert_str_eq(made(ENV("A=1", "B=", "C=x=y"), NULL, 0), "A=1 B= C=x=y ");
	ck_assert_str_eq(made((char *const[]){NULL}, NULL, 0), "");
}
END_TEST

START_TEST(test_what_the_daemon_hands_on_is_all)
{
	ck_assert_str_eq(made(ENV("WORKER=1", CONTRACT_ENV_PREFIX "A=1", CONTRACT_ENV_PREFIX "B=2"), NULL, 0),
			 "A=1 B=2 ");
	/* The prefix alone: the user has no variables, but the daemon's environment is not used. */
	ck_assert_str_eq(made(ENV("WORKER=1", CONTRACT_ENV_PREFIX "="), NULL, 0), "");
}
END_TEST

START_TEST(test_asked_for_come_in_the_place_of_others)
{
	static const struct launch_variable asked[] = {
		{"A", "new"}, {"GONE", NULL}, {"MORE", ""}, {"NEVER_THERE", NULL}};

	ck_assert_str_eq(made(ENV("A=old", "AA=1", "GONE=1", "GON=2"), asked, 4), "AA=1 GON=2 A=new MORE= ");
	ck_assert_str_eq(made(ENV(CONTRACT_ENV_PREFIX "A=old", CONTRACT_ENV_PREFIX "GONE=1", "MORE=mine"), asked, 4),
			 "A=new MORE= ");
}
END_TEST

START_TEST(test_what_has_no_name_is_left_out)
{
	ck_assert_str_eq(made(ENV("=1", "NOTHING", "A=1"), NULL, 0), "A=1 ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("worker/control/launch_env");
	TCase *tc = tcase_create("launch_env");

	tcase_add_test(tc, test_by_hand_it_is_the_workers_own);
	tcase_add_test(tc, test_what_the_daemon_hands_on_is_all);
	tcase_add_test(tc, test_asked_for_come_in_the_place_of_others);
	tcase_add_test(tc, test_what_has_no_name_is_left_out);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
