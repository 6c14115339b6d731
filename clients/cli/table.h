/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables that fit the terminal: columns as wide as needed, shortened only where told, in order. */
#ifndef OMPDD_CLI_TABLE_H
#define OMPDD_CLI_TABLE_H

#include <stddef.h>

#include "failure.h"
#include "text.h"

#define TABLE_MAX_COLUMNS 16

enum table_flags {
	TABLE_RIGHT = 1,       /* align to the right */
	TABLE_DROP_EMPTY = 2,  /* leave the column out when all its cells are empty */
	TABLE_DROP_DASHES = 4, /* the same when all are "-", but only where the terminal is too narrow for all */
	TABLE_CUT_LEFT = 8,    /* shortened cells keep their end; else their beginning */
	TABLE_CUT_MIDDLE = 16, /* or both */
};

struct table_column {
	const char *title;
	int flags;
	/*
	 * 0: never shortened; else it may shrink to this many columns. The widest such column shrinks first, of equal
	 * ones the last.
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

/* Add the next cell, left to right, top to bottom. Takes ownership of @text, which must be safe to
 * show. */
void table_add(struct table *t, char *text, enum colour colour);

/*
 * Whether the list @names (titles in any case, _ or - for a blank, divided by commas) has only columns of the table of
 * @command; EXIT_USAGE, with all of them as hint, where it does not.
 */
struct failure *table_check_columns(const char *command, const struct table_column *columns, size_t n_columns,
				    const char *names);

/*
 * Render below a header line; nothing when there are no rows. No trailing spaces. With style->columns the columns of
 * that list in its order, none left out and none shortened.
 */
void table_render(const struct table *t, const struct style *style, struct text *out);

#endif
