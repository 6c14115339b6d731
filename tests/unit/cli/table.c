/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/table.c. */
#include "table.h"

#include <string.h>

#include "check_main.h"

static const struct table_column columns[] = {
	{"N", TABLE_RIGHT, 0}, {"NAME", 0, 5}, {"NONE", TABLE_DROP_DASHES, 0}, {"WHERE", 0, 6}};

static void fill(struct table *t, const char *const *cells, size_t n)
{
	table_init(t, columns, 4);
	for (size_t i = 0; i < n; i++)
		table_add(t, text_strdup(cells[i]), COLOUR_NONE);
}

static void assert_table(const struct style *style, const char *const *cells, size_t n, const char *expected)
{
	struct buf out = {0};
	struct table t;

	fill(&t, cells, n);
	table_render(&t, style, &out);
	text_add(&out, "");
	ck_assert_str_eq(out.data, expected);
	buf_deinit(&out);
	table_deinit(&t);
}

static const char *const cells[] = {"1", "solver", "-", "main._omp_fn.0", "299", "x", "", "work"};

START_TEST(test_table_columns_are_aligned)
{
	struct style style = {0};

	assert_table(&style, cells, 8,
		     "  N  NAME    NONE  WHERE\n"
		     "  1  solver  -     main._omp_fn.0\n"
		     "299  x             work\n");
}
END_TEST

START_TEST(test_table_a_column_of_dashes_is_dropped_before_anything_is_cut)
{
	struct style wide = {.width = 33}, narrow = {.width = 32};

	assert_table(&wide, cells, 8,
		     "  N  NAME    NONE  WHERE\n"
		     "  1  solver  -     main._omp_fn.0\n"
		     "299  x             work\n");
	assert_table(&narrow, cells, 8,
		     "  N  NAME    WHERE\n"
		     "  1  solver  main._omp_fn.0\n"
		     "299  x       work\n");
}
END_TEST

START_TEST(test_table_named_columns_in_their_order_and_uncut)
{
	struct style style = {.width = 5, .columns = "where,none,N"}, bare = {.columns = "name", .no_headers = 1};

	assert_table(&style, cells, 8,
		     "WHERE           NONE    N\n"
		     "main._omp_fn.0  -       1\n"
		     "work            -     299\n");
	assert_table(&bare, cells, 8, "solver\nx\n");
}
END_TEST

START_TEST(test_table_unknown_columns_are_found)
{
	static const struct table_column two[] = {{"TID", 0, 0}, {"WAITS FOR", 0, 0}};
	struct error *f = table_check_columns("threads", two, 2, "tid,waits,x");

	ck_assert_str_eq(f->message, "threads has no column 'waits'");
	ck_assert_str_eq(f->hint, "TID, WAITS_FOR");
	error_destroy(f);
	f = table_check_columns("threads", two, 2, "tid,");
	ck_assert_str_eq(f->message, "threads has no column ''");
	error_destroy(f);
	ck_assert_ptr_null(table_check_columns("threads", two, 2, "waits_for,TID,Waits-For"));
}
END_TEST

START_TEST(test_table_no_rows_no_header)
{
	struct style style = {0};

	assert_table(&style, cells, 0, "");
}
END_TEST

START_TEST(test_table_widest_column_shrinks_first_to_the_width)
{
	struct style style = {.width = 20, .utf8 = 1};

	assert_table(&style, cells, 8,
		     "  N NAME   WHERE\n"
		     "  1 solver main._om\342\200\246\n"
		     "299 x      work\n");
}
END_TEST

START_TEST(test_table_never_shrinks_below_the_minimum)
{
	struct style style = {.width = 5};

	assert_table(&style, cells, 8,
		     "  N NAME  WHERE\n"
		     "  1 sol.. main..\n"
		     "299 x     work\n");
}
END_TEST

/* Checks the cell as the only column of a table, @width wide. */
static void assert_cut(int flags, int width, const char *cell, const char *expected)
{
	const struct table_column column = {"T", flags, 1};
	struct style style = {.width = width, .utf8 = 1, .no_headers = 1};
	struct buf out = {0};
	struct table t;

	table_init(&t, &column, 1);
	table_add(&t, text_strdup(cell), COLOUR_NONE);
	table_render(&t, &style, &out);
	ck_assert_str_eq(out.data, expected);
	buf_deinit(&out);
	table_deinit(&t);
}

START_TEST(test_table_cuts_where_the_column_says)
{
	assert_cut(0, 7, "main._omp_fn.1", "main._\342\200\246\n");
	assert_cut(TABLE_CUT_LEFT, 7, "main._omp_fn.1", "\342\200\246p_fn.1\n");
	assert_cut(TABLE_CUT_MIDDLE, 7, "main._omp_fn.1", "mai\342\200\246n.1\n");
	assert_cut(TABLE_CUT_MIDDLE, 1, "main._omp_fn.1", "\342\200\246\n");
	assert_cut(TABLE_CUT_LEFT, 14, "main._omp_fn.1", "main._omp_fn.1\n");
}
END_TEST

START_TEST(test_table_colour_does_not_count_as_width)
{
	struct style style = {.colour = 1};
	struct buf out = {0};
	struct table t;

	table_init(&t, columns, 2);
	table_add(&t, text_strdup("1"), COLOUR_GREEN);
	table_add(&t, text_strdup("a"), COLOUR_NONE);
	table_render(&t, &style, &out);
	ck_assert_str_eq(out.data, "\033[1mN\033[0m  \033[1mNAME\033[0m\n\033[32m1\033[0m  a\n");
	buf_deinit(&out);
	table_deinit(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *render = tcase_create("table_render");

	tcase_add_test(render, test_table_columns_are_aligned);
	tcase_add_test(render, test_table_a_column_of_dashes_is_dropped_before_anything_is_cut);
	tcase_add_test(render, test_table_named_columns_in_their_order_and_uncut);
	tcase_add_test(render, test_table_unknown_columns_are_found);
	tcase_add_test(render, test_table_no_rows_no_header);
	tcase_add_test(render, test_table_widest_column_shrinks_first_to_the_width);
	tcase_add_test(render, test_table_never_shrinks_below_the_minimum);
	tcase_add_test(render, test_table_cuts_where_the_column_says);
	tcase_add_test(render, test_table_colour_does_not_count_as_width);
	suite_add_tcase(suite, render);
	return check_main(suite);
}
