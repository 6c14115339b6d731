/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl tasks`: one line for all tasks that are alike. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "foot.h"
#include "format.h"
#include "overview.h"
#include "table.h"

#define RANGES_WIDTH 14

enum { COUNT, KIND, THREADS, LEVEL, REGION, FUNCTION, CREATED_BY, STATUS, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
	[COUNT] = {"COUNT", TABLE_RIGHT, 0},
	[KIND] = {"KIND", 0, 0},
	[THREADS] = {"THREAD", 0, 0},
	[LEVEL] = {"LEVEL", TABLE_RIGHT, 0},
	[REGION] = {"REGION", TABLE_DROP_EMPTY | TABLE_CUT_MIDDLE, 10},
	[FUNCTION] = {"FUNCTION", TABLE_DROP_EMPTY | TABLE_CUT_MIDDLE, 10},
	[CREATED_BY] = {"CREATED BY", TABLE_DROP_EMPTY | TABLE_CUT_MIDDLE, 10},
	[STATUS] = {"STATUS", TABLE_DROP_EMPTY, 0},
};

struct row {
	char *cells[N_COLUMNS]; /* COUNT and THREADS are filled in last */
	struct ranges tids;
	size_t count;
};

/* Return the creator: "implicit 4711", "main._omp_fn.1", or the reason why it is not known. */
static char *format_creator(const struct overview *s, const struct style *style, const struct overview_task *task)
{
	struct text t = {0};

	if (task->generating == OVERVIEW_NONE) {
		struct json_object *generating = format_member(task->json, "generating");

		/* A handle that is not in the list means nothing to a reader. */
		return format_string(generating) ? text_strdup("-") : format_value_string(style, generating);
	}
	const struct overview_task *c = &s->tasks[task->generating];
	char *function = overview_function(style, c->json);
	if (c->kind && !strcmp(c->kind, "explicit") && *function != '-')
		text_add(&t, function);
	else
		text_add_safe(&t, c->kind ? c->kind : "task", style->utf8);
	free(function);
	if (c->thread != OVERVIEW_NONE)
		text_printf(&t, " of %" PRId64, s->threads[c->thread].tid);
	return text_take(&t);
}

/* Return "queued", "waits for 2 tasks", or NULL if it has started. */
static char *format_queued_status(const struct overview_task *task)
{
	struct json_object *queued = format_member(task->json, "queued");
	int64_t n = format_int(format_member(queued, "predecessors"), 0);
	struct text t = {0};

	if (!queued)
		return NULL;
	if (n == 0)
		return text_strdup("queued");
	text_printf(&t, "waits for %" PRId64 " task%s", n, n == 1 ? "" : "s");
	return text_take(&t);
}

/* Return the status: running if it is its thread's current task, suspended if its thread executes another. */
static const char *get_status(const struct overview *s, size_t task)
{
	size_t thread = s->tasks[task].thread;

	if (thread == OVERVIEW_NONE)
		return "-";
	return s->threads[thread].task == task ? "current" : "suspended";
}

static void init_row(struct row *row, const struct overview *s, const struct style *style, size_t i)
{
	const struct overview_task *task = &s->tasks[i];
	struct json_object *region = task->parallel == OVERVIEW_NONE ? NULL : s->parallels[task->parallel].json;

	*row = (struct row){.count = 1};
	row->cells[COUNT] = text_strdup("");
	row->cells[KIND] = format_value_string(style, format_member(task->json, "kind"));
	row->cells[THREADS] = task->thread == OVERVIEW_NONE
				      ? format_value_string(style, format_member(task->json, "thread"))
				      : text_strdup("");
	row->cells[LEVEL] = format_value_string(style, format_member(region, "level"));
	row->cells[REGION] = overview_function(style, region);
	row->cells[FUNCTION] = overview_function(style, task->json);
	row->cells[CREATED_BY] = format_creator(s, style, task);
	char *queued = format_queued_status(task);
	row->cells[STATUS] = queued ? queued : text_strdup(get_status(s, i));
	if (task->thread != OVERVIEW_NONE)
		ranges_add(&row->tids, s->threads[task->thread].tid);
}

static void deinit_row(struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		free(row->cells[i]);
	ranges_deinit(&row->tids);
}

static size_t fold_tasks(const struct overview *s, const struct style *style, struct row *rows)
{
	struct json_object *map = json_object_new_object();
	size_t n = 0;

	for (size_t i = 0; i < s->n_tasks; i++) {
		struct text key = {0};
		struct row row;

		init_row(&row, s, style, i);
		for (size_t c = 0; c < N_COLUMNS; c++)
			text_printf(&key, "%s\x1f", row.cells[c]);
		int64_t equal = style->all ? -1 : format_int(format_member(map, key.data), -1);
		if (equal < 0) {
			json_object_object_add(map, key.data, json_object_new_int64((int64_t)n));
			rows[n++] = row;
		} else {
			ranges_add_all(&rows[equal].tids, &row.tids);
			rows[equal].count++;
			deinit_row(&row);
		}
		text_deinit(&key);
	}
	json_object_put(map);
	return n;
}

static void add_row(struct table *table, struct row *row, const struct style *style, int counts)
{
	struct text count = {0};

	text_printf(&count, "%zu", row->count);
	if (counts)
		table_add(table, text_take(&count), COLOUR_NONE);
	else
		text_deinit(&count);
	for (size_t i = KIND; i < N_COLUMNS; i++) {
		char *cell = i == THREADS && row->tids.n
				     ? ranges_format(&row->tids, style->width > 0 ? RANGES_WIDTH : 0)
				     : text_strdup(row->cells[i]);

		table_add(table, cell, i == STATUS && !strcmp(cell, "current") ? COLOUR_GREEN : COLOUR_NONE);
	}
}

static void note_unknown(struct foot *foot, const struct overview_task *task)
{
	foot_note(foot, "kind", format_member(task->json, "kind"));
	/* An initial task has neither. */
	if (task->kind && strcmp(task->kind, "initial")) {
		foot_note(foot, "function", format_member(task->json, "function"));
		foot_note(foot, "creator", format_member(task->json, "generating"));
	}
}

void tasks_show(const struct overview *s, const struct style *style, struct text *out)
{
	struct row *rows = text_calloc(s->n_tasks, sizeof(*rows));
	size_t n = fold_tasks(s, style, rows);
	int counts = n < s->n_tasks;
	struct foot foot = {0};
	struct table table;

	if (!s->n_tasks)
		text_add(out, "no tasks\n");
	table_init(&table, counts ? columns : columns + 1, N_COLUMNS - !counts);
	for (size_t i = 0; i < n; i++)
		add_row(&table, &rows[i], style, counts);
	table_render(&table, style, out);
	table_deinit(&table);
	for (size_t i = 0; i < s->n_tasks; i++)
		note_unknown(&foot, &s->tasks[i]);
	foot_show(&foot, style, out);
	for (size_t i = 0; i < n; i++)
		deinit_row(&rows[i]);
	free(rows);
}
