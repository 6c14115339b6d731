/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layout and drawing of tables. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* Between columns, and when the table would else be too wide. */
#define GAP	   2
#define NARROW_GAP 1

void table_init(struct table *t, const struct table_column *columns, size_t n_columns)
{
	*t = (struct table){.columns = columns, .n_columns = n_columns};
}

void table_deinit(struct table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i].text);
	free(t->cells);
	*t = (struct table){0};
}

void table_add(struct table *t, char *text, enum colour colour)
{
	if (t->n_cells == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->cells = text_realloc(t->cells, t->cap, sizeof(*t->cells));
	}
	t->cells[t->n_cells++] = (struct table_cell){.text = text, .colour = colour};
}

/* The natural width of a column, or 0 when it is dropped. */
static size_t natural_width(const struct table *t, size_t column)
{
	size_t width = text_width(t->columns[column].title);
	int empty = 1;

	for (size_t i = column; i < t->n_cells; i += t->n_columns) {
		const char *text = t->cells[i].text;
		size_t w = text_width(text);

		if (w > width)
			width = w;
		if (*text && strcmp(text, "-"))
			empty = 0;
	}
	return empty && (t->columns[column].flags & TABLE_DROP_EMPTY) ? 0 : width;
}

static size_t total_width(const struct table *t, const size_t *widths, size_t gap)
{
	size_t total = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		total += widths[i] ? widths[i] + gap : 0;
	return total ? total - gap : 0;
}

static void shrink(const struct table *t, size_t available, size_t *widths, size_t gap)
{
	size_t total = total_width(t, widths, gap);

	for (size_t i = t->n_columns; i-- && total > available;) {
		size_t min = t->columns[i].min_width;
		size_t title = text_width(t->columns[i].title);

		if (!min)
			continue;
		if (min < title)
			min = title;
		if (widths[i] <= min)
			continue;
		size_t less = widths[i] - min;
		if (less > total - available)
			less = total - available;
		widths[i] -= less;
		total -= less;
	}
}

static void add_cell(struct text *out, const struct style *style, const char *text,
		     enum colour colour, size_t width, int right, int last)
{
	const char *ellipsis = style->utf8 ? "\342\200\246" : "..";
	size_t w = text_width(text);
	struct text cut = {0};

	if (w > width) {
		size_t dots = text_width(ellipsis);

		text_add_bytes(&cut, text, text_fit(text, width > dots ? width - dots : 0));
		text_add(&cut, ellipsis);
		text = cut.data;
		w = text_width(text);
	}
	size_t pad = width > w ? width - w : 0;
	if (right)
		text_add_repeated(out, " ", pad);
	text_add_coloured(out, style, colour, text);
	if (!right && !last)
		text_add_repeated(out, " ", pad);
	text_deinit(&cut);
}

void table_render(const struct table *t, const struct style *style, struct text *out)
{
	size_t widths[TABLE_MAX_COLUMNS] = {0};
	size_t rows = t->n_cells / t->n_columns, last = 0, gap = GAP;

	if (!rows)
		return;
	for (size_t i = 0; i < t->n_columns; i++) {
		widths[i] = natural_width(t, i);
		if (widths[i])
			last = i;
	}
	if (style->width > 0 && total_width(t, widths, gap) > (size_t)style->width) {
		gap = NARROW_GAP;
		shrink(t, (size_t)style->width, widths, gap);
	}
	for (size_t row = 0; row <= rows; row++) {
		int first = 1;

		for (size_t i = 0; i < t->n_columns; i++) {
			const struct table_column *column = &t->columns[i];
			const struct table_cell *cell =
				row ? &t->cells[(row - 1) * t->n_columns + i] : NULL;

			if (!widths[i])
				continue;
			if (!first)
				text_add_repeated(out, " ", gap);
			first = 0;
			add_cell(out, style, cell ? cell->text : column->title,
				 cell ? cell->colour : COLOUR_BOLD, widths[i],
				 column->flags & TABLE_RIGHT, i == last);
		}
		text_add(out, "\n");
	}
}
