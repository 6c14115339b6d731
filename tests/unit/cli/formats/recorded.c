/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/formats: the output for one small tree, and trees that are refused. */
#include "formats/recorded.h"

#include <string.h>

#include <json-c/json.h>

#include "check_main.h"
#include "format.h"

#define TREE(parents, frames, times)                                                                                   \
	"{\"pid\":7,\"profile\":{\"rate_hz\":100},\"stacks\":{\"strings\":[\"\",\"main\",\"a;b\\u001b\",\"work\",\"/"  \
	"x/m.c\"],"                                                                                                    \
	"\"frames\":{\"kind\":[\"user\",\"parallel\",\"state\"],\"function\":[1,2,3],\"file\":[4,0,99],\"line\":[12,"  \
	"0,0],"                                                                                                        \
	"\"module\":[0,0,0]},\"nodes\":{\"parent\":" parents ",\"frame\":" frames ",\"self_us\":" times                \
	",\"samples\":[0,0,2,1]}}}"

static struct json_object *json;

static struct error *read_tree(const char *text, struct recorded *ret)
{
	json = answer_parse(text, strlen(text));
	ck_assert_ptr_nonnull(json);
	return recorded_read(json, "prog", ret);
}

START_TEST(test_folded)
{
	struct buf out = {0};
	struct recorded r;

	ck_assert_ptr_null(read_tree(TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,20,5]"), &r));
	ck_assert_ptr_null(folded_write(&r, &out));
	ck_assert_str_eq(out.data, "main;parallel region a:b\\x1b;[work] 20\nmain;[work] 5\n");
	buf_deinit(&out);
	recorded_deinit(&r);
	json_object_put(json);
}
END_TEST

START_TEST(test_speedscope)
{
	struct buf out = {0};
	struct recorded r;

	ck_assert_ptr_null(read_tree(TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,20,5]"), &r));
	ck_assert_ptr_null(speedscope_write(&r, &out));
	ck_assert_ptr_nonnull(strstr(out.data, "{\"name\":\"main\",\"file\":\"/x/m.c\",\"line\":12}"));
	ck_assert_ptr_nonnull(strstr(out.data, "\"endValue\":25,\"samples\":[[0,1,2],[0,2]],\"weights\":[20,5]"));
	buf_deinit(&out);
	recorded_deinit(&r);
	json_object_put(json);
}
END_TEST

/* Each process has its own outermost frame, and the times are those of both. */
START_TEST(test_merge)
{
	struct recorded parts[2], merged, again;
	struct json_object *texts[2];
	struct buf out = {0};

	for (int i = 0; i < 2; i++) {
		ck_assert_ptr_null(read_tree(TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,20,5]"), &parts[i]));
		texts[i] = json;
	}
	parts[1].pid = 8;
	parts[0].begun_us = 1000;
	parts[1].begun_us = 3000;
	parts[0].elapsed_us = 500;
	parts[1].elapsed_us = 700;
	ck_assert_ptr_null(recorded_merge(parts, 2, &merged));
	ck_assert_int_eq(merged.total_us, 50);
	ck_assert_int_eq(merged.samples, 6);
	ck_assert_int_eq(merged.begun_us, 1000);
	ck_assert_int_eq(merged.elapsed_us, 2700);
	ck_assert_ptr_null(folded_write(&merged, &out));
	ck_assert_str_eq(out.data,
			 "prog (pid 7);main;parallel region a:b\\x1b;[work] 20\nprog (pid 7);main;[work] 5\n"
			 "prog (pid 8);main;parallel region a:b\\x1b;[work] 20\nprog (pid 8);main;[work] 5\n");
	parts[0].total_us = INT64_MAX;
	struct error *f = recorded_merge(parts, 2, &again);
	ck_assert_str_eq(f->name, "bad_answer");
	error_destroy(f);
	buf_deinit(&out);
	recorded_deinit(&merged);
	for (int i = 0; i < 2; i++) {
		recorded_deinit(&parts[i]);
		json_object_put(texts[i]);
	}
}
END_TEST

/* Names of the target are text, in XML as in HTML. */
START_TEST(test_svg)
{
	struct buf svg = {0}, html = {0};
	struct recorded r;

	ck_assert_ptr_null(read_tree(TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,20,5]"), &r));
	r.program = "<script>&\"";
	r.frames[2].kind = "\"><script>";
	ck_assert_ptr_null(svg_write(&r, &svg));
	ck_assert_ptr_nonnull(strstr(svg.data, "<title>Flame graph of &lt;script&gt;&amp;&quot;</title>"));
	ck_assert_ptr_nonnull(strstr(svg.data,
				     "<g class=\"user\" data-x=\"0.0000000\" data-w=\"1.0000000\" data-d=\"1\" "
				     "data-n=\"main\"><title>main at /x/m.c:12: 25 µs (100.0 %)</title>"));
	/* The longer child comes first. */
	ck_assert_ptr_nonnull(strstr(
		svg.data, "data-x=\"0.0000000\" data-w=\"0.8000000\" data-d=\"2\" data-n=\"parallel region a;b"));
	ck_assert_ptr_nonnull(
		strstr(svg.data, "data-x=\"0.8000000\" data-w=\"0.2000000\" data-d=\"2\" data-n=\"[work]\""));
	ck_assert_ptr_nonnull(strstr(svg.data, "<g class=\"&quot;&gt;&lt;script&gt;\""));
	ck_assert_ptr_null(html_write(&r, &html));
	ck_assert(!strncmp(html.data, "<!DOCTYPE html>", 15));
	ck_assert_ptr_nonnull(strstr(html.data, svg.data));
	/* A profile without time has no boxes. */
	r.n_nodes = 0;
	r.total_us = 0;
	svg.len = 0;
	ck_assert_ptr_null(svg_write(&r, &svg));
	ck_assert_ptr_null(strstr(svg.data, "<g "));
	buf_deinit(&svg);
	buf_deinit(&html);
	recorded_deinit(&r);
	json_object_put(json);
}
END_TEST

static const char *const bad[] = {
	"{}",
	"{\"stacks\":7}",
	/* A parent that is not defined yet, a node as its own parent, or no parent. */
	TREE("[-1,1,1,0]", "[0,1,2,2]", "[0,0,20,5]"),
	TREE("[-1,3,1,0]", "[0,1,2,2]", "[0,0,20,5]"),
	TREE("[-1,-2,1,0]", "[0,1,2,2]", "[0,0,20,5]"),
	TREE("[-1,\"x\",1,0]", "[0,1,2,2]", "[0,0,20,5]"),
	TREE("[-1,0,1,0]", "[0,1,3,2]", "[0,0,20,5]"),
	TREE("[-1,0,1,0]", "[0,1,-1,2]", "[0,0,20,5]"),
	TREE("[-1,0,1,0]", "[0,1,2]", "[0,0,20,5]"),
	TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,-20,5]"),
	TREE("[-1,0,1,0]", "[0,1,2,2]", "[0,0,9223372036854775807,5]"),
};

START_TEST(test_trees_that_are_none)
{
	struct recorded r;
	const char *text = bad[_i];
	struct error *f = read_tree(text, &r);

	/* Without the member `stacks` there is no tree, whatever the other members are. */
	ck_assert_msg(f, "accepted: %s", text);
	ck_assert_str_eq(f->name, "bad_answer");
	error_destroy(f);
	json_object_put(json);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli/formats/recorded");
	TCase *t = tcase_create("recorded");

	tcase_add_test(t, test_folded);
	tcase_add_test(t, test_speedscope);
	tcase_add_test(t, test_svg);
	tcase_add_test(t, test_merge);
	tcase_add_loop_test(t, test_trees_that_are_none, 0, sizeof(bad) / sizeof(bad[0]));
	suite_add_tcase(s, t);
	return check_main(s);
}
