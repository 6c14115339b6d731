/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the tables of control variables: lists, and columns side by side with a legend. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "draw.h"
#include "draw_table.h"
#include "rpc/json_read.h"
#include "table.h"

#define SETS_WIDTH	32
#define SETS_PER_TABLE	(TABLE_MAX_COLUMNS - 1)
#define DEFAULT_COLUMNS 80

static void add_heading(struct buf *out, const struct style *style, struct json_object *table)
{
	struct buf title = {0};

	text_add_safe(&title, json_read_text(table, "title"), style->utf8);
	text_add(out, "\n");
	text_add_coloured(out, style, COLOUR_BOLD, title.data ? title.data : "");
	text_add(out, "\n");
	buf_deinit(&title);
}

static const char *get_cell_text(struct json_object *row, const char *key)
{
	return json_read_text(json_read_member(json_read_member(row, "cells"), key), "text");
}

/* Append the names of variables without a value, as one paragraph. */
static void add_unavailable(struct buf *out, const struct style *style, struct json_object *rows)
{
	size_t width = style->width > 0 ? (size_t)style->width : DEFAULT_COLUMNS, column = 0;
	struct buf all = {0};

	for (size_t i = 0; i < json_read_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct buf name = {0};

		if (*get_cell_text(row, "value") && strcmp(get_cell_text(row, "value"), "-"))
			continue;
		text_add_safe(&name, get_cell_text(row, "variable"), style->utf8);
		text_add(&name, "");
		int wrap = column + text_width(name.data) + 3 > width;
		const char *lead = !column ? "unavailable: " : wrap ? ",\n  " : ", ";

		column = !column ? strlen(lead) : wrap ? 2 : column + 2;
		column += text_width(name.data);
		text_add(&all, lead);
		text_add(&all, name.data);
		buf_deinit(&name);
	}
	if (all.len) {
		text_add_coloured(out, style, COLOUR_DIM, all.data);
		text_add(out, "\n");
	}
	buf_deinit(&all);
}

/* Draw names and values. Unavailable variables come last. */
static void draw_list(struct json_object *table, const struct style *style, struct buf *out)
{
	struct json_object *rows = json_read_member(table, "rows"), *shown = json_object_new_array();

	for (size_t i = 0; i < json_read_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (*get_cell_text(row, "value") && strcmp(get_cell_text(row, "value"), "-"))
			json_object_array_add(shown, json_object_get(row));
	}
	if (json_read_length(rows))
		add_heading(out, style, table);
	draw_table(json_read_member(table, "columns"), shown, style, out);
	add_unavailable(out, style, rows);
	json_object_put(shown);
}

/* Append "  A  8 implicit tasks of main._omp_fn.0 (threads 4711-4718)" for each group of the column @key. */
static void add_legend(struct buf *out, const struct style *style, struct json_object *legend, const char *key)
{
	int is_first = 1;

	for (size_t i = 0; i < json_read_length(legend); i++) {
		struct json_object *item = json_object_array_get_idx(legend, i);
		struct buf line = {0};

		if (strcmp(json_read_text(item, "key"), key))
			continue;
		text_printf(&line, "  %-2s ", is_first ? key : "");
		draw_sets(&line, json_read_text(item, "text"), SETS_WIDTH);
		text_add_safe(out, line.data, style->utf8);
		text_add(out, "\n");
		buf_deinit(&line);
		is_first = 0;
	}
}

/* Draw the columns @first to @first + @n beside the names. */
static void draw_columns(struct json_object *table, size_t first, size_t n, const struct style *style, struct buf *out)
{
	struct json_object *columns = json_read_member(table, "columns"), *chosen = json_object_new_array();

	json_object_array_add(chosen, json_object_get(json_object_array_get_idx(columns, 0)));
	for (size_t i = first; i < first + n; i++) {
		struct json_object *column = json_object_array_get_idx(columns, i);

		add_legend(out, style, json_read_member(table, "legend"), json_read_text(column, "key"));
		json_object_array_add(chosen, json_object_get(column));
	}
	draw_table(chosen, json_read_member(table, "rows"), style, out);
	json_object_put(chosen);
}

void draw_icvs(struct json_object *tables, const struct style *style, struct buf *out)
{
	for (size_t i = 0; i < json_read_length(tables); i++) {
		struct json_object *table = json_object_array_get_idx(tables, i);
		size_t n = json_read_length(json_read_member(table, "columns"));

		if (strcmp(json_read_text(table, "kind"), "different")) {
			draw_list(table, style, out);
			continue;
		}
		add_heading(out, style, table);
		for (size_t first = 1; first < n; first += SETS_PER_TABLE) {
			if (first > 1)
				text_add(out, "\n");
			draw_columns(table, first, n - first < SETS_PER_TABLE ? n - first : SETS_PER_TABLE, style, out);
		}
	}
}
