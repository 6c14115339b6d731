/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl threads`: one line for all threads that are in the same place. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "foot.h"
#include "format.h"
#include "names.h"
#include "overview.h"
#include "table.h"

/* Width of the numbers and of the thread ids, on a narrow and on a wide terminal. */
#define NARROW_RANGES 11
#define WIDE_RANGES   24
#define WIDE_TERMINAL 110

enum { COUNT, NUM, TID, RUNTIME, NAME, STATE, LEVEL, TEAM, FUNCTION, TASK, WAIT, AT, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
	[COUNT] = {"COUNT", TABLE_RIGHT, 0},
	[NUM] = {"NUM", 0, 0},
	[TID] = {"TID", 0, 0},
	[RUNTIME] = {"RT", TABLE_RIGHT | TABLE_DROP_EMPTY, 0},
	[NAME] = {"NAME", TABLE_DROP_EMPTY, 6},
	[STATE] = {"STATE", 0, 0},
	[LEVEL] = {"LEVEL", TABLE_RIGHT, 0},
	[TEAM] = {"TEAM", TABLE_RIGHT, 0},
	[FUNCTION] = {"REGION", TABLE_DROP_DASHES | TABLE_CUT_MIDDLE, 8},
	[TASK] = {"TASK", TABLE_DROP_DASHES | TABLE_CUT_MIDDLE, 8},
	/* Readers compare the values of this column. An address of 14 characters is never cut; a name keeps its end,
	 * which differs most. */
	[WAIT] = {"WAITS FOR", TABLE_DROP_DASHES | TABLE_CUT_LEFT, 15},
	[AT] = {"AT", TABLE_DROP_EMPTY | TABLE_CUT_MIDDLE, 8},
};

struct row {
	char *cells[N_COLUMNS]; /* cells that must be equal to fold; the others NULL */
	char *wait;		/* the wait id, which must be equal, too; NULL: not an OpenMP thread */
	enum colour state_colour;
	/* Thread 0 encountered the region and continues after it: never part of "threads 1-299". */
	int primary;
	struct ranges nums, tids;
	size_t count;
};

static char *format_member_string(const struct style *style, struct json_object *json, const char *key)
{
	return format_value_string(style, format_member(json, key));
}

static char *create_safe_text(const struct style *style, const char *s)
{
	struct text t = {0};

	text_add_safe(&t, s, style->utf8);
	return text_take(&t);
}

static char *format_count(size_t n)
{
	struct text t = {0};

	text_printf(&t, "%zu", n);
	return text_take(&t);
}

/* Return "solve solve.c:40"; "-": not known; "": not requested. */
static char *format_place(const struct style *style, const struct overview_thread *thread)
{
	struct json_object *place = format_member(thread->json, "place"),
			   *wait = format_member(thread->json, "location");
	struct json_object *location = format_member(place, "location");
	const char *function = format_string(format_member(place, "function"));
	struct text t = {0};

	/* Without debug information, the runtime may know where the thread waits. */
	if (!format_string(format_member(location, "file")) && wait) {
		location = wait;
		function = function ? function : format_string(format_member(wait, "function"));
	}
	text_add_safe(&t, function ? function : "", style->utf8);
	text_add(&t, function && format_string(format_member(location, "file")) ? " " : "");
	if (overview_add_location(&t, style, location) || function)
		return text_take(&t);
	text_deinit(&t);
	return text_strdup(place ? "-" : "");
}

static void fill_openmp_row(struct row *row, const struct overview *s, const struct style *style,
			    const struct overview_thread *thread)
{
	struct json_object *parallel = thread->parallel == OVERVIEW_NONE ? NULL : s->parallels[thread->parallel].json;
	const struct overview_task *task = thread->task == OVERVIEW_NONE ? NULL : &s->tasks[thread->task];
	struct state_name state = names_state(style, format_member(thread->json, "state"));
	int64_t num = format_int(format_member(thread->json, "thread_num"), -1);

	row->cells[STATE] = state.text;
	row->state_colour = state.colour;
	row->cells[LEVEL] = format_member_string(style, parallel, "level");
	row->cells[TEAM] = format_member_string(style, parallel, "team_size");
	row->cells[FUNCTION] = overview_function(style, parallel);
	row->cells[TASK] = task && task->kind && !strcmp(task->kind, "explicit") ? overview_function(style, task->json)
										 : text_strdup("-");
	/* Threads of different teams wait for different objects, even under the same name. */
	row->wait = format_value_string(style, format_member(format_member(thread->json, "wait_id"), "value"));
	row->cells[WAIT] = overview_wait(s, style, thread, 1);
	row->cells[AT] = format_place(style, thread);
	row->primary = num == 0;
	if (num >= 0)
		ranges_add(&row->nums, num);
}

static void fill_other_row(struct row *row, const struct style *style, const struct overview_thread *thread)
{
	struct json_object *openmp = format_member(thread->json, "openmp");

	for (size_t i = STATE; i < N_COLUMNS; i++)
		row->cells[i] = text_strdup(i == AT ? "" : "-");
	free(row->cells[STATE]);
	/* false: not an OpenMP thread; an object: the reason why the state is not known. */
	row->cells[STATE] = format_reason(openmp) ? format_value_string(style, openmp) : text_strdup("no OpenMP");
	row->state_colour = COLOUR_DIM;
}

static void init_row(struct row *row, const struct overview *s, const struct style *style,
		     const struct overview_thread *thread)
{
	*row = (struct row){.count = 1};
	row->cells[RUNTIME] = s->n_runtimes > 1 && thread->openmp ? format_count(thread->runtime) : text_strdup("");
	row->cells[NAME] = create_safe_text(style, thread->comm);
	ranges_add(&row->tids, thread->tid);
	if (thread->openmp)
		fill_openmp_row(row, s, style, thread);
	else
		fill_other_row(row, style, thread);
}

static void deinit_row(struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		free(row->cells[i]);
	free(row->wait);
	ranges_deinit(&row->nums);
	ranges_deinit(&row->tids);
}

/* Return the key under which equal rows are folded. 0x1f cannot be in a cell, because cells are sanitised. */
static char *create_row_key(const struct row *row)
{
	struct text t = {0};

	text_printf(&t, "%d\x1f%s\x1f", row->primary, row->wait ? row->wait : "");
	for (size_t i = RUNTIME; i < N_COLUMNS; i++)
		text_printf(&t, "%s\x1f", row->cells[i]);
	return text_take(&t);
}

static size_t find_equal_row(struct json_object *map, const struct row *row, size_t n)
{
	char *key = create_row_key(row);
	int64_t found = format_int(format_member(map, key), -1);

	if (found < 0)
		json_object_object_add(map, key, json_object_new_int64((int64_t)n));
	free(key);
	return found >= 0 ? (size_t)found : OVERVIEW_NONE;
}

static size_t fold_threads(const struct overview *s, const struct style *style, struct row *rows)
{
	struct json_object *map = json_object_new_object();
	size_t n = 0;

	for (size_t i = 0; i < s->n_threads; i++) {
		struct row row;
		size_t equal;

		init_row(&row, s, style, &s->threads[i]);
		equal = style->all ? OVERVIEW_NONE : find_equal_row(map, &row, n);
		if (equal == OVERVIEW_NONE) {
			rows[n++] = row;
			continue;
		}
		ranges_add_all(&rows[equal].nums, &row.nums);
		ranges_add_all(&rows[equal].tids, &row.tids);
		rows[equal].count++;
		deinit_row(&row);
	}
	json_object_put(map);
	return n;
}

static char *format_ranges(struct ranges *r, size_t max_width)
{
	char *text = ranges_format(r, max_width);

	if (*text)
		return text;
	free(text);
	return text_strdup("-");
}

static void add_row(struct table *table, struct row *row, const struct style *style, int counts, int names)
{
	size_t max = style->width <= 0 ? 0 : style->width < WIDE_TERMINAL ? NARROW_RANGES : WIDE_RANGES;

	if (counts)
		table_add(table, format_count(row->count), COLOUR_NONE);
	table_add(table, format_ranges(&row->nums, max), COLOUR_NONE);
	table_add(table, format_ranges(&row->tids, max), COLOUR_NONE);
	for (size_t i = RUNTIME; i < N_COLUMNS; i++) {
		const char *cell = i == NAME && !names ? "" : row->cells[i];

		table_add(table, text_strdup(cell), i == STATE ? row->state_colour : COLOUR_NONE);
	}
}

struct failure *threads_check_columns(const char *names)
{
	return table_check_columns("threads", columns, N_COLUMNS, names);
}

void threads_show(const struct overview *s, const struct style *style, struct text *out)
{
	struct row *rows = text_calloc(s->n_threads, sizeof(*rows));
	size_t n = fold_threads(s, style, rows);
	int counts = n < s->n_threads, names = 0;
	struct foot foot = {0};
	struct table table;

	for (size_t i = 1; i < n; i++)
		names |= *rows[i].cells[NAME] && strcmp(rows[i].cells[NAME], rows[0].cells[NAME]) != 0;
	/* With -o, show the columns COUNT and NAME even if they would be left out otherwise. */
	counts |= !!style->columns;
	names |= !!style->columns;
	table_init(&table, counts ? columns : columns + 1, N_COLUMNS - !counts);
	for (size_t i = 0; i < n; i++)
		add_row(&table, &rows[i], style, counts, names);
	table_render(&table, style, out);
	foot_note_states(&foot, s);
	for (size_t i = 0; i < s->n_threads; i++)
		foot_note(&foot, "place", format_member(s->threads[i].json, "place"));
	if (!style->columns && !style->no_headers)
		foot_show(&foot, style, out);
	table_deinit(&table);
	for (size_t i = 0; i < n; i++)
		deinit_row(&rows[i]);
	free(rows);
}
