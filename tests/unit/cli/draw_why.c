/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of cli/draw_why.c: `ompdctl why` as text. The output is one screen for every result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawn_view.h"

static char *show(const char *json, int width)
{
	return draw_source(json, VIEW_WHY, &(struct style){.width = width});
}

static void assert_fits(const char *text, size_t width, size_t max_lines)
{
	size_t n = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1, n++)
		ck_assert_uint_le(strcspn(line, "\n"), width);
	ck_assert_uint_le(n, max_lines);
}

#define CLAIM "{\"text\":\"thread 1 (7) waits for lock red, in work() at a.c:12\",\"source\":\"kernel\"}"
#define FINDING                                                                                                        \
	"{\"kind\":\"cycle\",\"certainty\":\"proven\",\"title\":\"2 threads wait for each other\",\"claims\":[" CLAIM  \
	"," CLAIM "]}"

START_TEST(test_verdict_comes_first)
{
	char *text = show("{\"pid\":7,\"verdict\":\"deadlock\",\"title\":\"deadlock: 2 threads wait for each other\","
			  "\"threads\":{\"all\":2},\"looks\":{\"n\":2,\"interval_us\":500000,\"n_ran\":0,\"cpu_us\":0},"
			  "\"findings\":[" FINDING "],\"notes\":[{\"kind\":\"serialized\",\"text\":\"more\","
			  "\"source\":\"plugin\"}]}",
			  80);
	const char *second = strchr(text, '\n') + 1;

	ck_assert_msg(!strncmp(second, "deadlock: 2 threads", 19), "%s", text);
	/* The first finding's title is the title of the whole output. */
	ck_assert_ptr_null(strstr(text, "also:"));
	ck_assert_ptr_nonnull(strstr(text, "  - thread 1 (7) waits for lock red, in work() at a.c:12 [kernel]\n"));
	ck_assert_ptr_nonnull(strstr(text, "note: more\n"));
	ck_assert_ptr_nonnull(strstr(text, "2 samples, 500.0 ms apart: no thread ran\n"));
	free(text);
}
END_TEST

START_TEST(test_lines_break_between_words)
{
	char *text = show("{\"pid\":7,\"verdict\":\"busy\",\"title\":\"not hung: one two three four five six seven\","
			  "\"findings\":[],\"looks\":{\"n\":1}}",
			  24);

	ck_assert_ptr_nonnull(strstr(text, "\nnot hung: one two three\n  four five six seven\n"));
	ck_assert_ptr_nonnull(strstr(text, "1 sample: "));
	free(text);
}
END_TEST

/* A word that is wider than every line, and an empty text. */
START_TEST(test_odd_texts_come_to_an_end)
{
	static const char *const titles[] = {"", " ", "a_word_that_is_longer_than_any_line_may_be_here",
					     "\\u001b[31m x", "ääääääääääääääääääääääääääääääääää"};
	char json[256];

	snprintf(json, sizeof(json), "{\"title\":\"%s\",\"findings\":[{\"title\":\"%s\"},{\"title\":\"%s\"}]}",
		 titles[_i], titles[_i], titles[_i]);
	char *text = show(json, 24);

	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_uint_lt(strlen(text), 1000);
	free(text);
}
END_TEST

START_TEST(test_many_findings_are_one_screen)
{
	struct buf json = {0};

	text_add(&json, "{\"pid\":7,\"verdict\":\"deadlock\",\"title\":\"deadlock\",\"findings\":[" FINDING);
	for (int i = 0; i < 50; i++)
		text_add(&json, "," FINDING);
	text_add(&json, "],\"looks\":{\"n\":1}}");
	char *text = show(json.data, 80);

	assert_fits(text, 80, 30);
	ck_assert_ptr_nonnull(strstr(text, " more: --all\n"));
	free(text);
	text = draw_source(json.data, VIEW_WHY, &(struct style){.width = 80, .all = 1});
	ck_assert_ptr_null(strstr(text, " more: --all\n"));
	free(text);
	buf_deinit(&json);
}
END_TEST

/* A daemon may send any text. */
START_TEST(test_wrong_types)
{
	static const char *const results[] = {
		"{}", "{\"title\":5,\"findings\":{},\"notes\":7,\"looks\":[],\"threads\":1}",
		"{\"findings\":[1,null,{\"claims\":[3,null,{}],\"title\":[]}],\"notes\":[4]}"};
	char *text = show(results[_i], 80);

	ck_assert_ptr_nonnull(strstr(text, "1 sample: "));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("draw_why");
	TCase *tc = tcase_create("show");

	tcase_add_test(tc, test_verdict_comes_first);
	tcase_add_test(tc, test_lines_break_between_words);
	tcase_add_loop_test(tc, test_odd_texts_come_to_an_end, 0, 5);
	tcase_add_test(tc, test_many_findings_are_one_screen);
	tcase_add_loop_test(tc, test_wrong_types, 0, 3);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
