/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layout and drawing of tables. */
#include "table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Columns between two columns: normally, and when the table would otherwise be too wide. */
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
	TEXT_GROW(t->cells, t->n_cells, t->cap);
	t->cells[t->n_cells++] = (struct table_cell){.text = text, .colour = colour};
}

/* Return the natural width of a column, or 0 when it is dropped: when it is empty, with @dashes also when it has
 * only "-". */
static size_t find_natural_width(const struct table *t, size_t column, int dashes)
{
	size_t width = text_width(t->columns[column].title);
	int flags = t->columns[column].flags, empty = 1, only_dashes = 1;

	for (size_t i = column; i < t->n_cells; i += t->n_columns) {
		const char *text = t->cells[i].text;
		size_t w = text_width(text);

		if (w > width)
			width = w;
		empty &= !*text;
		only_dashes &= !*text || !strcmp(text, "-");
	}
	if (empty && (flags & TABLE_DROP_EMPTY))
		return 0;
	return dashes && only_dashes && (flags & TABLE_DROP_DASHES) ? 0 : width;
}

/* Return whether the first @len bytes of @name match the column @title. */
static int is_title(const char *name, size_t len, const char *title)
{
	if (strlen(title) != len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		int c = name[i] == '_' || name[i] == '-' ? ' ' : toupper((unsigned char)name[i]);

		if (c != title[i])
			return 0;
	}
	return 1;
}

static size_t find_column(const struct table_column *columns, size_t n_columns, const char *name, size_t len)
{
	size_t i = 0;

	while (i < n_columns && !is_title(name, len, columns[i].title))
		i++;
	return i;
}

/* Return the first name of the list that is not a column, or NULL. The name is *@len_ret bytes long. */
static const char *find_unknown_name(const struct table_column *columns, size_t n_columns, const char *names,
				     size_t *len_ret)
{
	for (const char *name = names;; name += *len_ret + 1) {
		*len_ret = strcspn(name, ",");
		if (find_column(columns, n_columns, name, *len_ret) == n_columns)
			return name;
		if (!name[*len_ret])
			return NULL;
	}
}

struct error *table_check_columns(const char *command, const struct table_column *columns, size_t n_columns,
				  const char *names)
{
	struct buf all = {0};
	size_t len;
	const char *unknown = find_unknown_name(columns, n_columns, names, &len);

	if (!unknown)
		return NULL;
	for (size_t i = 0; i < n_columns; i++) {
		text_printf(&all, "%s%s", i ? ", " : "", columns[i].title);
		for (char *c = all.data; *c; c++)
			*c = *c == ' ' && c > all.data && c[-1] != ',' ? '_' : *c;
	}
	struct error *f = failure_usage(all.data, "%s has no column '%.*s'", command, (int)len, unknown);
	buf_deinit(&all);
	return f;
}

/* Choose the columns to show, in order. Returns their number. */
static size_t choose_columns(const struct table *t, const struct style *style, size_t *chosen)
{
	size_t n = 0;

	for (size_t i = 0; !style->columns && i < t->n_columns; i++)
		chosen[n++] = i;
	for (const char *name = style->columns; name && n < TABLE_MAX_COLUMNS;) {
		size_t len = strcspn(name, ","), i = find_column(t->columns, t->n_columns, name, len);

		/* Leave out a column that this table does not have: an empty one would shift the others. */
		if (i < t->n_columns)
			chosen[n++] = i;
		name = name[len] ? name + len + 1 : NULL;
	}
	return n;
}

static size_t sum_widths(const struct table *t, const size_t *widths, size_t gap)
{
	size_t total = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		total += widths[i] ? widths[i] + gap : 0;
	return total ? total - gap : 0;
}

/* Return the width to which column @i may shrink; 0: it may not shrink. */
static size_t find_least_width(const struct table *t, size_t i)
{
	size_t min = t->columns[i].min_width, title = text_width(t->columns[i].title);

	return min && min < title ? title : min;
}

static void shrink_columns(const struct table *t, size_t available, size_t *widths, size_t gap)
{
	for (size_t total = sum_widths(t, widths, gap); total > available; total--) {
		size_t widest = t->n_columns;

		for (size_t i = 0; i < t->n_columns; i++) {
			size_t least = find_least_width(t, i);

			if (least && widths[i] > least && (widest == t->n_columns || widths[i] >= widths[widest]))
				widest = i;
		}
		if (widest == t->n_columns)
			return;
		widths[widest]--;
	}
}

/* Append the first @head and the last @tail columns of @s with @dots between them. */
static void cut_text(struct buf *out, const char *s, size_t head, size_t tail, const char *dots)
{
	const char *end = s + text_fit(s, text_width(s) - tail);

	text_add_bytes(out, s, text_fit(s, head));
	text_add(out, dots);
	/* A wide character at the cut would be one column too many. */
	while (text_width(end) > tail)
		end += text_fit(end, 2);
	text_add(out, end);
}

static void add_cell(struct buf *out, const struct style *style, const char *text, enum colour colour, size_t width,
		     int flags, int last)
{
	const char *ellipsis = style->utf8 ? "\342\200\246" : "..";
	size_t w = text_width(text);
	struct buf cut = {0};

	if (w > width) {
		size_t dots = text_width(ellipsis), kept = width > dots ? width - dots : 0;
		size_t tail = flags & TABLE_CUT_LEFT ? kept : flags & TABLE_CUT_MIDDLE ? kept / 2 : 0;

		cut_text(&cut, text, kept - tail, tail, ellipsis);
		text = cut.data;
		w = text_width(text);
	}
	size_t pad = width > w ? width - w : 0;
	if (flags & TABLE_RIGHT)
		text_add_repeated(out, " ", pad);
	text_add_coloured(out, style, colour, text);
	if (!(flags & TABLE_RIGHT) && !last)
		text_add_repeated(out, " ", pad);
	buf_deinit(&cut);
}

static void find_widths(const struct table *t, const struct style *style, size_t *widths, size_t *gap_ret)
{
	size_t available = (size_t)style->width;

	*gap_ret = GAP;
	for (size_t i = 0; i < t->n_columns; i++)
		widths[i] = find_natural_width(t, i, 0);
	if (style->columns || style->width <= 0 || sum_widths(t, widths, GAP) <= available)
		return;
	for (size_t i = 0; i < t->n_columns; i++)
		widths[i] = find_natural_width(t, i, 1);
	if (sum_widths(t, widths, GAP) <= available)
		return;
	*gap_ret = NARROW_GAP;
	shrink_columns(t, available, widths, NARROW_GAP);
}

void table_render(const struct table *t, const struct style *style, struct buf *out)
{
	size_t widths[TABLE_MAX_COLUMNS] = {0}, chosen[TABLE_MAX_COLUMNS];
	size_t rows = t->n_cells / t->n_columns, last = 0, gap, n = choose_columns(t, style, chosen);

	if (!rows)
		return;
	find_widths(t, style, widths, &gap);
	for (size_t i = 0; i < n; i++) {
		/* Show a column that -o names even if it is empty. */
		if (style->columns && !widths[chosen[i]])
			widths[chosen[i]] = text_width(t->columns[chosen[i]].title);
		if (widths[chosen[i]])
			last = i;
	}
	for (size_t row = style->no_headers ? 1 : 0; row <= rows; row++) {
		int first = 1;

		for (size_t i = 0; i < n; i++) {
			size_t column = chosen[i];
			const struct table_column *def = &t->columns[column];
			const struct table_cell *cell = row ? &t->cells[(row - 1) * t->n_columns + column] : NULL;
			const char *text = cell ? cell->text : def->title;

			if (!widths[column])
				continue;
			if (!first)
				text_add_repeated(out, " ", gap);
			first = 0;
			if (style->columns && !*text)
				text = "-";
			add_cell(out, style, text, cell ? cell->colour : COLOUR_BOLD, widths[column], def->flags,
				 i == last);
		}
		/* The last cells of a row may be empty. */
		while (out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = 0;
		text_add(out, "\n");
	}
}
