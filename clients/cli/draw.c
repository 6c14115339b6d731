/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws views of the service: head, tables and notes. Trees are in draw_tree.c. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "table.h"

/* Width of sets of numbers on a wide terminal. */
#define WIDE_SETS     24
#define WIDE_TERMINAL 110

#define DOTS ",.."

static char *create_safe_text(const char *s, const struct style *style)
{
	struct buf t = {0};

	text_add_safe(&t, s, style->utf8);
	return text_take(&t);
}

enum colour draw_colour(struct json_object *state)
{
	static const struct {
		const char *key;
		enum colour colour;
	} colours[] = {
		{"work", COLOUR_GREEN}, {"wait", COLOUR_YELLOW},      {"mutex", COLOUR_RED},
		{"idle", COLOUR_DIM},	{"overhead", COLOUR_MAGENTA}, {"outside", COLOUR_DIM},
	};
	const char *key = json_read_text(state, "key");

	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++) {
		if (!strcmp(colours[i].key, key))
			return colours[i].colour;
	}
	return COLOUR_NONE;
}

/* Append a set of numbers of @len bytes, cut behind the last number that leaves room for the dots. */
static void add_set(struct buf *out, const char *s, size_t len, size_t max_width)
{
	size_t fits = 0;

	for (size_t i = 0; i < len && max_width && len > max_width; i++) {
		if (s[i] == ',' && (!fits || i + strlen(DOTS) <= max_width))
			fits = i;
	}
	text_add_bytes(out, s, fits ? fits : len);
	if (fits)
		text_add(out, DOTS);
}

void draw_sets(struct buf *out, const char *s, size_t max_width)
{
	while (*s) {
		size_t len = strcspn(s, " "), blanks = strspn(s + len, " ");

		add_set(out, s, len, max_width);
		text_add_bytes(out, s + len, blanks);
		s += len + blanks;
	}
	text_add(out, "");
}

void draw_head(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *lines = json_read_member(view, "lines");
	char *program = create_safe_text(json_read_text(view, "program"), style);

	text_add_coloured(out, style, COLOUR_BOLD, program);
	text_add(out, " ");
	text_add_safe(out, json_read_text(view, "heading"), style->utf8);
	text_add(out, "\n");
	free(program);
	for (size_t i = 0; i < json_read_length(lines); i++) {
		const char *line = json_read_string(json_object_array_get_idx(lines, i));
		const char *dots = style->utf8 ? "\342\200\246" : "..";
		struct buf t = {0};

		text_add_safe(&t, line ? line : "", style->utf8);
		if (style->width > 2 && text_width(t.data) > (size_t)style->width) {
			t.len = text_fit(t.data, (size_t)style->width - text_width(dots));
			text_add(&t, dots);
		}
		text_add_coloured(out, style, COLOUR_DIM, t.data);
		text_add(out, "\n");
		buf_deinit(&t);
	}
}

void draw_warnings(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *warnings = json_read_member(view, "warnings");

	for (size_t i = 0; i < json_read_length(warnings); i++) {
		struct json_object *warning = json_object_array_get_idx(warnings, i);

		text_add_coloured(out, style, COLOUR_YELLOW, "warning:");
		text_add(out, " ");
		text_add_safe(out, json_read_text(warning, "message"), style->utf8);
		text_add(out, " [");
		text_add_safe(out, json_read_text(warning, "name"), style->utf8);
		text_add(out, "]\n");
	}
}

static void draw_notes(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *notes = json_read_member(view, "notes");

	for (size_t i = 0; i < json_read_length(notes); i++) {
		const char *note = json_read_string(json_object_array_get_idx(notes, i));

		text_add_safe(out, note ? note : "", style->utf8);
		text_add(out, "\n");
	}
}

/* Return how a table lays out the column. Its title, which the caller frees, is the caller's. */
static struct table_column create_column(struct json_object *column, const struct style *style)
{
	const char *cut = json_read_text(column, "cut"), *optional = json_read_text(column, "optional");
	int64_t least = json_read_int(json_read_member(column, "least"), 1);
	struct table_column ret = {.title = create_safe_text(json_read_text(column, "title"), style)};

	ret.flags |= strcmp(json_read_text(column, "align"), "right") ? 0 : TABLE_RIGHT;
	ret.flags |= strcmp(optional, "empty") ? 0 : TABLE_DROP_EMPTY;
	ret.flags |= strcmp(optional, "unknown") ? 0 : TABLE_DROP_DASHES;
	ret.flags |= strcmp(cut, "start") ? 0 : TABLE_CUT_LEFT;
	ret.flags |= strcmp(cut, "middle") ? 0 : TABLE_CUT_MIDDLE;
	if (*cut && strcmp(cut, "list"))
		ret.min_width = least > 0 ? (size_t)least : 1;
	return ret;
}

/* Return the width of sets in a column; 0: no limit, or the column has no sets. */
static size_t find_set_width(struct json_object *column, const struct style *style)
{
	int64_t least = json_read_int(json_read_member(column, "least"), 1);

	if (style->width <= 0 || strcmp(json_read_text(column, "cut"), "list"))
		return 0;
	return style->width < WIDE_TERMINAL && least > 0 && least < WIDE_SETS ? (size_t)least : WIDE_SETS;
}

static void add_cell(struct table *table, struct json_object *column, struct json_object *cells,
		     const struct style *style)
{
	struct json_object *cell = json_read_member(cells, json_read_text(column, "key"));
	char *safe = create_safe_text(json_read_text(cell, "text"), style);
	struct buf t = {0};

	draw_sets(&t, safe, find_set_width(column, style));
	free(safe);
	table_add(table, text_take(&t),
		  json_read_member(cell, "reason") ? COLOUR_DIM : draw_colour(json_read_member(cell, "state")));
}

void draw_table(struct json_object *columns, struct json_object *rows, const struct style *style, struct buf *out)
{
	struct table_column layout[TABLE_MAX_COLUMNS];
	size_t n = json_read_length(columns);
	struct table table;

	if (n > TABLE_MAX_COLUMNS)
		n = TABLE_MAX_COLUMNS;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		layout[i] = create_column(json_object_array_get_idx(columns, i), style);
	table_init(&table, layout, n);
	for (size_t row = 0; row < json_read_length(rows); row++) {
		struct json_object *cells = json_read_member(json_object_array_get_idx(rows, row), "cells");

		for (size_t i = 0; i < n; i++)
			add_cell(&table, json_object_array_get_idx(columns, i), cells, style);
	}
	table_render(&table, style, out);
	table_deinit(&table);
	for (size_t i = 0; i < n; i++)
		free((char *)layout[i].title);
}

void draw_view(struct json_object *view, const struct style *style, struct buf *out)
{
	/* Scripts get the rows only. */
	int is_bare = style->no_headers;
	struct json_object *nodes = json_read_member(view, "nodes");
	const char *name = json_read_text(view, "view");

	if (!is_bare)
		draw_head(view, style, out);
	if (!strcmp(name, "why") || !strcmp(name, "slow"))
		draw_why(nodes, style, out);
	else if (!strcmp(name, "stacks"))
		draw_stacks(nodes, style, 1, out);
	else
		draw_tree(nodes, style, out);
	draw_icvs(json_read_member(view, "tables"), style, out);
	draw_table(json_read_member(view, "columns"), json_read_member(view, "rows"), style, out);
	if (!is_bare && !style->columns)
		draw_notes(view, style, out);
	if (!is_bare)
		draw_warnings(view, style, out);
}
