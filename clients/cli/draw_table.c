/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the rows of a view as a table, and the parts of its cells that trees have, too: sets and colours. */
#include "draw_table.h"

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
