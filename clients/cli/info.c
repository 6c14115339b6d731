/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable output of `ompdctl info`, `targets`, `attach` and `detach`. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "table.h"

#define LABEL_WIDTH 23
#define MAX_DEPTH   8

/* Return the label of @key: "max_stop_ms" becomes "max stop", and its unit follows the value. */
static char *create_label(const char *key, const char **unit_ret, const struct style *style)
{
	struct buf t = {0};
	size_t len = strlen(key);

	*unit_ret = "";
	if (len > 3 && !strcmp(key + len - 3, "_ms")) {
		*unit_ret = " ms";
		len -= 3;
	}
	text_add_safe(&t, key, style->utf8);
	if (!t.len)
		return text_take(&t);
	if (t.len > len && **unit_ret) {
		t.len = len;
		t.data[len] = 0;
	}
	if (!strncmp(t.data, "n_", 2))
		memmove(t.data, t.data + 2, strlen(t.data + 2) + 1);
	for (char *p = t.data; *p; p++) {
		if (*p == '_')
			*p = ' ';
	}
	return text_take(&t);
}

static void add_line(struct buf *out, const struct style *style, const char *name, struct json_object *value,
		     const char *unit)
{
	size_t width = text_width(name);

	text_add_coloured(out, style, COLOUR_BOLD, name);
	text_add_repeated(out, " ", width < LABEL_WIDTH ? LABEL_WIDTH - width : 2);
	format_value(out, style, value);
	text_add(out, json_read_reason(value) ? "" : unit);
	text_add(out, "\n");
}

static void add_message(struct buf *out, const struct style *style, const char *lead, struct json_object *words)
{
	if (!json_read_string(words))
		return;
	text_add_repeated(out, " ", LABEL_WIDTH);
	text_add(out, lead);
	format_value(out, style, words);
	text_add(out, "\n");
}

/*
 * Append why a value is missing, and what to do. @last is the message of the previous value: the same message is not
 * repeated, as when both runtime and plugin are missing for one reason.
 */
static void add_reason(struct buf *out, const struct style *style, struct json_object *value, const char **last)
{
	const char *message = json_read_string(json_read_member(value, "message"));

	if (!json_read_reason(value))
		return;
	if (!*last || !message || strcmp(*last, message)) {
		add_message(out, style, "", json_read_member(value, "message"));
		add_message(out, style, "hint: ", json_read_member(value, "hint"));
	}
	*last = message;
}

/* Append the runtimes, if there are several. */
static void show_runtimes(struct json_object *array, const struct style *style, struct buf *out)
{
	size_t n = json_object_array_length(array);

	for (size_t i = 0; i < n && n > 1; i++) {
		struct json_object *runtime = json_object_array_get_idx(array, i);
		struct buf name = {0};

		text_printf(&name, "runtime %zu", i);
		add_line(out, style, name.data, json_read_member(runtime, "kind"), "");
		buf_deinit(&name);
		add_message(out, style, "", json_read_member(runtime, "path"));
	}
}

static void show_object(struct json_object *object, const char *prefix, const struct style *style, struct buf *out,
			int depth)
{
	const char *reason = NULL;

	json_object_object_foreach(object, key, value)
	{
		const char *unit;
		char *own = create_label(key, &unit, style);
		struct buf name = {0};

		text_printf(&name, "%s%s%s", prefix, *prefix ? " " : "", own);
		/* A single runtime is shown as "runtime" and "plugin" instead of a list. */
		if (!strcmp(key, "runtimes") && json_object_is_type(value, json_type_array)) {
			show_runtimes(value, style, out);
		} else if (json_object_is_type(value, json_type_object) && !json_read_reason(value) &&
			   depth < MAX_DEPTH) {
			show_object(value, name.data, style, out, depth + 1);
		} else {
			add_line(out, style, name.data, value, unit);
			add_reason(out, style, value, &reason);
		}
		buf_deinit(&name);
		free(own);
	}
}

void info_show(struct json_object *result, const struct style *style, struct buf *out)
{
	if (json_object_is_type(result, json_type_object))
		show_object(result, "", style, out, 0);
}

static char *create_program_name(const struct style *style, struct json_object *target)
{
	const char *exe = json_read_string(json_read_member(target, json_read_member(target, "core") ? "core" : "exe"));
	struct buf t = {0};

	text_add_safe(&t, exe ? path_file_name(exe) : "-", style->utf8);
	return text_take(&t);
}

/* Compare by number: "t10" comes after "t9". */
static int compare_targets(const void *a, const void *b)
{
	const char *x = json_read_string(json_read_member(*(struct json_object *const *)a, "target"));
	const char *y = json_read_string(json_read_member(*(struct json_object *const *)b, "target"));
	size_t lx = x ? strlen(x) : 0, ly = y ? strlen(y) : 0;

	if (lx != ly)
		return lx < ly ? -1 : 1;
	return lx ? strcmp(x, y) : 0;
}

void targets_show(struct json_object *result, const struct style *style, struct buf *out)
{
	static const struct table_column columns[] = {
		{"TARGET", 0, 0}, {"PID", TABLE_RIGHT, 0},	    {"MODE", 0, 0}, {"MAX STOP", TABLE_RIGHT, 0},
		{"STATE", 0, 0},  {"PROGRAM", TABLE_DROP_EMPTY, 8},
	};
	struct json_object *targets = json_read_member(result, "targets");
	size_t n = json_object_is_type(targets, json_type_array) ? json_object_array_length(targets) : 0;
	struct table table;

	if (!n) {
		text_add(out, "no targets; ompdctl attach -p PID creates one\n");
		return;
	}
	json_object_array_sort(targets, compare_targets);
	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < n; i++) {
		struct json_object *target = json_object_array_get_idx(targets, i);
		struct buf stop = {0};

		table_add(&table, format_value_string(style, json_read_member(target, "target")), COLOUR_NONE);
		table_add(&table, format_value_string(style, json_read_member(target, "pid")), COLOUR_NONE);
		table_add(&table, format_value_string(style, json_read_member(target, "mode")), COLOUR_NONE);
		format_value(&stop, style, json_read_member(target, "max_stop_ms"));
		if (json_read_member(target, "max_stop_ms"))
			text_add(&stop, " ms");
		table_add(&table, text_take(&stop), COLOUR_NONE);
		table_add(&table, format_value_string(style, json_read_member(target, "state")), COLOUR_NONE);
		table_add(&table, create_program_name(style, target), COLOUR_NONE);
	}
	table_render(&table, style, out);
	table_deinit(&table);
}

void attached_show(struct json_object *result, const struct style *style, struct buf *out)
{
	struct json_object *runtime = json_read_member(result, "runtime");

	format_value(out, style, json_read_member(result, "target"));
	text_add(out, ": attached to ");
	if (json_read_member(result, "core"))
		text_add(out, "the core of ");
	format_value(out, style, json_read_member(result, "pid"));
	if (json_read_member(result, "exe")) {
		text_add(out, ", ");
		format_value(out, style, json_read_member(result, "exe"));
	}
	if (json_read_member(runtime, "kind")) {
		text_add(out, ", ");
		format_value(out, style, json_read_member(runtime, "kind"));
		if (json_read_string(json_read_member(runtime, "version"))) {
			text_add(out, " ");
			format_value(out, style, json_read_member(runtime, "version"));
		}
	} else if (json_read_string(json_read_member(runtime, "message"))) {
		text_add(out, ", but no OpenMP state: ");
		format_value(out, style, json_read_member(runtime, "message"));
	}
	text_add(out, ", mode ");
	format_value(out, style, json_read_member(result, "mode"));
	text_add(out, "\n");
}

void detached_show(struct json_object *result, const struct style *style, struct buf *out)
{
	format_value(out, style, json_read_member(result, "target"));
	text_add(out, ": detached from ");
	format_value(out, style, json_read_member(result, "pid"));
	text_add(out, "\n");
}

/* Append how a process ended, if known: ", exited with status 3". */
static void add_exit(struct buf *t, const struct style *style, struct json_object *how)
{
	if (json_read_member(how, "status")) {
		text_add(t, " with status ");
		format_value(t, style, json_read_member(how, "status"));
	} else if (json_read_member(how, "signal")) {
		text_add(t, " by ");
		format_value(t, style,
			     json_read_member(how, "signal_name") ? json_read_member(how, "signal_name")
								  : json_read_member(how, "signal"));
	}
}

void launched_show(struct json_object *result, const struct style *style, struct buf *out)
{
	const char *state = json_read_string(json_read_member(result, "state"));

	format_value(out, style, json_read_member(result, "target"));
	text_add(out, ": launched ");
	format_value(out, style, json_read_member(result, "pid"));
	text_add(out, ", ");
	format_value(out, style, json_read_member(result, "exe"));
	if (state && !strcmp(state, "exited")) {
		text_add(out, ", which has ended");
		add_exit(out, style, json_read_member(result, "exit"));
	}
	text_add(out, "\n");
}

void killed_show(struct json_object *result, const struct style *style, struct buf *out)
{
	format_value(out, style, json_read_member(result, "target"));
	text_add(out, ": killed ");
	format_value(out, style, json_read_member(result, "pid"));
	text_add(out, "\n");
}

static int is_type(struct json_object *event, const char *type)
{
	const char *is = json_read_string(json_read_member(event, "type"));

	return is && !strcmp(is, type);
}

static void add_member(struct buf *t, const struct style *style, const char *before, struct json_object *value)
{
	if (!value)
		return;
	text_add(t, before);
	format_value(t, style, value);
}

void event_show(struct json_object *event, const struct style *style, struct buf *out)
{
	if (is_type(event, "lost")) {
		text_add(out, "lost: events that were not read in time, numbers ");
		format_value(out, style, json_read_member(event, "from"));
		add_member(out, style, " to ", json_read_member(event, "to"));
		text_add(out, "\n");
		return;
	}
	format_value(out, style, json_read_member(event, "target"));
	add_member(out, style, " #", json_read_member(event, "seq"));
	add_member(out, style, " ", json_read_member(event, "type"));
	add_exit(out, style, json_read_member(event, "exit"));
	add_member(out, style, " ", json_read_member(event, "breakpoint"));
	add_member(out, style, ", ", json_read_member(event, "event"));
	add_member(out, style, ", pid ", json_read_member(event, "pid"));
	add_member(out, style, ", thread ", json_read_member(event, "tid"));
	add_member(out, style, ", child ", json_read_member(event, "child"));
	add_member(out, style, ", at ", json_read_member(event, "address"));
	add_member(out, style, ", mode ", json_read_member(event, "mode"));
	add_member(out, style, ", epoch ", json_read_member(event, "epoch"));
	add_member(out, style, ": ", json_read_member(event, "message"));
	text_add(out, "\n");
}
