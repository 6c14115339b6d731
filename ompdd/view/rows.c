/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folding of rows, and the choice of columns. */
#include "view/rows.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/error.h"
#include "rpc/json_read.h"
#include "view/phrase.h"
#include "view/value.h"
#include "view/view.h"

void rows_init(struct rows *r, int fold)
{
	*r = (struct rows){.fold = fold, .index = json_object_new_object()};
}

void rows_deinit(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		json_object_put(r->rows[i].cells);
		number_set_deinit(&r->rows[i].nums);
		number_set_deinit(&r->rows[i].tids);
	}
	free(r->rows);
	json_object_put(r->index);
	*r = (struct rows){0};
}

/* Return the index of the row with the same texts; otherwise the next index. */
static size_t find_row(struct rows *r, struct json_object *cells, const char *key)
{
	struct buf full = {0};

	phrase_add(&full, key);
	json_object_object_foreach(cells, name, cell)
	{
		(void)name;
		phrase_printf(&full, "\x1f%s", json_read_text(cell, "text"));
	}
	int64_t found = json_read_int(json_read_member(r->index, phrase_text(&full)), -1);
	if (found < 0)
		json_object_object_add(r->index, phrase_text(&full), json_object_new_int64((int64_t)r->n));
	buf_deinit(&full);
	return found < 0 ? r->n : (size_t)found;
}

/* States of the same short name may have different OMPD names: then the row has none. */
static void merge_states(struct json_object *cells, struct json_object *others)
{
	struct json_object *state = json_read_member(json_read_member(cells, "state"), "state");
	struct json_object *other = json_read_member(json_read_member(others, "state"), "state");

	if (strcmp(json_read_text(state, "name"), json_read_text(other, "name")))
		json_object_object_del(state, "name");
}

struct row *rows_add(struct rows *r, struct json_object *cells, const char *key)
{
	size_t i = r->fold ? find_row(r, cells, key) : r->n;

	if (i < r->n) {
		merge_states(r->rows[i].cells, cells);
		json_object_put(cells);
		r->rows[i].count++;
		return &r->rows[i];
	}
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct row *rows = reallocarray(r->rows, cap, sizeof(*rows));

		if (!rows) {
			json_object_put(cells);
			return NULL;
		}
		r->rows = rows;
		r->cap = cap;
	}
	r->rows[r->n] = (struct row){.cells = cells, .count = 1};
	return &r->rows[r->n++];
}

void rows_put_count(struct row *row)
{
	struct buf count = {0};

	phrase_printf(&count, "%zu", row->count);
	json_object_object_add(row->cells, "count", value_take_cell(&count, NULL));
}

struct json_object *rows_json(const struct rows *r, size_t max_rows)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < r->n && (!max_rows || i < max_rows); i++) {
		struct json_object *row = json_object_new_object();

		json_object_object_add(row, "count", json_object_new_int64((int64_t)r->rows[i].count));
		json_object_object_add(row, "threads", number_set_array_json(&r->rows[i].tids));
		json_object_object_add(row, "cells", json_object_get(r->rows[i].cells));
		json_object_array_add(array, row);
	}
	return array;
}

struct json_object *rows_column_json(const struct column *c)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "key", json_object_new_string(c->key));
	json_object_object_add(o, "title", json_object_new_string(c->title));
	if (c->align)
		json_object_object_add(o, "align", json_object_new_string(c->align));
	if (c->cut) {
		json_object_object_add(o, "cut", json_object_new_string(c->cut));
		json_object_object_add(o, "least", json_object_new_int(c->least));
	}
	if (c->optional)
		json_object_object_add(o, "optional", json_object_new_string(c->optional));
	return o;
}

static const struct column *find_column(const struct column *columns, size_t n_columns, const char *key)
{
	for (size_t i = 0; i < n_columns; i++) {
		if (!strcmp(columns[i].key, key))
			return &columns[i];
	}
	return NULL;
}

static struct error *create_column_error(const char *view, const struct column *columns, size_t n_columns,
					 const char *key)
{
	struct buf all = {0};

	for (size_t i = 0; i < n_columns; i++)
		phrase_printf(&all, "%s%s", i ? ", " : "", columns[i].key);
	struct error *err = error_hint(error_create(ERR_INVALID_PARAMS, "%s has no column '%.64s'", view, key),
				       "its columns: %s", phrase_text(&all));
	buf_deinit(&all);
	return err;
}

/* Leave only the requested cells. */
static void select_cells(const struct view_request *request, struct json_object *cells)
{
	json_object_object_foreach(cells, key, cell)
	{
		size_t i = 0;

		(void)cell;
		while (i < request->n_columns && strcmp(request->columns[i], key))
			i++;
		if (i == request->n_columns)
			json_object_object_del(cells, key);
	}
}

struct error *rows_add_table(struct json_object *o, const struct view_request *request, const struct rows *r,
			     const struct column *columns, size_t n_columns)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < n_columns && !request->columns; i++)
		json_object_array_add(array, rows_column_json(&columns[i]));
	for (size_t i = 0; request->columns && i < request->n_columns; i++) {
		const struct column *column = find_column(columns, n_columns, request->columns[i]);

		if (!column) {
			json_object_put(array);
			return create_column_error(view_name(request->kind), columns, n_columns, request->columns[i]);
		}
		json_object_array_add(array, rows_column_json(column));
	}
	for (size_t i = 0; i < r->n && request->columns; i++)
		select_cells(request, r->rows[i].cells);
	json_object_object_add(o, "columns", array);
	json_object_object_add(o, "rows", rows_json(r, request->max_rows));
	if (request->max_rows && r->n > request->max_rows)
		json_object_object_add(o, "left_out", json_object_new_int64((int64_t)(r->n - request->max_rows)));
	return NULL;
}
