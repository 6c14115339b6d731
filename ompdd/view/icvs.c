/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control variables: once if all tasks agree, side by side if they differ. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "rpc/json_read.h"
#include "view/parts.h"
#include "view/rows.h"
#include "view/value.h"

static const char thread_num_var[] = "thread-num-var";

static const struct column list_columns[] = {
	{.key = "variable", .title = "VARIABLE"},
	{.key = "value", .title = "VALUE"},
};

static const struct column setting_columns[] = {
	{.key = "variable", .title = "SETTING"},
	{.key = "value", .title = "VALUE", .cut = "end", .least = 24},
	{.key = "source", .title = "SOURCE"},
};

/* Tasks of the same kind and in the same region: one line of the legend. */
struct group {
	struct buf kind, place;
	struct number_set tids;
	size_t count;
};

/* Tasks with the same values. Their values are the cells of the row with the same index. */
struct set {
	struct group *groups;
	size_t n_groups;
};

struct sets {
	struct rows rows;
	struct set *sets; /* as many as there are tasks */
	size_t n_tasks;
	struct json_object *names; /* name to true, if all sets agree on its value; ordered */
};

/* An empty text is a value, too: "OMP_PLACES=" differs from a variable that is not set. */
static struct json_object *setting_cell(struct json_object *value, int verbose)
{
	const char *text = json_read_string(value);

	return text && !*text ? value_text_cell("\"\"") : value_cell(value, verbose);
}

/* Add the variables of task, region and thread scope to @values, which maps a name to a cell. */
static void add_values(struct json_object *values, struct json_object *icvs, int verbose)
{
	if (!json_object_is_type(icvs, json_type_object))
		return;
	json_object_object_foreach(icvs, name, icv)
	{
		struct json_object *value = json_read_member(icv, "value");

		if (json_read_member(values, name) || json_read_string(icv))
			continue; /* an error: a {"rc":…} in place of all variables */
		json_object_object_add(values, name, setting_cell(value ? value : icv, verbose));
	}
}

/* Return the cells of a task. thread-num-var alone would make all sets differ: its cell comes last. */
static struct json_object *create_task_values(const struct facts *s, const struct facts_task *task, int verbose,
					      int64_t *thread_num_ret)
{
	struct json_object *values = json_object_new_object(), *icvs = json_read_member(task->json, "icvs");

	add_values(values, icvs, verbose);
	add_values(values, json_read_member(facts_region(s, task->parallel), "icvs"), verbose);
	if (task->thread != FACTS_NONE)
		add_values(values, json_read_member(s->threads[task->thread].json, "icvs"), verbose);
	*thread_num_ret = json_read_int(json_read_member(json_read_member(icvs, thread_num_var), "int"), -1);
	if (*thread_num_ret >= 0)
		json_object_object_add(values, thread_num_var, value_text_cell(""));
	return values;
}

static struct group *find_group(struct set *set, const char *kind, const char *place)
{
	for (size_t i = 0; i < set->n_groups; i++) {
		if (!strcmp(phrase_text(&set->groups[i].kind), kind) &&
		    !strcmp(phrase_text(&set->groups[i].place), place))
			return &set->groups[i];
	}
	struct group *groups = reallocarray(set->groups, set->n_groups + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	set->groups = groups;
	groups[set->n_groups] = (struct group){0};
	phrase_add(&groups[set->n_groups].kind, kind);
	phrase_add(&groups[set->n_groups].place, place);
	return &groups[set->n_groups++];
}

static struct error *add_to_set(struct set *set, const struct facts *s, const struct facts_task *task, int verbose)
{
	struct buf kind = {0}, place = {0};

	value_add(&kind, json_read_member(task->json, "kind"), verbose);
	value_add_function(&place, facts_region(s, task->parallel), verbose);
	struct group *group = find_group(set, phrase_text(&kind), phrase_text(&place));
	buf_deinit(&kind);
	buf_deinit(&place);
	if (!group)
		return &error_nomem;
	group->count++;
	if (task->thread != FACTS_NONE)
		number_set_add(&group->tids, s->threads[task->thread].tid);
	return NULL;
}

static struct error *add_task(struct sets *sets, const struct facts *s, const struct facts_task *task, int verbose)
{
	int64_t thread_num;
	struct json_object *values = create_task_values(s, task, verbose, &thread_num);
	struct buf names = {0};

	if (!json_object_object_length(values)) {
		json_object_put(values);
		return NULL;
	}
	json_object_object_foreach(values, name, unused)
	{
		(void)unused;
		phrase_printf(&names, "%s\x1f", name);
		if (!json_read_member(sets->names, name))
			json_object_object_add(sets->names, name, json_object_new_boolean(1));
	}
	struct row *row = rows_add(&sets->rows, values, phrase_text(&names));
	buf_deinit(&names);
	if (!row)
		return &error_nomem;
	if (thread_num >= 0)
		number_set_add(&row->nums, thread_num);
	sets->n_tasks++;
	return add_to_set(&sets->sets[row - sets->rows.rows], s, task, verbose);
}

static const char *get_text(const struct sets *sets, size_t set, const char *name)
{
	const char *text =
		json_read_string(json_read_member(json_read_member(sets->rows.rows[set].cells, name), "text"));

	return text ? text : "-";
}

static void find_common_values(struct sets *sets)
{
	json_object_object_foreach(sets->names, name, common)
	{
		for (size_t i = 1; i < sets->rows.n; i++) {
			if (strcmp(get_text(sets, 0, name), get_text(sets, i, name)))
				json_object_set_boolean(common, 0);
		}
	}
}

static struct error *sets_init(struct sets *sets, const struct facts *s, int verbose)
{
	struct error *err = NULL;

	*sets = (struct sets){.names = json_object_new_object()};
	rows_init(&sets->rows, 1);
	sets->sets = calloc(s->n_tasks + 1, sizeof(*sets->sets));
	if (!sets->sets)
		return &error_nomem;
	for (size_t i = 0; i < s->n_tasks && !err; i++)
		err = add_task(sets, s, &s->tasks[i], verbose);
	for (size_t i = 0; i < sets->rows.n && !err; i++) {
		struct row *row = &sets->rows.rows[i];

		if (row->nums.n)
			json_object_object_add(row->cells, thread_num_var, value_set_cell(&row->nums));
	}
	if (!err)
		find_common_values(sets);
	return err;
}

static void sets_deinit(struct sets *sets)
{
	for (size_t i = 0; sets->sets && i < sets->rows.n; i++) {
		for (size_t g = 0; g < sets->sets[i].n_groups; g++) {
			buf_deinit(&sets->sets[i].groups[g].kind);
			buf_deinit(&sets->sets[i].groups[g].place);
			number_set_deinit(&sets->sets[i].groups[g].tids);
		}
		free(sets->sets[i].groups);
	}
	free(sets->sets);
	rows_deinit(&sets->rows);
	json_object_put(sets->names);
}

/* Return a table without columns and rows. Takes @title. */
static struct json_object *create_table(const char *kind, struct json_object *title)
{
	struct json_object *table = json_object_new_object();

	json_object_object_add(table, "kind", json_object_new_string(kind));
	json_object_object_add(table, "title", title);
	json_object_object_add(table, "columns", json_object_new_array());
	json_object_object_add(table, "rows", json_object_new_array());
	json_object_object_add(table, "legend", json_object_new_array());
	return table;
}

static void add_column(struct json_object *table, const struct column *column)
{
	json_object_array_add(json_read_member(table, "columns"), rows_column_json(column));
}

/* Add a row with the variable's name. Returns its cells. */
static struct json_object *add_row(struct json_object *table, const char *name)
{
	struct json_object *row = json_object_new_object(), *cells = json_object_new_object();

	json_object_object_add(row, "count", json_object_new_int(1));
	json_object_object_add(row, "threads", json_object_new_array());
	json_object_object_add(row, "cells", cells);
	json_object_object_add(cells, "variable", value_text_cell(name));
	json_object_array_add(json_read_member(table, "rows"), row);
	return cells;
}

static struct json_object *create_list(const char *kind, struct json_object *title)
{
	struct json_object *table = create_table(kind, title);

	add_column(table, &list_columns[0]);
	add_column(table, &list_columns[1]);
	return table;
}

static struct json_object *process_table_json(const struct facts *s, int verbose)
{
	struct json_object *table = create_list("process", json_object_new_string("The process"));
	struct json_object *values = json_object_new_object();

	add_values(values, json_read_member(s->json, "icvs"), verbose);
	json_object_object_foreach(values, name, cell)
		json_object_object_add(add_row(table, name), "value", json_object_get(cell));
	json_object_put(values);
	return table;
}

/* Append the threads of a setting that has them: "kernel (threads 4711-4718)". */
static struct json_object *source_cell(struct json_object *setting)
{
	struct json_object *threads = json_read_member(setting, "threads");
	struct number_set tids = {0};
	struct buf text = {0};

	phrase_add(&text, json_read_text(setting, "source"));
	for (size_t i = 0; i < json_read_length(threads); i++)
		number_set_add(&tids, json_read_int(json_object_array_get_idx(threads, i), 0));
	if (tids.n) {
		phrase_printf(&text, " (thread%s ", tids.n == 1 ? "" : "s");
		number_set_format(&tids, &text);
		phrase_add(&text, ")");
	}
	number_set_deinit(&tids);
	return value_take_cell(&text, NULL);
}

/* The settings of the environment, the runtime's memory and the kernel (icv.settings). NULL: not requested. */
static struct json_object *settings_table_json(const struct facts *s, int verbose)
{
	struct json_object *settings = json_read_member(s->json, "settings");

	if (!settings)
		return NULL;
	struct json_object *table =
		create_table("settings", json_object_new_string("Settings, and where each value is from"));

	for (size_t i = 0; i < sizeof(setting_columns) / sizeof(setting_columns[0]); i++)
		add_column(table, &setting_columns[i]);
	for (size_t i = 0; i < json_read_length(settings); i++) {
		struct json_object *setting = json_object_array_get_idx(settings, i);
		struct json_object *cells = add_row(table, json_read_text(setting, "name"));

		json_object_object_add(cells, "value", setting_cell(json_read_member(setting, "value"), verbose));
		json_object_object_add(cells, "source", source_cell(setting));
	}
	return table;
}

static struct json_object *common_table_json(struct sets *sets)
{
	struct buf title = {0};

	if (sets->n_tasks == 1)
		phrase_add(&title, "The task");
	else
		phrase_printf(&title, "All %zu tasks", sets->n_tasks);
	struct json_object *table = create_list("common", phrase_take_json(&title));
	json_object_object_foreach(sets->names, name, is_common)
	{
		if (!json_object_get_boolean(is_common))
			continue;
		json_object_object_add(add_row(table, name), "value",
				       json_object_get(json_read_member(sets->rows.rows[0].cells, name)));
	}
	return table;
}

/* Append A to Z, AA, AB, ... */
static void add_letter(struct buf *p, size_t i)
{
	if (i >= 26)
		add_letter(p, i / 26 - 1);
	phrase_printf(p, "%c", (int)('A' + i % 26));
}

/* Add "8 implicit tasks of main._omp_fn.0 (threads 4711-4718)". */
static void add_legend(struct json_object *table, const char *key, struct group *group)
{
	struct json_object *o = json_object_new_object();
	size_t n = number_set_count(&group->tids);
	struct buf text = {0};

	phrase_printf(&text, "%zu %s task%s", group->count, phrase_text(&group->kind), group->count == 1 ? "" : "s");
	if (*phrase_text(&group->place) != '-')
		phrase_printf(&text, " of %s", phrase_text(&group->place));
	if (n) {
		phrase_printf(&text, " (thread%s ", n == 1 ? "" : "s");
		number_set_format(&group->tids, &text);
		phrase_add(&text, ")");
	}
	json_object_object_add(o, "key", json_object_new_string(key));
	json_object_object_add(o, "text", phrase_take_json(&text));
	json_object_object_add(o, "count", json_object_new_int64((int64_t)group->count));
	json_object_object_add(o, "threads", number_set_array_json(&group->tids));
	json_object_array_add(json_read_member(table, "legend"), o);
}

static struct json_object *difference_table_json(struct sets *sets)
{
	struct json_object *table = create_table("different", json_object_new_string("Where they differ"));

	add_column(table, &(struct column){.key = "variable", .title = "VARIABLE", .cut = "end", .least = 24});
	json_object_object_foreach(sets->names, name, is_common)
	{
		if (!json_object_get_boolean(is_common))
			add_row(table, name);
	}
	struct json_object *rows = json_read_member(table, "rows");
	for (size_t i = 0; i < sets->rows.n; i++) {
		struct buf letter = {0};

		add_letter(&letter, i);
		const char *key = phrase_text(&letter);
		add_column(table, &(struct column){.key = key, .title = key, .cut = "end", .least = 6});
		for (size_t g = 0; g < sets->sets[i].n_groups; g++)
			add_legend(table, key, &sets->sets[i].groups[g]);
		for (size_t r = 0; r < json_read_length(rows); r++) {
			struct json_object *cells = json_read_member(json_object_array_get_idx(rows, r), "cells");
			const char *variable = json_read_text(json_read_member(cells, "variable"), "text");
			struct json_object *cell = json_read_member(sets->rows.rows[i].cells, variable);

			json_object_object_add(cells, key, cell ? json_object_get(cell) : value_text_cell("-"));
		}
		buf_deinit(&letter);
	}
	return table;
}

struct error *icvs_add(struct json_object *o, const struct view_request *request, const struct facts *s)
{
	_cleanup_(sets_deinit) struct sets sets;
	struct json_object *tables = json_object_new_array(), *settings;
	struct error *err = sets_init(&sets, s, request->verbose);

	json_object_object_add(o, "tables", tables);
	if (err)
		return err;
	json_object_array_add(tables, process_table_json(s, request->verbose));
	if (sets.rows.n)
		json_object_array_add(tables, common_table_json(&sets));
	if (sets.rows.n > 1)
		json_object_array_add(tables, difference_table_json(&sets));
	settings = settings_table_json(s, request->verbose);
	if (settings)
		json_object_array_add(tables, settings);
	return NULL;
}
