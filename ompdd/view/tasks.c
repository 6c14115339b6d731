/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of tasks: one row for all tasks that are alike. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "rpc/json_read.h"
#include "view/parts.h"
#include "view/rows.h"
#include "view/state_name.h"
#include "view/value.h"

static const struct column columns[] = {
	{.key = "count", .title = "COUNT", .align = "right"},
	{.key = "task", .title = "TASK", .align = "right", .optional = "empty"},
	{.key = "kind", .title = "KIND"},
	{.key = "thread", .title = "THREAD", .cut = "list", .least = 14},
	{.key = "level", .title = "LEVEL", .align = "right"},
	{.key = "region", .title = "REGION", .cut = "middle", .least = 10, .optional = "empty"},
	{.key = "function", .title = "FUNCTION", .cut = "middle", .least = 10, .optional = "empty"},
	{.key = "created_by", .title = "CREATED BY", .cut = "middle", .least = 10, .optional = "empty"},
	{.key = "status", .title = "STATUS", .optional = "empty"},
};
/* Most predecessors of a task that its status names. */
#define MAX_PREDECESSORS 12
#define N_COLUMNS	 (sizeof(columns) / sizeof(*columns))

/* Return the creator: "implicit of 4711", "main._omp_fn.1", or why it is not known; numbered "5: implicit of 4711". */
static struct json_object *creator_cell(const struct facts *s, const struct facts_task *task,
					const struct view_request *request)
{
	int verbose = request->verbose;
	struct json_object *generating = json_read_member(task->json, "generating");
	struct buf text = {0}, function = {0};

	/* A handle that is not in the list means nothing to a reader. */
	if (task->generating == FACTS_NONE)
		return json_read_string(generating) ? value_text_cell("-") : value_cell(generating, verbose);
	const struct facts_task *c = &s->tasks[task->generating];
	if (request->numbered)
		phrase_printf(&text, "%s: ", task_number(s, task->generating));
	if (facts_is_explicit(c) && value_add_function(&function, c->json, verbose))
		phrase_add(&text, phrase_text(&function));
	else
		phrase_add(&text, c->kind ? c->kind : "task");
	buf_deinit(&function);
	if (c->thread != FACTS_NONE)
		phrase_printf(&text, " of %" PRId64, s->threads[c->thread].tid);
	return value_take_cell(&text, NULL);
}

/* Append the numbers of the tasks that must be complete first: ": 5, 6, …". */
static void add_predecessors(struct buf *p, const struct facts *s, size_t i)
{
	struct json_object *queued = json_read_member(s->tasks[i].json, "queued"), *tasks = task_get_predecessors(s, i);
	size_t n = json_read_length(tasks);

	for (size_t k = 0; k < n && k < MAX_PREDECESSORS; k++) {
		size_t other = facts_find_task(s, json_object_array_get_idx(tasks, k));

		phrase_printf(p, "%s%s", k ? ", " : ": ", other == FACTS_NONE ? "?" : task_number(s, other));
	}
	if (n > MAX_PREDECESSORS ||
	    (n && !json_read_bool(json_read_member(json_read_member(queued, "waits_for"), "complete"))))
		phrase_add(p, ", …");
}

/* Return "queued", "waits for 2 tasks"; numbered "waits for 2 tasks: 5, 6"; of a task that has started, whether its
 * thread executes it now. */
static struct json_object *status_cell(const struct facts *s, size_t i, bool numbered)
{
	const struct facts_task *task = &s->tasks[i];
	struct json_object *queued = json_read_member(task->json, "queued"), *cell;
	int64_t n = json_read_int(json_read_member(queued, "predecessors"), 0);
	struct buf text = {0};

	if (queued && !n)
		return value_text_cell("queued");
	if (queued) {
		phrase_printf(&text, "waits for %" PRId64 " task%s", n, n == 1 ? "" : "s");
		if (numbered)
			add_predecessors(&text, s, i);
		return value_take_cell(&text, NULL);
	}
	if (task->thread == FACTS_NONE)
		return value_text_cell("-");
	if (s->threads[task->thread].task != i)
		return value_text_cell("suspended");
	cell = value_text_cell("current");
	json_object_object_add(cell, "state", state_name_other_json("work", "current"));
	return cell;
}

static struct error *add_task(struct rows *rows, const struct facts *s, size_t i, const struct view_request *request)
{
	int verbose = request->verbose;
	const struct facts_task *task = &s->tasks[i];
	struct json_object *cells = json_object_new_object(), *region = facts_region(s, task->parallel);

	if (request->numbered)
		json_object_object_add(cells, "task", value_text_cell(task_number(s, i)));
	json_object_object_add(cells, "kind", value_cell(json_read_member(task->json, "kind"), verbose));
	if (task->thread == FACTS_NONE)
		json_object_object_add(cells, "thread", value_cell(json_read_member(task->json, "thread"), verbose));
	json_object_object_add(cells, "level", value_cell(json_read_member(region, "level"), verbose));
	json_object_object_add(cells, "region", value_function_cell(region, verbose));
	json_object_object_add(cells, "function", value_function_cell(task->json, verbose));
	json_object_object_add(cells, "created_by", creator_cell(s, task, request));
	json_object_object_add(cells, "status", status_cell(s, i, request->numbered));
	struct row *row = rows_add(rows, cells, task->thread == FACTS_NONE ? "none" : "");
	if (!row)
		return &error_nomem;
	if (task->thread != FACTS_NONE)
		number_set_add(&row->tids, s->threads[task->thread].tid);
	return NULL;
}

static void note_unknown(struct notes *notes, const struct facts_task *task)
{
	notes_add(notes, "kind", json_read_member(task->json, "kind"));
	/* An initial task has neither. */
	if (task->kind && strcmp(task->kind, "initial")) {
		notes_add(notes, "function", json_read_member(task->json, "function"));
		notes_add(notes, "creator", json_read_member(task->json, "generating"));
	}
}

/* Add tasks with dependences first. */
static struct error *add_tasks(struct rows *rows, const struct facts *s, const struct view_request *request,
			       const char *is_tied)
{
	struct error *err = NULL;

	for (int tied = 1; tied >= 0; tied--) {
		for (size_t i = 0; i < s->n_tasks && !err; i++) {
			if (is_tied[i] == tied)
				err = add_task(rows, s, i, request);
		}
	}
	return err;
}

/* Store the columns to show in @chosen. Returns their number. */
static size_t choose_columns(const struct view_request *request, int with_count, struct column *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (strcmp(columns[i].key, "count") ? request->numbered || strcmp(columns[i].key, "task") : with_count)
			chosen[n++] = columns[i];
	}
	return n;
}

struct error *tasks_add(struct json_object *o, const struct view_request *request, const struct facts *s,
			struct notes *notes)
{
	_cleanup_(rows_deinit) struct rows rows;
	_cleanup_free_ char *is_tied = calloc(s->n_tasks + 1, 1);
	struct column chosen[N_COLUMNS];
	struct error *err;

	rows_init(&rows, request->fold);
	if (!is_tied)
		return &error_nomem;
	task_graph_mark(s, is_tied);
	err = add_tasks(&rows, s, request, is_tied);
	if (!err && request->graph)
		err = task_graph_add(o, s, is_tied);
	if (err)
		return err;
	for (size_t i = 0; i < rows.n; i++) {
		rows_put_count(&rows.rows[i]);
		if (rows.rows[i].tids.n)
			json_object_object_add(rows.rows[i].cells, "thread", value_set_cell(&rows.rows[i].tids));
	}
	for (size_t i = 0; i < s->n_tasks; i++)
		note_unknown(notes, &s->tasks[i]);
	notes->without_tasks = !s->n_tasks;
	return rows_add_table(o, request, &rows, chosen,
			      choose_columns(request, request->columns || rows.n < s->n_tasks, chosen));
}
