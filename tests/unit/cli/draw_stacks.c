/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of cli/draw_stacks.c: stacks as text that fits a terminal. */
#include <stdlib.h>
#include <string.h>

#include "drawn_view.h"

#define N_THREADS 300

/* One stack shared by many threads whose ids are not consecutive. */
static char *show(int width)
{
	struct style style = {.width = width};
	struct buf json = {0};

	text_add(&json, "{\"pid\":7,\"groups\":[{\"frames\":[],\"complete\":true,\"threads\":[");
	for (int i = 0; i < N_THREADS; i++)
		text_printf(&json, "%s{\"tid\":%d,\"openmp\":true,\"thread_num\":%d}", i ? "," : "", 7 + 2 * i, i);
	text_add(&json, "]}]}");
	char *drawn = draw_source(json.data, VIEW_STACKS, &style);
	buf_deinit(&json);
	return drawn;
}

START_TEST(test_stacks_of_many_threads_fit_a_terminal)
{
	char *text = show(80);
	char *line = strstr(text, "threads 0-299 (7,9,");

	ck_assert_ptr_nonnull(line);
	ck_assert_uint_le(strcspn(line, "\n"), 80);
	ck_assert_ptr_nonnull(strstr(line, ",..): 300\n"));
	free(text);
}
END_TEST

START_TEST(test_stacks_in_a_pipe_have_all_threads)
{
	char *text = show(0);

	ck_assert_ptr_nonnull(strstr(text, ",605): 300\n"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("draw_stacks");
	TCase *tc = tcase_create("show");

	tcase_add_test(tc, test_stacks_of_many_threads_fit_a_terminal);
	tcase_add_test(tc, test_stacks_in_a_pipe_have_all_threads);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
