/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of OpenMP processes. */
#include "ps.h"

#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "foot.h"
#include "format.h"
#include "table.h"

static const struct table_column columns[] = {
	{"PID", TABLE_RIGHT, 0},
	{"USER", 0, 4},
	{"PROGRAM", 0, 8},
	{"RUNTIME", 0, 7},
	{"THREADS", TABLE_RIGHT, 0},
	{"REGION", 0, 0},
	{"RANK", TABLE_DROP_EMPTY | TABLE_RIGHT, 0},
	{"JOB", TABLE_DROP_EMPTY, 4},
	{"NODE", TABLE_DROP_EMPTY, 4},
};
#define N_COLUMNS (sizeof(columns) / sizeof(*columns))

struct error *ps_check_columns(const char *names)
{
	return table_check_columns("ps", columns, N_COLUMNS, names);
}

static char *format_user(const struct style *style, struct json_object *process)
{
	struct json_object *user = json_read_member(process, "user");

	return format_value_string(style, user ? user : json_read_member(process, "uid"));
}

/* Return the program without its folder; for a verbose user with it. */
static char *format_program(const struct style *style, struct json_object *process)
{
	const char *path = json_read_string(json_read_member(process, "program"));
	const char *name = json_read_string(json_read_member(process, "name"));
	struct buf t = {0};

	if (path && *path)
		name = style->verbose ? path : path_file_name(path);
	text_add_safe(&t, name ? name : "-", style->utf8);
	return text_take(&t);
}

static const char *get_kind(struct json_object *runtimes, size_t i)
{
	const char *kind = json_read_string(json_read_member(json_object_array_get_idx(runtimes, i), "kind"));

	return kind ? kind : "?";
}

/* Return the kinds of the runtimes: "A", "A+B", "A*2" for two of one kind. */
static char *format_runtimes(const struct style *style, struct json_object *process)
{
	struct json_object *runtimes = json_read_member(process, "runtimes");
	size_t n = json_object_is_type(runtimes, json_type_array) ? json_object_array_length(runtimes) : 0;
	struct buf t = {0};

	for (size_t i = 0; i < n; i++) {
		size_t same = 0, earlier = 0;

		for (size_t k = 0; k < n; k++) {
			int is_same = !strcmp(get_kind(runtimes, i), get_kind(runtimes, k));

			same += is_same;
			earlier += is_same && k < i;
		}
		if (earlier)
			continue;
		text_add(&t, i ? "+" : "");
		text_add_safe(&t, get_kind(runtimes, i), style->utf8);
		if (same > 1)
			text_printf(&t, "*%zu", same);
	}
	return text_take(&t);
}

/* Return "3/16". */
static char *format_rank(struct json_object *process)
{
	struct json_object *rank = json_read_member(process, "rank");
	int64_t number = json_read_int(json_read_member(rank, "number"), -1);
	int64_t size = json_read_int(json_read_member(rank, "size"), -1);
	struct buf t = {0};

	if (number >= 0)
		text_printf(&t, "%lld", (long long)number);
	if (number >= 0 && size > 0)
		text_printf(&t, "/%lld", (long long)size);
	return text_take(&t);
}

/* Return job and step: "1234.0". */
static char *format_job(const struct style *style, struct json_object *process)
{
	struct json_object *slurm = json_read_member(process, "slurm");
	const char *job = json_read_string(json_read_member(slurm ? slurm : json_read_member(process, "flux"), "job"));
	const char *step = json_read_string(json_read_member(slurm, "step"));
	struct buf t = {0};

	text_add_safe(&t, job ? job : "", style->utf8);
	if (job && step) {
		text_add(&t, ".");
		text_add_safe(&t, step, style->utf8);
	}
	return text_take(&t);
}

static char *format_node(const struct style *style, struct json_object *process)
{
	const char *node = json_read_string(json_read_member(json_read_member(process, "slurm"), "node"));
	struct buf t = {0};

	text_add_safe(&t, node ? node : "", style->utf8);
	return text_take(&t);
}

static void show_empty_list(struct json_object *result, const struct style *style, struct buf *out)
{
	int64_t hidden = json_read_int(json_read_member(result, "n_hidden"), 0);

	if (style->no_headers)
		return;
	text_add(out, "no such OpenMP process among the processes that you may examine");
	if (hidden > 0)
		text_printf(out, "; the kernel hides %lld from you", (long long)hidden);
	text_add(out, "\n");
}

void ps_show(struct json_object *result, const struct style *style, struct buf *out)
{
	struct json_object *processes = json_read_member(result, "processes");
	size_t n = json_object_is_type(processes, json_type_array) ? json_object_array_length(processes) : 0;
	struct foot foot = {0};
	struct table table;

	if (!n) {
		show_empty_list(result, style, out);
		return;
	}
	table_init(&table, columns, N_COLUMNS);
	for (size_t i = 0; i < n; i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);
		struct json_object *in_region = json_read_member(process, "in_region");
		int is_in = json_read_bool(in_region);

		table_add(&table, format_value_string(style, json_read_member(process, "pid")), COLOUR_NONE);
		table_add(&table, format_user(style, process), COLOUR_NONE);
		table_add(&table, format_program(style, process), COLOUR_NONE);
		table_add(&table, format_runtimes(style, process), COLOUR_NONE);
		table_add(&table, format_value_string(style, json_read_member(process, "n_threads")), COLOUR_NONE);
		table_add(&table,
			  text_strdup(json_object_is_type(in_region, json_type_boolean) ? is_in ? "yes" : "no" : "-"),
			  is_in ? COLOUR_GREEN : COLOUR_NONE);
		table_add(&table, format_rank(process), COLOUR_NONE);
		table_add(&table, format_job(style, process), COLOUR_NONE);
		table_add(&table, format_node(style, process), COLOUR_NONE);
		foot_note(&foot, "REGION", in_region);
	}
	table_render(&table, style, out);
	table_deinit(&table);
	if (!style->no_headers)
		foot_show(&foot, style, out);
	if (!style->no_headers && json_read_bool(json_read_member(result, "truncated")))
		text_add(out, "the list is not complete; filter by user, program or job\n");
}
