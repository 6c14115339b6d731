/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of threads: one row for all threads that are in the same place. */
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
	{.key = "id", .title = "ID", .optional = "empty"},
	{.key = "num", .title = "NUM", .cut = "list", .least = 11},
	{.key = "tid", .title = "TID", .cut = "list", .least = 11},
	{.key = "rt", .title = "RT", .align = "right", .optional = "empty"},
	{.key = "name", .title = "NAME", .cut = "end", .least = 6, .optional = "empty"},
	{.key = "state", .title = "STATE"},
	{.key = "level", .title = "LEVEL", .align = "right"},
	{.key = "team", .title = "TEAM", .align = "right"},
	{.key = "region", .title = "REGION", .cut = "middle", .least = 8, .optional = "unknown"},
	{.key = "task", .title = "TASK", .cut = "middle", .least = 8, .optional = "unknown"},
	/* Readers compare the values of this column. An address of 14 characters is never cut; a name keeps its end,
	 * which differs most. */
	{.key = "waits_for", .title = "WAITS FOR", .cut = "start", .least = 15, .optional = "unknown"},
	{.key = "at", .title = "AT", .cut = "middle", .least = 8, .optional = "empty"},
};
#define N_COLUMNS (sizeof(columns) / sizeof(*columns))

/* Return the state as a cell. */
static struct json_object *state_cell(struct json_object *state)
{
	struct json_object *cell = value_text_cell(json_read_text(state, "text"));
	struct json_object *reason = json_read_member(state, "reason");

	if (reason)
		json_object_object_add(cell, "reason", json_object_get(reason));
	json_object_object_add(cell, "state", state);
	return cell;
}

/* Return a cell with the function of an explicit task; its value is the kind of any task. */
static struct json_object *task_cell(const struct facts_task *task, int verbose)
{
	struct json_object *cell =
		task && facts_is_explicit(task) ? value_function_cell(task->json, verbose) : value_text_cell("-");

	if (task && task->kind)
		json_object_object_add(cell, "value", json_object_new_string(task->kind));
	return cell;
}

static struct json_object *wait_cell(const struct facts *s, const struct facts_thread *thread, int verbose)
{
	struct json_object *wait = json_read_member(thread->json, "wait_id"), *cell;
	struct json_object *value = json_read_member(wait, "value");
	struct buf text = {0};

	value_add_wait(&text, s, thread, 1, verbose);
	cell = value_take_cell(&text, json_read_member(thread->json, "device") ? NULL : wait);
	if (value)
		json_object_object_add(cell, "value", json_object_get(value));
	return cell;
}

static void put_openmp_cells(struct json_object *cells, const struct facts *s, const struct facts_thread *thread,
			     int verbose)
{
	struct json_object *region = facts_region(s, thread->parallel);
	const struct facts_task *task = thread->task == FACTS_NONE ? NULL : &s->tasks[thread->task];
	struct buf place = {0};

	json_object_object_add(cells, "state",
			       state_cell(state_name_json(json_read_member(thread->json, "state"), verbose)));
	json_object_object_add(cells, "level", value_cell(json_read_member(region, "level"), verbose));
	json_object_object_add(cells, "team", value_cell(json_read_member(region, "team_size"), verbose));
	json_object_object_add(cells, "region", value_function_cell(region, verbose));
	json_object_object_add(cells, "task", task_cell(task, verbose));
	json_object_object_add(cells, "waits_for", wait_cell(s, thread, verbose));
	value_add_place(&place, thread->json);
	json_object_object_add(cells, "at", value_take_cell(&place, json_read_member(thread->json, "place")));
}

static void put_other_cells(struct json_object *cells, const struct facts_thread *thread, int verbose)
{
	static const char *const unknown[] = {"level", "team", "region", "task", "waits_for"};
	struct json_object *openmp = json_read_member(thread->json, "openmp"), *cell;

	/* false: not an OpenMP thread; an object: the reason why the state is not known. */
	cell = json_read_reason(openmp) ? value_cell(openmp, verbose) : value_text_cell("no OpenMP");
	json_object_object_add(cell, "state", state_name_other_json("outside", json_read_text(cell, "text")));
	json_object_object_add(cells, "state", cell);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		json_object_object_add(cells, unknown[i], value_text_cell("-"));
	json_object_object_add(cells, "at", value_text_cell(""));
}

/* Return the cell "2.1": thread 1 of region 2; empty if it is in no region. */
static struct json_object *id_cell(const struct facts *s, const struct facts_thread *thread)
{
	int64_t num = json_read_int(json_read_member(thread->json, "thread_num"), -1);
	struct buf id = {0};

	if (thread->openmp && thread->parallel != FACTS_NONE && num >= 0)
		phrase_printf(&id, "%zu.%" PRId64, s->parallels[thread->parallel].number, num);
	return value_take_cell(&id, NULL);
}

static struct json_object *create_cells(const struct facts *s, const struct facts_thread *thread, bool numbered,
					int verbose)
{
	struct json_object *cells = json_object_new_object();
	struct buf runtime = {0};

	if (s->n_runtimes > 1 && thread->openmp)
		phrase_printf(&runtime, "%zu", thread->runtime);
	json_object_object_add(cells, "rt", value_take_cell(&runtime, NULL));
	if (numbered)
		json_object_object_add(cells, "id", id_cell(s, thread));
	json_object_object_add(cells, "name", value_text_cell(thread->comm));
	if (thread->openmp)
		put_openmp_cells(cells, s, thread, verbose);
	else
		put_other_cells(cells, thread, verbose);
	return cells;
}

static struct error *add_thread(struct rows *rows, const struct facts *s, const struct facts_thread *thread,
				const struct view_request *request)
{
	struct json_object *wait = json_read_member(json_read_member(thread->json, "wait_id"), "value");
	int64_t num = thread->openmp ? json_read_int(json_read_member(thread->json, "thread_num"), -1) : -1;
	struct buf key = {0};

	/* Thread 0 encountered the region and continues after it: never part of "threads 1-299". Threads of different
	 * teams wait for different objects, even under the same name. */
	phrase_printf(&key, "%d %s", num == 0, thread->openmp && wait ? json_object_get_string(wait) : "");
	struct row *row =
		rows_add(rows, create_cells(s, thread, request->numbered, request->verbose), phrase_text(&key));
	buf_deinit(&key);
	if (!row)
		return &error_nomem;
	number_set_add(&row->tids, thread->tid);
	if (num >= 0)
		number_set_add(&row->nums, num);
	return NULL;
}

static void put_sets(struct row *row)
{
	rows_put_count(row);
	json_object_object_add(row->cells, "num", value_set_cell(&row->nums));
	json_object_object_add(row->cells, "tid", value_set_cell(&row->tids));
}

/* Return whether a thread has a name, and one that differs from the first thread's. */
static int is_name_informative(const struct rows *rows)
{
	const char *first = rows->n ? json_read_text(json_read_member(rows->rows[0].cells, "name"), "text") : "";

	for (size_t i = 1; i < rows->n; i++) {
		const char *name = json_read_text(json_read_member(rows->rows[i].cells, "name"), "text");

		if (*name && strcmp(name, first))
			return 1;
	}
	return 0;
}

/* Return whether a column says something, or the request names columns. */
static bool is_column_shown(const struct view_request *request, const struct rows *rows, size_t n_threads,
			    const char *key)
{
	if (!strcmp(key, "id"))
		return request->numbered;
	if (request->columns)
		return true;
	return !strcmp(key, "count") ? rows->n < n_threads : strcmp(key, "name") || is_name_informative(rows);
}

/* Store the columns to show in @chosen. Returns their number. */
static size_t choose_columns(const struct view_request *request, const struct rows *rows, size_t n_threads,
			     struct column *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (is_column_shown(request, rows, n_threads, columns[i].key))
			chosen[n++] = columns[i];
	}
	return n;
}

struct error *threads_add(struct json_object *o, const struct view_request *request, const struct facts *s,
			  struct notes *notes)
{
	_cleanup_(rows_deinit) struct rows rows;
	struct column chosen[N_COLUMNS];
	struct error *err = NULL;

	rows_init(&rows, request->fold);
	for (size_t i = 0; i < s->n_threads && !err; i++)
		err = add_thread(&rows, s, &s->threads[i], request);
	if (err)
		return err;
	for (size_t i = 0; i < rows.n; i++)
		put_sets(&rows.rows[i]);
	notes_add_states(notes, s);
	for (size_t i = 0; i < s->n_threads; i++)
		notes_add(notes, "place", json_read_member(s->threads[i].json, "place"));
	return rows_add_table(o, request, &rows, chosen, choose_columns(request, &rows, s->n_threads, chosen));
}
