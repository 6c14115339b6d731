/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/draw.c and of the views that it draws, with the smallest snapshots that show a thing. */
#include "draw.h"
#include "draw_table.h"

#include <string.h>

#include "drawn_view.h"
#include "two_regions.h"

/* Compare a view without its head. */
static void assert_view(const char *json, enum view_kind kind, const struct style *style, const char *expected)
{
	char *text = draw_source(json, kind, style);
	const char *body = strchr(text, '\n') + 1;

	if (kind == VIEW_TREE)
		body = strchr(body, '\n') + 1;
	ck_assert_str_eq(body, expected);
	free(text);
}

static void assert_head(const char *json, const char *expected)
{
	struct style style = {0};
	char *text = draw_source(json, VIEW_THREADS, &style);

	*strchr(text, '\n') = 0;
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(test_wrong_types_are_survived)
{
	static const char *const wrong[] = {
		"{}", "{\"threads\":5,\"tasks\":{},\"parallels\":null}",
		"{\"threads\":[1,null,[]],\"parallels\":[2,{\"threads\":{}}],\"tasks\":[\"x\"]}",
		"{\"parallels\":[{\"handle\":\"a\",\"enclosing\":\"b\"},{\"handle\":\"b\","
		"\"enclosing\":\"a\"}]}"};
	struct style style = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		for (int kind = VIEW_TREE; kind <= VIEW_WHY; kind++) {
			char *text = draw_source(wrong[i], (enum view_kind)kind, &style);

			ck_assert_str_ne(text, "");
			free(text);
		}
	}
}
END_TEST

START_TEST(test_threads_show_one_line_each_with_place_and_wait)
{
	struct style style = {0};

	assert_view(two_regions, VIEW_THREADS, &style,
		    "NUM  TID  NAME  STATE      LEVEL  TEAM  REGION  TASK  WAITS FOR\n"
		    "0    10   p     work           1     2  0x55    f     -\n"
		    "1    11   p     lock           1     2  0x55    -     0x40 (lock)\n"
		    "-    12   log   no OpenMP      -     -  -       -     -\n");
}
END_TEST

START_TEST(test_threads_show_folds_unless_all)
{
	static const char twins[] = "{\"threads\":[{\"tid\":7,\"comm\":\"x\",\"openmp\":true,"
				    "\"thread_num\":2,\"state\":{\"name\":\"idle\"}},"
				    "{\"tid\":8,\"comm\":\"x\",\"openmp\":true,\"thread_num\":1,"
				    "\"state\":{\"name\":\"idle\"}}]}";
	struct style style = {0};

	assert_view(twins, VIEW_THREADS, &style,
		    "COUNT  NUM  TID  STATE  LEVEL  TEAM  REGION  TASK  WAITS FOR\n"
		    "    2  1-2  7-8  idle       -     -  -       -     -\n");
	style.all = 1;
	assert_view(twins, VIEW_THREADS, &style,
		    "NUM  TID  STATE  LEVEL  TEAM  REGION  TASK  WAITS FOR\n"
		    "2    7    idle       -     -  -       -     -\n"
		    "1    8    idle       -     -  -       -     -\n");
}
END_TEST

/* A core file has the name of the first thread only: that does not count as different names. */
START_TEST(test_threads_show_names_only_where_they_differ)
{
	static const char core[] = "{\"threads\":[{\"tid\":7,\"comm\":\"x\",\"openmp\":false},{\"tid\":9,\"comm\":" RC
				   ",\"openmp\":false}]}";
	struct style style = {.all = 1};

	assert_view(core, VIEW_THREADS, &style,
		    "NUM  TID  STATE      LEVEL  TEAM  REGION  TASK  WAITS FOR\n"
		    "-    7    no OpenMP      -     -  -       -     -\n"
		    "-    9    no OpenMP      -     -  -       -     -\n");
}
END_TEST

START_TEST(test_tree_show_nests_regions_under_the_thread_that_met_them)
{
	struct style style = {0};

	assert_view(two_regions, VIEW_TREE, &style,
		    "|- initial region level 0, team of 1\n"
		    "|  `- thread 0 (10) -> parallel region level 1, team of 2: 0x55\n"
		    "|     |- thread 0 (10)  work\n"
		    "|     |  `- explicit task f\n"
		    "|     `- thread 1 (11)  lock  waits for 0x40\n"
		    "`- other thread (12) (log)\n");
}
END_TEST

START_TEST(test_icvs_show_common_values_once_and_different_ones_side_by_side)
{
	static const char json[] = "{\"icvs\":{\"num-procs-var\":{\"value\":\"2\"}},\"threads\":[{"
				   "\"tid\":7},{\"tid\":8}],\"tasks\":["
				   "{\"handle\":\"a\",\"kind\":\"implicit\",\"thread\":7,\"icvs\":{"
				   "\"dyn-var\":{\"value\":\"0\",\"int\":0},"
				   " \"nthreads-var\":{\"value\":\"2\"},\"thread-num-var\":{"
				   "\"value\":\"0\",\"int\":0},\"bind-var\":" RC "}},"
				   "{\"handle\":\"b\",\"kind\":\"implicit\",\"thread\":8,\"icvs\":{"
				   "\"dyn-var\":{\"value\":\"0\",\"int\":0},"
				   " \"nthreads-var\":{\"value\":\"5\"},\"thread-num-var\":{"
				   "\"value\":\"1\",\"int\":1},\"bind-var\":" RC "}}]}";
	struct style style = {0};

	assert_view(json, VIEW_ICVS, &style,
		    "\nThe process\n"
		    "VARIABLE       VALUE\n"
		    "num-procs-var  2\n"
		    "\nAll 2 tasks\n"
		    "VARIABLE  VALUE\n"
		    "dyn-var   0\n"
		    "unavailable: bind-var\n"
		    "\nWhere they differ\n"
		    "  A  1 implicit task (thread 7)\n"
		    "  B  1 implicit task (thread 8)\n"
		    "VARIABLE        A  B\n"
		    "nthreads-var    2  5\n"
		    "thread-num-var  0  1\n");
}
END_TEST

START_TEST(test_head_says_how_it_was_looked_at)
{
	assert_head(two_regions, "p (pid 10), 3 threads (2 OpenMP), not stopped");
	assert_head("{\"pid\":5,\"consistency\":\"stopped\",\"stopped_us\":212,\"runtime\":"
		    "{\"kind\":\"libgomp\",\"version\":\"12\"}}",
		    "process (pid 5), libgomp 12, 0 threads, stopped for 212 us");
}
END_TEST

static void assert_sets(const char *set, size_t max_width, const char *expected)
{
	struct buf text = {0};

	draw_sets(&text, set, max_width);
	ck_assert_str_eq(text.data, expected);
	buf_deinit(&text);
}

START_TEST(test_too_long_a_set_is_cut_between_pieces)
{
	assert_sets("1,3,5,7,9,11", 8, "1,3,5,..");
	assert_sets("1,3,5", 5, "1,3,5");
	assert_sets("1000000,2000000", 3, "1000000,..");
	assert_sets("threads 1,3,5,7,9,11 of each", 8, "threads 1,3,5,.. of each");
	assert_sets("", 8, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("draw");
	TCase *views = tcase_create("draw_view");

	tcase_add_test(views, test_wrong_types_are_survived);
	tcase_add_test(views, test_threads_show_one_line_each_with_place_and_wait);
	tcase_add_test(views, test_threads_show_folds_unless_all);
	tcase_add_test(views, test_threads_show_names_only_where_they_differ);
	tcase_add_test(views, test_tree_show_nests_regions_under_the_thread_that_met_them);
	tcase_add_test(views, test_icvs_show_common_values_once_and_different_ones_side_by_side);
	tcase_add_test(views, test_head_says_how_it_was_looked_at);
	tcase_add_test(views, test_too_long_a_set_is_cut_between_pieces);
	suite_add_tcase(suite, views);
	return check_main(suite);
}
