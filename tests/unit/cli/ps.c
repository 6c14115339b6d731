/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/ps.c. */
#include "ps.h"

#include <json-c/json.h>
#include <string.h>

#include "check_main.h"
#include "format.h"

static void assert_shown(const char *json, const struct style *style, const char *expected)
{
	struct json_object *result = answer_parse(json, strlen(json));
	struct buf out = {0};

	ck_assert_ptr_nonnull(result);
	ps_show(result, style, &out);
	text_add(&out, "");
	ck_assert_str_eq(out.data, expected);
	buf_deinit(&out);
	json_object_put(result);
}

#define PLAIN                                                                                                          \
	"{\"pid\":12,\"uid\":7,\"user\":\"ada\",\"name\":\"cfd\",\"program\":\"/x/cfd\",\"n_threads\":8,"              \
	"\"in_region\":true,\"runtimes\":[{\"kind\":\"libgomp\",\"path\":\"/l\"}]}"

START_TEST(test_ps_leaves_out_what_nobody_has)
{
	struct style style = {0};

	assert_shown("{\"processes\":[" PLAIN "]}", &style,
		     "PID  USER  PROGRAM  RUNTIME  THREADS  REGION\n"
		     " 12  ada   cfd      libgomp        8  yes\n");
}
END_TEST

START_TEST(test_ps_ranks_jobs_and_several_runtimes)
{
	struct style style = {0};

	assert_shown(
		"{\"processes\":[{\"pid\":4711,\"uid\":7,\"name\":\"x\",\"program\":\"/x/"
		"\\u001b[31my\",\"n_threads\":2,"
		"\"in_region\":{\"rc\":\"ompd_rc_unavailable\",\"message\":\"why\"},"
		"\"runtimes\":[{\"kind\":\"libgomp\"},{\"kind\":\"libomp\"},{\"kind\":\"libgomp\"}],"
		"\"rank\":{\"number\":3,\"size\":16},\"slurm\":{\"job\":\"77\",\"step\":\"0\",\"node\":\"n1\"}}," PLAIN
		"],"
		"\"truncated\":true}",
		&style,
		" PID  USER  PROGRAM    RUNTIME           THREADS  REGION  RANK  JOB   NODE\n"
		"4711  7     \\x1b[31my  libgomp*2+libomp        2  -       3/16  77.0  n1\n"
		"  12  ada   cfd        libgomp                 8  yes\n"
		"- REGION not known: why\n"
		"the list is not complete; filter by user, program or job\n");
}
END_TEST

START_TEST(test_ps_nothing_to_show)
{
	struct style style = {0}, rows = {.no_headers = 1};

	assert_shown("{\"processes\":[],\"n_hidden\":3}", &style,
		     "no such OpenMP process among the processes that you may examine; the kernel hides 3 from you\n");
	assert_shown("{\"processes\":[],\"n_hidden\":3}", &rows, "");
	/* Odd answers are shown, too. */
	assert_shown("{}", &rows, "");
	assert_shown("{\"processes\":[7,{}]}", &rows,
		     "  -  -     -                       -  -\n  -  -     -                       -  -\n");
}
END_TEST

START_TEST(test_ps_columns)
{
	struct style style = {.columns = "rank,pid", .no_headers = 1};
	struct error *f = ps_check_columns("pid,nope");

	ck_assert_ptr_null(ps_check_columns("pid,Rank"));
	ck_assert_str_eq(f->message, "ps has no column 'nope'");
	error_destroy(f);
	assert_shown("{\"processes\":[" PLAIN "]}", &style, "   -   12\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli/ps");
	TCase *t = tcase_create("ps");

	tcase_add_test(t, test_ps_leaves_out_what_nobody_has);
	tcase_add_test(t, test_ps_ranks_jobs_and_several_runtimes);
	tcase_add_test(t, test_ps_nothing_to_show);
	tcase_add_test(t, test_ps_columns);
	suite_add_tcase(s, t);
	return check_main(s);
}
