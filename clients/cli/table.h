/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables that fit the terminal: columns as wide as needed, shortened only where allowed, in order. */
#ifndef OMPDD_CLI_TABLE_H
#define OMPDD_CLI_TABLE_H

#include <stddef.h>

#include "failure.h"
#include "text.h"

#define TABLE_MAX_COLUMNS 16

enum table_flags {
	TABLE_RIGHT = 1,       /* align right */
	TABLE_DROP_EMPTY = 2,  /* leave the column out when all its cells are empty */
	TABLE_DROP_DASHES = 4, /* leave it out when all cells are "-", but only if the terminal is too narrow */
	TABLE_CUT_LEFT = 8,    /* shortened cells keep their end; otherwise their start */
	TABLE_CUT_MIDDLE = 16, /* shortened cells keep both ends */
};

struct table_column {
	const char *title;
	int flags;
	/*
	 * 0: never shortened; otherwise it may shrink to this many columns. The widest such column shrinks first; of
	 * equal columns, the last.
	 */
	size_t min_width;
};

struct table_cell {
	char *text;
	enum colour colour;
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t n_columns;
	struct table_cell *cells; /* row by row */
	size_t n_cells, cap;
};

void table_init(struct table *t, const struct table_column *columns, size_t n_columns);
void table_deinit(struct table *t);

/* Add the next cell, left to right, top to bottom. Takes ownership of @text, which must be safe to print. */
void table_add(struct table *t, char *text, enum colour colour);

/*
 * Check that the list @names has only columns of the table of @command. The list has titles in any case, with _ or -
 * for a blank, separated by commas. Fails with ERR_USAGE and all columns as hint otherwise.
 */
struct error *table_check_columns(const char *command, const struct table_column *columns, size_t n_columns,
				  const char *names);

/*
 * Render the table below a header line, without trailing spaces; nothing if there are no rows. With style->columns,
 * render exactly the columns of that list, in its order, unshortened.
 */
void table_render(const struct table *t, const struct style *style, struct buf *out);

#endif
