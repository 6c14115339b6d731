/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts the locks of profile.get into lines. */
#include "top_locks.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "rpc/json_read.h"
#include "table.h"
#include "top_view.h"

static const struct table_column columns[] = {
	{"LOCK", TABLE_CUT_MIDDLE, 8},	 {"KIND", 0, 0},	   {"WAIT%", TABLE_RIGHT, 0},
	{"WAITERS", TABLE_RIGHT, 0},	 {"MOST", TABLE_RIGHT, 0}, {"WAITED FOR AT", TABLE_CUT_LEFT, 12},
	{"HELD AT", TABLE_CUT_LEFT, 12},
};

struct row {
	struct json_object *lock;
	int64_t wait_us;
};

static int is_same(struct json_object *a, struct json_object *b, const char *key)
{
	const char *x = json_read_string(json_read_member(a, key)), *y = json_read_string(json_read_member(b, key));

	return x && y && !strcmp(x, y);
}

/* Return the total wait time for @lock up to @result; 0: no waiting thread was seen by then. */
static int64_t get_wait_us(struct json_object *result, struct json_object *lock)
{
	struct json_object *locks = json_read_member(result, "locks");

	for (size_t i = 0; i < json_read_length(locks); i++) {
		struct json_object *one = json_object_array_get_idx(locks, i);

		if (is_same(one, lock, "address") && is_same(one, lock, "state"))
			return json_read_int(json_read_member(one, "wait_us"), 0);
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->wait_us < y->wait_us) - (x->wait_us > y->wait_us);
}

static size_t read_rows(const struct top_view *v, struct row **ret)
{
	struct json_object *locks = json_read_member(v->now, "locks");
	struct row *rows = text_calloc(json_read_length(locks) + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < json_read_length(locks); i++) {
		struct json_object *lock = json_object_array_get_idx(locks, i);
		int64_t us = json_read_int(json_read_member(lock, "wait_us"), 0) - get_wait_us(v->before, lock);

		if (us > 0)
			rows[n++] = (struct row){lock, us};
	}
	qsort(rows, n, sizeof(*rows), compare_rows);
	*ret = rows;
	return n;
}

/* Add the lock's variable, or its address. */
static void add_name(struct table *table, const struct top_view *v, struct json_object *lock)
{
	const char *name = json_read_string(json_read_member(lock, "name"));
	const char *address = json_read_string(json_read_member(lock, "address"));
	struct buf t = {0};

	text_add_safe(&t, name ? name : address ? address : "-", v->utf8);
	table_add(table, text_take(&t), COLOUR_NONE);
}

static void add_string(struct table *table, const struct top_view *v, struct json_object *value)
{
	const char *string = json_read_string(value);
	struct buf t = {0};

	text_add_safe(&t, string ? string : "-", v->utf8);
	table_add(table, text_take(&t), COLOUR_NONE);
}

/* Append "work a.c:12". */
static void add_place(struct buf *t, struct json_object *place, int utf8)
{
	const char *function = json_read_string(json_read_member(place, "function"));
	struct json_object *location = json_read_member(place, "location");
	const char *file = json_read_string(json_read_member(location, "file"));

	text_add_safe(t, function ? function : "?", utf8);
	if (!file)
		return;
	text_add(t, " ");
	text_add_safe(t, path_file_name(file), utf8);
	text_printf(t, ":%lld", (long long)json_read_int(json_read_member(location, "line"), 0));
}

/*
 * Add the place of the array with the largest @key. Its share follows if it does not have all, and "~" if its source
 * is not certain.
 */
static void add_top_place(struct table *table, const struct top_view *v, struct json_object *places, const char *key,
			  int64_t others_us)
{
	struct json_object *most = NULL;
	int64_t most_us = 0, all_us = others_us;
	struct buf t = {0};

	for (size_t i = 0; i < json_read_length(places); i++) {
		struct json_object *place = json_object_array_get_idx(places, i);
		int64_t us = json_read_int(json_read_member(place, key), 0);

		all_us += us;
		if (us > most_us) {
			most = place;
			most_us = us;
		}
	}
	if (!most) {
		text_add(&t, "-");
	} else {
		if (most_us < all_us)
			text_printf(&t, "%.0f%% ", 100.0 * (double)most_us / (double)all_us);
		if (json_read_member(most, "source"))
			text_add(&t, "~");
		add_place(&t, json_read_member(most, "place"), v->utf8);
	}
	table_add(table, text_take(&t), COLOUR_NONE);
}

static void add_row(struct table *table, const struct top_view *v, const struct row *r, int64_t all_us)
{
	struct json_object *mean = json_read_member(r->lock, "mean_waiters");
	struct buf share = {0}, waiters = {0}, most = {0};

	add_name(table, v, r->lock);
	add_string(table, v, json_read_member(r->lock, "state"));
	text_printf(&share, "%.1f", all_us > 0 ? 100.0 * (double)r->wait_us / (double)all_us : 0.0);
	table_add(table, text_take(&share), COLOUR_NONE);
	text_printf(&waiters, "%.1f", mean ? json_object_get_double(mean) : 0.0);
	table_add(table, text_take(&waiters), COLOUR_NONE);
	text_printf(&most, "%lld", (long long)json_read_int(json_read_member(r->lock, "max_waiters"), 0));
	table_add(table, text_take(&most), COLOUR_NONE);
	add_top_place(table, v, json_read_member(r->lock, "places"), "wait_us",
		      json_read_int(json_read_member(r->lock, "other_us"), 0));
	add_top_place(table, v, json_read_member(r->lock, "holders"), "us",
		      json_read_int(json_read_member(r->lock, "holders_other_us"), 0));
}

void top_locks_draw(const struct top_view *v, int64_t all_us, struct buf *out)
{
	const struct style style = {.utf8 = v->utf8, .width = v->width};
	struct table table;
	struct row *rows;
	size_t n = read_rows(v, &rows);

	if (v->height && n > TOP_LOCKS_MAX)
		n = TOP_LOCKS_MAX;
	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < n; i++)
		add_row(&table, v, &rows[i], all_us);
	if (n) {
		text_add(out, "\n");
		table_render(&table, &style, out);
	}
	table_deinit(&table);
	free(rows);
}
