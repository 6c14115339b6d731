/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile as tables: the rows that have most of the time. */
#include "view/times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/phrase.h"
#include "view/rows.h"
#include "view/value.h"

#define MAX_REGIONS 40
#define MAX_LOCKS   20
#define MAX_TASKS   20
/* Most places of the waiting threads and of the holders of a lock. */
#define MAX_PLACES 3
/* At least the number of states in a profile. */
#define MAX_PARTS 64
/* The most loaded thread works that much longer than the average one: the team is uneven. */
#define UNEVEN 1.2

static const struct column region_columns[] = {
	{"region", "REGION", NULL, "middle", 12, NULL},	    {"level", "LEVEL", "right", NULL, 0, NULL},
	{"time", "TIME", "right", NULL, 0, NULL},	    {"team", "TEAM", "right", NULL, 0, NULL},
	{"imbalance", "IMBALANCE", "right", NULL, 0, NULL}, {"states", "STATES", NULL, "end", 20, NULL},
};

static const struct column lock_columns[] = {
	{"lock", "LOCK", NULL, "middle", 8, NULL},	 {"waited", "WAITED FOR", "right", NULL, 0, NULL},
	{"most", "AT MOST", NULL, NULL, 0, NULL},	 {"waiters", "WAITED FOR AT", NULL, "start", 12, NULL},
	{"holders", "HELD AT", NULL, "start", 12, NULL},
};

static const struct column task_columns[] = {
	{"task", "TASK", NULL, "middle", 12, NULL},
	{"executing", "EXECUTING", "right", NULL, 0, NULL},
	{"waiting", "WAITING", "right", NULL, 0, NULL},
	{"most", "AT MOST", NULL, NULL, 0, NULL},
};

/* A state's share of a time. */
struct part {
	struct json_object *state; /* an item of "states" */
	int64_t us;
};

static struct json_object *find_state(struct json_object *states, const char *name)
{
	for (size_t i = 0; i < json_read_length(states); i++) {
		struct json_object *state = json_object_array_get_idx(states, i);

		if (!strcmp(json_read_text(state, "name"), name))
			return state;
	}
	return NULL;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->us < y->us) - (x->us > y->us);
}

/* Read the parts of @times, the largest first. Returns their number. */
static size_t read_parts(struct json_object *states, struct json_object *times, struct part parts[MAX_PARTS],
			 int64_t *total_ret)
{
	size_t n = 0;

	*total_ret = 0;
	json_object_object_foreach(times, name, us)
	{
		struct json_object *state = find_state(states, name);

		if (!state || n == MAX_PARTS)
			continue;
		parts[n++] = (struct part){state, json_read_int(us, 0)};
		*total_ret += json_read_int(us, 0);
	}
	qsort(parts, n, sizeof(*parts), compare_parts);
	return n;
}

static struct json_object *part_json(const struct part *part)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "key", json_object_get(json_read_member(part->state, "key")));
	json_object_object_add(o, "letter", json_object_get(json_read_member(part->state, "letter")));
	json_object_object_add(o, "us", json_object_new_int64(part->us));
	return o;
}

/* Return a cell "work 80 %, barrier 20 %" with the parts to draw. */
static struct json_object *parts_cell(const struct part *parts, size_t n, int64_t total)
{
	struct json_object *array = json_object_new_array();
	struct buf text = {0};

	for (size_t i = 0; i < n; i++) {
		phrase_printf(&text, "%s%s %.0f %%", i ? ", " : "", json_read_text(parts[i].state, "text"),
			      100.0 * (double)parts[i].us / (double)total);
		json_object_array_add(array, part_json(&parts[i]));
	}
	struct json_object *cell = value_take_cell(&text, NULL);
	json_object_object_add(cell, "parts", array);
	return cell;
}

static struct json_object *duration_cell(int64_t us)
{
	struct buf text = {0};

	value_add_duration(&text, us);
	return value_take_cell(&text, NULL);
}

/* Append "solve solve.c:40". */
static void add_place(struct buf *p, struct json_object *place)
{
	const char *function = json_read_string(json_read_member(place, "function"));
	struct json_object *location = json_read_member(place, "location");

	phrase_add(p, function ? function : "not known");
	if (json_read_string(json_read_member(location, "file"))) {
		phrase_add(p, " ");
		value_add_location(p, location);
	}
}

static struct json_object *place_cell(struct json_object *place)
{
	struct buf text = {0};

	add_place(&text, place);
	return value_take_cell(&text, NULL);
}

/* Return a cell with the first places of @list, separated by semicolons. */
static struct json_object *places_cell(struct json_object *list)
{
	struct buf text = {0};

	for (size_t i = 0; i < json_read_length(list) && i < MAX_PLACES; i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		phrase_add(&text, i ? "; " : "");
		phrase_add(&text, json_read_member(item, "source") ? "about " : "");
		add_place(&text, json_read_member(item, "place"));
	}
	return value_take_cell(&text, NULL);
}

/* Return the cell of a missing value, with the message that explains it. */
static struct json_object *missing_cell(struct json_object *value)
{
	const char *message = json_read_text(value, "message");
	struct json_object *cell = value_cell(value, 0);

	if (*message)
		json_object_object_add(cell, "reason", json_object_new_string(message));
	return cell;
}

static int compare_holders(const void *a, const void *b)
{
	int64_t x = json_read_int(json_read_member(*(struct json_object *const *)a, "us"), 0);
	int64_t y = json_read_int(json_read_member(*(struct json_object *const *)b, "us"), 0);

	return (x < y) - (x > y);
}

/* Return a cell with the places of the holders, or with the reason why they are not known. */
static struct json_object *holders_cell(struct json_object *holders)
{
	if (!json_object_is_type(holders, json_type_array))
		return missing_cell(holders);
	if (!json_read_length(holders))
		return value_text_cell("not known");
	struct json_object *sorted = json_object_new_array();
	for (size_t i = 0; i < json_read_length(holders); i++)
		json_object_array_add(sorted, json_object_get(json_object_array_get_idx(holders, i)));
	json_object_array_sort(sorted, compare_holders);
	struct json_object *cell = places_cell(sorted);
	json_object_put(sorted);
	return cell;
}

static struct json_object *imbalance_cell(struct json_object *imbalance)
{
	struct buf text = {0};

	if (json_read_reason(imbalance))
		return missing_cell(imbalance);
	double value = json_object_get_double(imbalance);
	phrase_printf(&text, "%.2f%s", value, value >= UNEVEN ? " uneven" : "");
	return value_take_cell(&text, NULL);
}

static struct json_object *region_cells(struct json_object *states, struct json_object *region)
{
	struct json_object *cells = json_object_new_object();
	struct part parts[MAX_PARTS];
	int64_t total;
	size_t n = read_parts(states, json_read_member(region, "times"), parts, &total);

	json_object_object_add(cells, "region",
			       json_read_bool(json_read_member(region, "outside"))
				       ? value_text_cell("outside of all regions")
				       : place_cell(json_read_member(region, "place")));
	json_object_object_add(cells, "level", value_cell(json_read_member(region, "level"), 0));
	json_object_object_add(cells, "time", duration_cell(total));
	json_object_object_add(cells, "team", value_cell(json_read_member(region, "team_size"), 0));
	json_object_object_add(cells, "imbalance", imbalance_cell(json_read_member(region, "imbalance")));
	json_object_object_add(cells, "states", parts_cell(parts, n, total));
	return cells;
}

static struct json_object *lock_cells(struct json_object *states, struct json_object *lock)
{
	struct json_object *cells = json_object_new_object(), *name = json_read_member(lock, "name");
	struct buf text = {0}, most = {0};

	(void)states;
	phrase_printf(&text, "%s %s", json_read_text(lock, "state"), json_read_text(lock, name ? "name" : "address"));
	json_object_object_add(cells, "lock", value_take_cell(&text, NULL));
	json_object_object_add(cells, "waited", duration_cell(json_read_int(json_read_member(lock, "wait_us"), 0)));
	value_add_count(&most, (size_t)json_read_int(json_read_member(lock, "max_waiters"), 0), "thread");
	json_object_object_add(cells, "most", value_take_cell(&most, NULL));
	json_object_object_add(cells, "waiters", places_cell(json_read_member(lock, "places")));
	json_object_object_add(cells, "holders", holders_cell(json_read_member(lock, "holders")));
	return cells;
}

static struct json_object *task_cells(struct json_object *states, struct json_object *task)
{
	struct json_object *cells = json_object_new_object();
	struct buf most = {0};

	(void)states;
	json_object_object_add(cells, "task", place_cell(json_read_member(task, "place")));
	json_object_object_add(cells, "executing", duration_cell(json_read_int(json_read_member(task, "run_us"), 0)));
	json_object_object_add(cells, "waiting", duration_cell(json_read_int(json_read_member(task, "wait_us"), 0)));
	phrase_printf(&most, "%" PRId64 " started", json_read_int(json_read_member(task, "max_running"), 0));
	json_object_object_add(cells, "most", value_take_cell(&most, NULL));
	return cells;
}

/* A table, and the member of the result with its items. */
struct table {
	const char *items, *title;
	const struct column *columns;
	size_t n_columns, max_rows;
	struct json_object *(*cells)(struct json_object *states, struct json_object *item);
};

static const struct table tables[] = {
	{"regions", "Regions by time", region_columns, sizeof(region_columns) / sizeof(*region_columns), MAX_REGIONS,
	 region_cells},
	{"locks", "Locks by waiting", lock_columns, sizeof(lock_columns) / sizeof(*lock_columns), MAX_LOCKS,
	 lock_cells},
	{"tasks", "Tasks by time", task_columns, sizeof(task_columns) / sizeof(*task_columns), MAX_TASKS, task_cells},
};

static struct json_object *table_json(const struct table *t, struct json_object *result)
{
	struct json_object *o = json_object_new_object(), *columns = json_object_new_array();
	struct json_object *items = json_read_member(result, t->items), *states = json_read_member(result, "states");
	struct rows rows;

	rows_init(&rows, 0);
	for (size_t i = 0; i < json_read_length(items) && i < t->max_rows; i++)
		rows_add(&rows, t->cells(states, json_object_array_get_idx(items, i)), "");
	for (size_t i = 0; i < t->n_columns; i++)
		json_object_array_add(columns, rows_column_json(&t->columns[i]));
	json_object_object_add(o, "kind", json_object_new_string(t->items));
	json_object_object_add(o, "title", json_object_new_string(t->title));
	json_object_object_add(o, "columns", columns);
	json_object_object_add(o, "rows", rows_json(&rows, 0));
	rows_deinit(&rows);
	return o;
}

static int64_t status_int(struct json_object *status, const char *key)
{
	return json_read_int(json_read_member(status, key), 0);
}

/* Return "Recorded 2.0 s: 200 samples, 100 a second, of 4 threads." and what limits the samples. */
static struct json_object *text_json(struct json_object *result)
{
	struct json_object *status = json_read_member(result, "profile"), *total = json_read_member(result, "total");
	int64_t torn = status_int(status, "torn"), missed = status_int(status, "missed");
	int64_t no_stack = status_int(status, "no_stack");
	struct buf p = {0};

	phrase_add(&p, json_read_bool(json_read_member(status, "recording")) ? "Recording for " : "Recorded ");
	value_add_duration(&p, status_int(status, "elapsed_us"));
	phrase_printf(&p, ": %" PRId64 " samples, %.0f a second, of ", status_int(status, "samplings"),
		      json_object_get_double(json_read_member(status, "reached_hz")));
	value_add_count(&p, (size_t)status_int(total, "threads"), "thread");
	phrase_add(&p, ".");
	if (*json_read_text(status, "ended"))
		phrase_printf(&p, " It has ended: %s.", json_read_text(status, "ended"));
	if (torn)
		phrase_printf(&p, " %" PRId64 " sample%s of threads were inconsistent and do not count.", torn,
			      torn == 1 ? "" : "s");
	if (missed)
		phrase_printf(&p, " %" PRId64 " were too late.", missed);
	if (no_stack)
		phrase_printf(&p, " %" PRId64 " have no stack.", no_stack);
	return phrase_take_json(&p);
}

void times_add(struct json_object *result)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (json_read_length(json_read_member(result, tables[i].items)))
			json_object_array_add(array, table_json(&tables[i], result));
	}
	json_object_object_add(result, "text", text_json(result));
	json_object_object_add(result, "tables", array);
}
