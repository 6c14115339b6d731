/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of methods/process_filter.c. */
#include "methods/process_filter.h"

#include <string.h>

#include "check_main.h"
#include "methods.h"
#include "openmp/runtimes/present.h"
#include "target/proc/job.h"

static struct process_filter made(const struct process_list_params *p)
{
	struct process_filter f;

	ck_assert_no_err(process_filter_make(p, &f));
	return f;
}

static bool has_rank(const char *ranks, int64_t rank)
{
	struct process_filter f = made(&(struct process_list_params){.ranks = ranks});
	struct job job = {.rank = rank};

	return process_filter_job(&f, &job);
}

START_TEST(test_without_parameters_all_are_wanted)
{
	struct process_filter f = made(&(struct process_list_params){0});
	struct job job = {.rank = -1};
	struct present present = {.runtimes = {{.kind = "libgomp"}}, .n = 1};

	ck_assert(process_filter_user(&f, 0) && process_filter_user(&f, 1000));
	ck_assert(process_filter_name(&f, "a", "/b") && process_filter_runtime(&f, &present));
	ck_assert(process_filter_job(&f, &job));
}
END_TEST

START_TEST(test_ranks)
{
	ck_assert(has_rank("0-3,7", 0) && has_rank("0-3,7", 3) && has_rank("0-3,7", 7));
	ck_assert(!has_rank("0-3,7", 4) && !has_rank("0-3,7", 8));
	/* A process without a rank is in no set. */
	ck_assert(!has_rank("0-3,7", -1));
	ck_assert(has_rank("2147483647", 2147483647));
}
END_TEST

static const char *const bad_ranks[] = {
	"", "-", "1-", "3-1", "1,", ",1", "1;2", "a", "-1", " 1", "1 ", "2147483648", "99999999999999999999"};

START_TEST(test_bad_ranks)
{
	struct process_filter f;

	ck_assert_err(process_filter_make(&(struct process_list_params){.ranks = bad_ranks[_i]}, &f),
		      ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_too_many_ranges)
{
	char text[2 * PROCESS_FILTER_MAX_RANGES + 3] = "";
	struct process_filter f;

	for (int i = 0; i < PROCESS_FILTER_MAX_RANGES; i++)
		strcat(text, i ? ",1" : "1");
	ck_assert(has_rank(text, 1));
	strcat(text, ",2");
	ck_assert_err(process_filter_make(&(struct process_list_params){.ranks = text}, &f), ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_user)
{
	struct process_filter f = made(&(struct process_list_params){.user = "root"});

	ck_assert(process_filter_user(&f, 0) && !process_filter_user(&f, 1));
	f = made(&(struct process_list_params){.user = "4000000000"});
	ck_assert(process_filter_user(&f, 4000000000u) && !process_filter_user(&f, 0));
	ck_assert_err(process_filter_make(&(struct process_list_params){.user = "no such user"}, &f),
		      ERR_INVALID_PARAMS);
	ck_assert_err(process_filter_make(&(struct process_list_params){.user = "-1"}, &f), ERR_INVALID_PARAMS);
	ck_assert_err(process_filter_make(&(struct process_list_params){.user = "4294967295"}, &f), ERR_INVALID_PARAMS);
}
END_TEST

START_TEST(test_name_and_runtime)
{
	struct process_filter f = made(&(struct process_list_params){.name = "a.out", .runtime = "libomp"});
	struct present present = {.runtimes = {{.kind = "libgomp"}, {.kind = "libomp"}}, .n = 1};

	ck_assert(process_filter_name(&f, "a.out", "/x") && process_filter_name(&f, "x", "/home/a.out"));
	ck_assert(!process_filter_name(&f, "x", "/a.out/x") && !process_filter_name(&f, "", ""));
	ck_assert(!process_filter_runtime(&f, &present));
	present.n = 2;
	ck_assert(process_filter_runtime(&f, &present));
}
END_TEST

START_TEST(test_job)
{
	struct process_filter f = made(&(struct process_list_params){.job = "12", .ranks = "1"});
	struct job job = {.rank = 1, .slurm_job = "12"};

	ck_assert(process_filter_job(&f, &job));
	job.rank = 2;
	ck_assert(!process_filter_job(&f, &job));
	job.rank = 1;
	strcpy(job.slurm_job, "13");
	ck_assert(!process_filter_job(&f, &job));
}
END_TEST

static const struct {
	const char *wanted, *text;
	bool is;
} groups[] = {
	{"/user.slice", "0::/user.slice/user-7.slice/session-2.scope\n", true},
	{"/user.slice/", "0::/user.slice\n", true},
	{"/user", "0::/user.slice\n", false},
	{"/", "0::/a\n", true},
	{"session-2.scope", "0::/user.slice/user-7.slice/session-2.scope\n", true},
	{"session-2", "0::/user.slice/user-7.slice/session-2.scope\n", false},
	{"job_12", "5:cpu,cpuacct:/other\n3:memory:/slurm/uid_7/job_12/step_0\n0::/\n", true},
	{"job_1", "3:memory:/slurm/uid_7/job_12/step_0\n", false},
	{"0123456789ab", "0::/system.slice/docker-0123456789abcdef.scope\n", true},
	{"0123456789ab", "0::/docker/0123456789abcdef\n", true},
	{"123456789abc", "0::/docker/0123456789abcdef\n", false},
	{"0123456789a", "0::/docker/0123456789abcdef\n", false},
	{"memory", "3:memory:/x\n", false},
	{"/x", "no such line\n:\n", false},
	{"x", "", false},
	{"x", "0::/x", true},
};

START_TEST(test_cgroup)
{
	struct process_filter f = made(&(struct process_list_params){.cgroup = groups[_i].wanted});

	ck_assert_int_eq(process_filter_cgroup(&f, groups[_i].text), groups[_i].is);
	f.cgroup = NULL;
	ck_assert(process_filter_cgroup(&f, groups[_i].text));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("methods/process_filter");
	TCase *t = tcase_create("process_filter");

	tcase_add_test(t, test_without_parameters_all_are_wanted);
	tcase_add_test(t, test_ranks);
	tcase_add_loop_test(t, test_bad_ranks, 0, sizeof(bad_ranks) / sizeof(bad_ranks[0]));
	tcase_add_test(t, test_too_many_ranges);
	tcase_add_test(t, test_user);
	tcase_add_test(t, test_name_and_runtime);
	tcase_add_test(t, test_job);
	tcase_add_loop_test(t, test_cgroup, 0, sizeof(groups) / sizeof(groups[0]));
	suite_add_tcase(s, t);
	return check_main(s);
}
