/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl icvs`: the control variables, once if all tasks agree, side by side if they differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "overview.h"
#include "table.h"

#define RANGES_WIDTH   32
#define NAME_MAX_WIDTH 24
#define SETS_PER_TABLE (TABLE_MAX_COLUMNS - 1)

/* Tasks with the same values, of the same kind and in the same region: one line of the legend. */
struct group {
	char *kind, *place;
	struct ranges tids;
	size_t count;
};

/* Tasks with the same values. */
struct set {
	struct json_object *values; /* name to text; owned */
	struct ranges thread_nums;  /* values of thread-num-var, which alone would make all sets differ */
	struct group *groups;
	size_t n_groups;
};

struct sets {
	struct set *sets;
	size_t n;
	struct json_object *names; /* name to true, if all sets agree on its value; ordered; owned */
};

static const char thread_num_var[] = "thread-num-var";

/* Add the variables of task, region and thread scope to @values, which maps a name to text. */
static void add_values(struct json_object *values, struct json_object *icvs, const struct style *style)
{
	if (!json_object_is_type(icvs, json_type_object))
		return;
	json_object_object_foreach(icvs, name, icv)
	{
		char *text;

		if (format_member(values, name) || format_string(icv))
			continue; /* an error: a {"rc":…} in place of all variables */
		text = format_value_string(style, format_member(icv, "value") ? format_member(icv, "value") : icv);
		json_object_object_add(values, name, json_object_new_string(text));
		free(text);
	}
}

static struct json_object *create_task_values(const struct overview *s, size_t i, const struct style *style,
					      int64_t *thread_num_ret)
{
	struct json_object *values = json_object_new_object();
	const struct overview_task *task = &s->tasks[i];
	struct json_object *icvs = format_member(task->json, "icvs");

	add_values(values, icvs, style);
	if (task->parallel != OVERVIEW_NONE)
		add_values(values, format_member(s->parallels[task->parallel].json, "icvs"), style);
	if (task->thread != OVERVIEW_NONE)
		add_values(values, format_member(s->threads[task->thread].json, "icvs"), style);
	*thread_num_ret = format_int(format_member(format_member(icvs, thread_num_var), "int"), -1);
	if (*thread_num_ret >= 0)
		json_object_object_add(values, thread_num_var, json_object_new_string(""));
	return values;
}

static struct group *find_group(struct set *set, const char *kind, const char *place)
{
	for (size_t i = 0; i < set->n_groups; i++) {
		if (!strcmp(set->groups[i].kind, kind) && !strcmp(set->groups[i].place, place))
			return &set->groups[i];
	}
	set->groups = text_realloc(set->groups, set->n_groups + 1, sizeof(*set->groups));
	set->groups[set->n_groups] = (struct group){.kind = text_strdup(kind), .place = text_strdup(place)};
	return &set->groups[set->n_groups++];
}

static void add_to_set(struct set *set, const struct overview *s, size_t i, const struct style *style,
		       int64_t thread_num)
{
	const struct overview_task *task = &s->tasks[i];
	struct json_object *region = task->parallel == OVERVIEW_NONE ? NULL : s->parallels[task->parallel].json;
	char *kind = format_value_string(style, format_member(task->json, "kind"));
	char *place = overview_function(style, region);
	struct group *group = find_group(set, kind, place);

	group->count++;
	if (task->thread != OVERVIEW_NONE)
		ranges_add(&group->tids, s->threads[task->thread].tid);
	if (thread_num >= 0)
		ranges_add(&set->thread_nums, thread_num);
	free(kind);
	free(place);
}

static void init_sets(struct sets *sets, const struct overview *s, const struct style *style)
{
	struct json_object *map = json_object_new_object();

	*sets = (struct sets){.names = json_object_new_object()};
	sets->sets = text_calloc(s->n_tasks, sizeof(*sets->sets));
	for (size_t i = 0; i < s->n_tasks; i++) {
		int64_t thread_num;
		struct json_object *values = create_task_values(s, i, style, &thread_num);
		const char *key = json_object_to_json_string_ext(values, JSON_C_TO_STRING_PLAIN);
		int64_t found = format_int(format_member(map, key), -1);

		if (!json_object_object_length(values)) {
			json_object_put(values);
			continue;
		}
		if (found < 0) {
			found = (int64_t)sets->n++;
			json_object_object_add(map, key, json_object_new_int64(found));
			sets->sets[found].values = json_object_get(values);
		}
		add_to_set(&sets->sets[found], s, i, style, thread_num);
		json_object_put(values);
	}
	json_object_put(map);
	for (size_t i = 0; i < sets->n; i++) {
		json_object_object_foreach(sets->sets[i].values, name, unused)
		{
			(void)unused;
			if (!format_member(sets->names, name))
				json_object_object_add(sets->names, name, json_object_new_boolean(1));
		}
	}
}

static void deinit_sets(struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++) {
		struct set *set = &sets->sets[i];

		for (size_t g = 0; g < set->n_groups; g++) {
			free(set->groups[g].kind);
			free(set->groups[g].place);
			ranges_deinit(&set->groups[g].tids);
		}
		free(set->groups);
		ranges_deinit(&set->thread_nums);
		json_object_put(set->values);
	}
	free(sets->sets);
	json_object_put(sets->names);
}

static char *format_set_value(struct set *set, const char *name)
{
	const char *text = format_string(format_member(set->values, name));

	if (!strcmp(name, thread_num_var) && set->thread_nums.n)
		return ranges_format(&set->thread_nums, RANGES_WIDTH);
	return text_strdup(text ? text : "-");
}

static void find_common_values(struct sets *sets)
{
	json_object_object_foreach(sets->names, name, common)
	{
		char *first = format_set_value(&sets->sets[0], name);
		int equal = 1;

		for (size_t i = 1; i < sets->n && equal; i++) {
			char *value = format_set_value(&sets->sets[i], name);

			equal = !strcmp(first, value);
			free(value);
		}
		json_object_set_boolean(common, equal);
		free(first);
	}
}

static char *create_safe_text(const struct style *style, const char *s)
{
	struct text t = {0};

	text_add_safe(&t, s, style->utf8);
	return text_take(&t);
}

/* A list of names and values. Unavailable variables come last, as one paragraph. */
struct list {
	struct table table;
	struct text unavailable;
	size_t column;
	size_t width;
};

static const struct table_column list_columns[] = {{"VARIABLE", 0, 0}, {"VALUE", 0, 0}};

static void init_list(struct list *list, const struct style *style)
{
	*list = (struct list){.width = style->width > 0 ? (size_t)style->width : 80};
	table_init(&list->table, list_columns, 2);
}

static void add_to_list(struct list *list, const struct style *style, const char *name, char *value)
{
	char *shown = create_safe_text(style, name);

	if (*value && (strcmp(value, "-") || style->verbose)) {
		table_add(&list->table, shown, COLOUR_NONE);
		table_add(&list->table, value, *value == '-' ? COLOUR_DIM : COLOUR_NONE);
		return;
	}
	size_t width = text_width(shown);
	if (list->unavailable.len) {
		int wrap = list->column + width + 3 > list->width;

		text_add(&list->unavailable, wrap ? ",\n  " : ", ");
		list->column = wrap ? 2 : list->column + 2;
	} else {
		text_add(&list->unavailable, "unavailable: ");
		list->column = 13;
	}
	text_add(&list->unavailable, shown);
	list->column += width;
	free(shown);
	free(value);
}

static void render_list(struct list *list, const struct style *style, struct text *out)
{
	table_render(&list->table, style, out);
	if (list->unavailable.len) {
		text_add_coloured(out, style, COLOUR_DIM, list->unavailable.data);
		text_add(out, "\n");
	}
	table_deinit(&list->table);
	text_deinit(&list->unavailable);
}

static void add_heading(struct text *out, const struct style *style, const char *title)
{
	text_add(out, "\n");
	text_add_coloured(out, style, COLOUR_BOLD, title);
	text_add(out, "\n");
}

static void show_process(const struct overview *s, const struct style *style, struct text *out)
{
	struct json_object *values = json_object_new_object();
	struct list list;

	add_values(values, format_member(s->json, "icvs"), style);
	init_list(&list, style);
	json_object_object_foreach(values, name, text)
		add_to_list(&list, style, name, text_strdup(json_object_get_string(text)));
	if (json_object_object_length(values))
		add_heading(out, style, "The process");
	render_list(&list, style, out);
	json_object_put(values);
}

static void show_common_values(struct sets *sets, const struct style *style, struct text *out)
{
	size_t tasks = 0, common = 0;
	struct text title = {0};
	struct list list;

	for (size_t i = 0; i < sets->n; i++) {
		for (size_t g = 0; g < sets->sets[i].n_groups; g++)
			tasks += sets->sets[i].groups[g].count;
	}
	init_list(&list, style);
	json_object_object_foreach(sets->names, name, is_common)
	{
		if (!json_object_get_boolean(is_common))
			continue;
		add_to_list(&list, style, name, format_set_value(&sets->sets[0], name));
		common++;
	}
	if (common) {
		if (tasks == 1)
			text_add(&title, "The task");
		else
			text_printf(&title, "All %zu tasks", tasks);
		add_heading(out, style, title.data);
	}
	render_list(&list, style, out);
	text_deinit(&title);
}

/* Append A to Z, AA, AB, ... */
static void add_letter(struct text *t, size_t i)
{
	char letter[2] = {(char)('A' + i % 26), 0};

	if (i >= 26)
		add_letter(t, i / 26 - 1);
	text_add(t, letter);
}

/* Append "  A  8 implicit tasks of main._omp_fn.0 (threads 4711-4718)". */
static void show_legend(struct sets *sets, size_t first, size_t n, struct text *out)
{
	for (size_t i = first; i < first + n; i++) {
		for (size_t g = 0; g < sets->sets[i].n_groups; g++) {
			struct group *group = &sets->sets[i].groups[g];
			char *tids = ranges_format(&group->tids, RANGES_WIDTH);
			struct text letter = {0}, noun = {0};

			if (!g)
				add_letter(&letter, i);
			text_printf(&noun, "%s task", group->kind);
			text_printf(out, "  %-2s ", letter.data ? letter.data : "");
			overview_count(out, group->count, noun.data);
			if (*group->place != '-')
				text_printf(out, " of %s", group->place);
			if (*tids)
				text_printf(out, " (%s %s)", group->tids.n == 1 ? "thread" : "threads", tids);
			text_add(out, "\n");
			text_deinit(&letter);
			text_deinit(&noun);
			free(tids);
		}
	}
}

static void show_different_values(struct sets *sets, size_t first, size_t n, const struct style *style,
				  struct text *out)
{
	struct table_column columns[TABLE_MAX_COLUMNS] = {{"VARIABLE", 0, NAME_MAX_WIDTH}};
	struct text titles[SETS_PER_TABLE] = {0};
	struct table table;

	for (size_t i = 0; i < n; i++) {
		add_letter(&titles[i], first + i);
		columns[1 + i] = (struct table_column){titles[i].data, 0, 6};
	}
	table_init(&table, columns, 1 + n);
	json_object_object_foreach(sets->names, name, is_common)
	{
		if (json_object_get_boolean(is_common))
			continue;
		table_add(&table, create_safe_text(style, name), COLOUR_NONE);
		for (size_t i = 0; i < n; i++)
			table_add(&table, format_set_value(&sets->sets[first + i], name), COLOUR_NONE);
	}
	table_render(&table, style, out);
	table_deinit(&table);
	for (size_t i = 0; i < n; i++)
		text_deinit(&titles[i]);
}

void icvs_show(const struct overview *s, const struct style *style, struct text *out)
{
	struct sets sets;

	show_process(s, style, out);
	init_sets(&sets, s, style);
	if (sets.n) {
		find_common_values(&sets);
		show_common_values(&sets, style, out);
	}
	if (sets.n > 1)
		add_heading(out, style, "Where they differ");
	for (size_t first = 0; sets.n > 1 && first < sets.n; first += SETS_PER_TABLE) {
		size_t n = sets.n - first < SETS_PER_TABLE ? sets.n - first : SETS_PER_TABLE;

		if (first)
			text_add(out, "\n");
		show_legend(&sets, first, n, out);
		show_different_values(&sets, first, n, style, out);
	}
	deinit_sets(&sets);
}
