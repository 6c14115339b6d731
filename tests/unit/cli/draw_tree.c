/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/draw_tree.c. */
#include "draw.h"

#include <json-c/json.h>

#include "check_main.h"

static void assert_tree(const char *nodes, const struct style *style, const char *expected)
{
	struct json_object *json = json_tokener_parse(nodes);
	struct buf out = {0};

	draw_tree(json, style, &out);
	text_add(&out, "");
	ck_assert_str_eq(out.data, expected);
	buf_deinit(&out);
	json_object_put(json);
}

#define NODE(depth, label, more) "{\"depth\":" #depth ",\"label\":\"" label "\"" more "}"

START_TEST(test_lines_follow_the_nesting)
{
	struct style style = {.utf8 = 1};

	assert_tree(
		"[" NODE(0, "region", ",\"text\":\"level 0\"") "," NODE(
			1, "thread 0",
			",\"tids\":\"1\",\"state\":{\"text\":\"\"}") "," NODE(2, "region",
									      ",\"text\":\"level 1\"") "," NODE(1,
														"thread"
														" 1",
														",\"tid"
														"s\":"
														"\"2\","
														"\"stat"
														"e\":{"
														"\"text"
														"\":"
														"\"idle"
														"\"}") "]",
		&style,
		"\342\224\224\342\224\200 region level 0\n"
		"   \342\224\234\342\224\200 thread 0 (1)\n"
		"   \342\224\202  \342\224\224\342\224\200 region level 1\n"
		"   \342\224\224\342\224\200 thread 1 (2)  idle\n");
}
END_TEST

START_TEST(test_long_lines_are_cut_to_the_terminal)
{
	struct style style = {.width = 24};

	assert_tree("[" NODE(0, "region", ",\"text\":\"a_function_with_a_long_name\"") "]", &style,
		    "`- region a_function_w..\n");
}
END_TEST

START_TEST(test_a_node_that_only_leads_on_shares_its_line)
{
	struct style style = {.width = 40};

	assert_tree("[" NODE(0, "thread 3", "") "," NODE(1, "region", ",\"text\":\"level 1\"") "," NODE(
			    2, "thread 0", ",\"tids\":\"7\",\"state\":{\"text\":\"work\"}") "]",
		    &style,
		    "`- thread 3 -> region level 1\n"
		    "   `- thread 0 (7)  work\n");
}
END_TEST

/* A foreign daemon may send any depths. */
START_TEST(test_odd_depths_are_survived)
{
	struct style style = {0};

	assert_tree("[" NODE(9, "a", "") "," NODE(-1, "b", "") "," NODE(7, "c", "") "," NODE(1, "d", "") ",5,{}]",
		    &style, "|- a\n|- b\n|  |- c\n|  `- d\n|- \n`- \n");
	assert_tree("{}", &style, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("draw_tree");
	TCase *draw = tcase_create("draw_tree");

	tcase_add_test(draw, test_lines_follow_the_nesting);
	tcase_add_test(draw, test_a_node_that_only_leads_on_shares_its_line);
	tcase_add_test(draw, test_long_lines_are_cut_to_the_terminal);
	tcase_add_test(draw, test_odd_depths_are_survived);
	suite_add_tcase(suite, draw);
	return check_main(suite);
}
