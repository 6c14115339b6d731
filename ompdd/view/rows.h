/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a table. Equal rows are folded into one, with the set of their threads. */
#ifndef OMPDD_VIEW_ROWS_H
#define OMPDD_VIEW_ROWS_H

#include <stddef.h>

#include "view/number_set.h"

struct error;
struct json_object;
struct view_request;

/* A column as clients lay it out: protocol/schema/view.get.json. */
struct column {
	const char *key, *title;
	const char *align;    /* "right" or NULL */
	const char *cut;      /* where a narrow client cuts cells: "end", "start", "middle", "list"; NULL: nowhere */
	int least;	      /* to how many characters */
	const char *optional; /* "empty", "unknown": may be left out if all cells are so; NULL: never */
};

struct row {
	struct json_object *cells;
	struct number_set nums, tids;
	size_t count;
};

struct rows {
	int fold;
	struct json_object *index; /* key to number */
	struct row *rows;
	size_t n, cap;
};

void rows_init(struct rows *r, int fold);
void rows_deinit(struct rows *r);

/*
 * Add a row with @cells, an object of cells, which is taken. Rows are equal if the texts of their cells and @key are.
 * Returns the new row, or the equal one; NULL if memory is out. Valid until the next call.
 */
struct row *rows_add(struct rows *r, struct json_object *cells, const char *key);

/* Add the cell "count". */
void rows_put_count(struct row *row);

/* Return the first @max_rows rows (0: all) as JSON, after all cells are complete. */
struct json_object *rows_json(const struct rows *r, size_t max_rows);

struct json_object *rows_column_json(const struct column *c);

/*
 * Add "columns" and "rows" to @o: those that the request names, or all of @columns; and "left_out", the number of rows
 * above request->max_rows. ERR_INVALID_PARAMS: there is no
 * such column.
 */
struct error *rows_add_table(struct json_object *o, const struct view_request *request, const struct rows *r,
			     const struct column *columns, size_t n_columns);

#endif
