/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/watch/rule.c. */
#include "watch/rule.h"

#include <string.h>
#include <unistd.h>

#include "check_main.h"

static struct watch_rules rules;

static struct watch_rule *add_good(const char *text)
{
	ck_assert_no_err(watch_rules_add(&rules, text));
	return &rules.items[rules.n - 1];
}

static void assert_bad(struct error *f, const char *message)
{
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->code, ERR_USAGE);
	ck_assert_msg(strstr(f->message, message), "%s", f->message);
	error_destroy(f);
}

START_TEST(test_rule_conditions)
{
	ck_assert_int_eq(add_good("deadlock")->condition, WHEN_DEADLOCK);
	ck_assert_int_eq(add_good("barrier>1.5m")->condition, WHEN_BARRIER);
	ck_assert(rules.items[1].seconds == 90);
	ck_assert(add_good("no-progress>5")->seconds == 5);
	struct watch_rule *rule = add_good("metric:busy_threads<2");
	ck_assert(rule->condition == WHEN_METRIC && rule->metric == METRIC_BUSY_THREADS && rule->is_below);
	rule = add_good("metric:barrier_seconds>1e3");
	ck_assert(rule->value == 1000 && !rule->is_below);
	ck_assert_str_eq(rule->when, "metric:barrier_seconds>1e3");
}
END_TEST

START_TEST(test_rule_wrong_conditions)
{
	static const char *const wrong[] = {"",
					    "deadlocks",
					    "barrier>",
					    "barrier>0",
					    "barrier>-1",
					    "barrier>nan",
					    "no-progress>1y",
					    "barrier>1e30",
					    "metric:x>1",
					    "metric:busy_threads",
					    "metric:busy_threads>",
					    "metric:>1",
					    "metric:busy>1",
					    "metric:busy_threads>nan",
					    "metric:busy_threads>1x"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_bad(watch_rules_add(&rules, wrong[i]), "");
	ck_assert_uint_eq(rules.n, 0);
	for (int i = 0; i < RULES_MAX; i++)
		add_good("deadlock");
	assert_bad(watch_rules_add(&rules, "deadlock"), "more than");
}
END_TEST

START_TEST(test_rule_actions)
{
	assert_bad(watch_rules_extend(&rules, "keep=x"), "belongs to no condition");
	struct watch_rule *rule = add_good("deadlock");
	ck_assert(rule->every_s == 600 && rule->run_limit_s == 60 && rule->max_files == 64);
	static const char *const good[] = {"keep=a=b", "keep=c",  "run=/bin/x", "profile=2m",
					   "files=3",  "size=2K", "limit=1h",	"every=0.5"};
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ck_assert_no_err(watch_rules_extend(&rules, good[i]));
	ck_assert_str_eq(rule->keep, "c");
	ck_assert_str_eq(rule->run, "/bin/x");
	ck_assert(rule->profile_s == 120 && rule->max_files == 3 && rule->max_bytes == 2048);
	ck_assert(rule->run_limit_s == 3600 && rule->every_s == 0.5);
	static const char *const wrong[] = {"keep=",	"keep",	      "=x",	 "keeps=x", "files=0",
					    "files=1K", "size=0",     "size=1T", "size=-1", "size=9999999999999999999",
					    "size=1MM", "profile=2h", "limit=0", "every=x", "size=1125899906842625"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_bad(watch_rules_extend(&rules, wrong[i]), "");
}
END_TEST

START_TEST(test_rule_needs_an_action)
{
	assert_bad(watch_rules_check(&rules), "needs a rule");
	add_good("deadlock");
	assert_bad(watch_rules_check(&rules), "has no action");
	ck_assert_no_err(watch_rules_extend(&rules, "profile=1s"));
	assert_bad(watch_rules_check(&rules), "needs a folder");
	ck_assert_no_err(watch_rules_extend(&rules, "keep=x"));
	ck_assert_no_err(watch_rules_check(&rules));
	add_good("deadlock");
	ck_assert_no_err(watch_rules_extend(&rules, "push=http://x"));
	assert_bad(watch_rules_check(&rules), "needs a profile");
	ck_assert_no_err(watch_rules_extend(&rules, "profile=1s"));
	ck_assert_no_err(watch_rules_check(&rules));
}
END_TEST

START_TEST(test_rule_file)
{
	static const char text[] = "# c\n\nwhen deadlock then keep=a#b run=c # d\r\n\twhen  barrier>1 then run=e";
	char path[] = "/tmp/ompdd-rules-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_no_err(watch_rules_read(&rules, path));
	ck_assert_uint_eq(rules.n, 2);
	ck_assert_str_eq(rules.items[0].keep, "a#b");
	ck_assert_str_eq(rules.items[1].run, "e");
	ck_assert_int_eq(write(fd, "\nwhen", 5), 5);
	assert_bad(watch_rules_read(&rules, path), ":5: the rule has no action");
	close(fd);
	unlink(path);
	assert_bad(watch_rules_read(&rules, path), "cannot read");
	assert_bad(watch_rules_read(&rules, "/tmp"), "not a regular file");
}
END_TEST

static void tear_down(void)
{
	watch_rules_deinit(&rules);
}

int main(void)
{
	Suite *suite = suite_create("rule");
	TCase *tc = tcase_create("rule");

	tcase_add_checked_fixture(tc, NULL, tear_down);
	tcase_add_test(tc, test_rule_conditions);
	tcase_add_test(tc, test_rule_wrong_conditions);
	tcase_add_test(tc, test_rule_actions);
	tcase_add_test(tc, test_rule_needs_an_action);
	tcase_add_test(tc, test_rule_file);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
