/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl bt`: prints stacks as gdb does, equal ones once, and logical stacks with the boundaries of regions and
 * tasks. */
#include "stacks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "ranges.h"
#include "overview.h"

/* Width of the numbers and of the thread ids of a stack, on a terminal. */
#define RANGES_WIDTH 24

static size_t get_length(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static const char *get_kind(struct json_object *item)
{
	const char *kind = format_string(format_member(item, "kind"));

	return kind ? kind : "";
}

static void add_place(struct text *t, const struct style *style, struct json_object *frame)
{
	struct json_object *location = format_member(frame, "location");
	const char *file = format_string(format_member(location, "file"));
	const char *module = format_string(format_member(frame, "module"));

	if (file) {
		text_add(t, " at ");
		text_add_safe(t, file, style->utf8);
		text_printf(t, ":%" PRId64, format_int(format_member(location, "line"), 0));
	} else if (module) {
		text_add(t, " from ");
		text_add_safe(t, module, style->utf8);
	}
}

static void add_frame(struct text *t, const struct style *style, struct json_object *frame, size_t number)
{
	const char *function = format_string(format_member(frame, "function"));
	const char *pc = format_string(format_member(frame, "pc"));
	struct text line = {0};
	char *safe;

	text_printf(&line, "  #%-3zu ", number);
	if (!function || style->verbose) {
		text_add_safe(&line, pc ? pc : "?", style->utf8);
		text_add(&line, " in ");
	}
	text_add_safe(&line, function ? function : "??", style->utf8);
	/* Names of C++ functions already have their parameters. */
	if (!function || !strchr(function, '('))
		text_add(&line, "()");
	add_place(&line, style, frame);
	if (format_is_true(format_member(frame, "inlined")))
		text_add(&line, " (inlined)");
	safe = text_take(&line);
	text_add_coloured(t, style, strcmp(get_kind(frame), "user") ? COLOUR_DIM : COLOUR_NONE, safe);
	text_add(t, "\n");
	free(safe);
}

/* Append ", encountered by thread 4711" if the following frames are on another thread's stack. */
static void add_thread(struct text *t, struct json_object *item, const char *verb, int64_t *thread)
{
	int64_t next = format_int(format_member(item, "thread"), 0);

	if (next && next != *thread)
		text_printf(t, ", %s by thread %" PRId64, verb, next);
	if (next)
		*thread = next;
}

static void add_boundary(struct text *t, const struct style *style, struct json_object *item, int64_t *thread)
{
	const char *kind = get_kind(item);
	struct text line = {0};
	char *text;

	text_add(&line, style->utf8 ? "  ── " : "  -- ");
	if (!strcmp(kind, "parallel")) {
		int64_t number = format_int(format_member(item, "thread_num"), -1);
		int64_t size = format_int(format_member(item, "team_size"), -1);

		int initial = format_int(format_member(item, "level"), -1) == 0;

		text_add(&line, initial ? "initial region level " : "parallel region level ");
		format_value(&line, style, format_member(item, "level"));
		if (number >= 0)
			text_printf(&line, ", thread %" PRId64, number);
		if (size >= 0)
			text_printf(&line, number >= 0 ? " of %" PRId64 : ", team of %" PRId64, size);
	} else if (!strcmp(kind, "task")) {
		text_add(&line, "explicit task ");
		format_value(&line, style, format_member(item, "function"));
	} else {
		const char *entry = format_string(format_member(item, "entry"));
		const char *construct = format_string(format_member(item, "construct"));

		text_add(&line, "in ");
		text_add_safe(&line, entry ? entry : "the OpenMP runtime", style->utf8);
		if (construct && strcmp(construct, "api")) {
			text_add(&line, " (");
			text_add_safe(&line, construct, style->utf8);
			text_add(&line, ")");
		}
	}
	add_thread(&line, item, strcmp(kind, "task") ? "met" : "generated", thread);
	text = text_take(&line);
	text_add_coloured(t, style, COLOUR_CYAN, text);
	text_add(t, "\n");
	free(text);
}

static void add_items(struct text *t, const struct style *style, struct json_object *result, int64_t thread)
{
	struct json_object *items = format_member(result, "frames");
	struct json_object *complete = format_member(result, "complete");
	size_t number = 0;

	for (size_t i = 0; i < get_length(items); i++) {
		struct json_object *item = json_object_array_get_idx(items, i);

		/* Frames below main(): gdb hides these, too. */
		if (!strcmp(get_kind(item), "start") && !style->verbose)
			continue;
		if (format_member(item, "pc"))
			add_frame(t, style, item, number++);
		else
			add_boundary(t, style, item, &thread);
	}
	if (format_is_true(complete))
		return;
	text_add(t, number ? "  (further frames are missing: " : "  (no frames: ");
	if (format_member(complete, "message"))
		format_value(t, style, format_member(complete, "message"));
	else
		format_value(t, style, complete);
	text_add(t, ")\n");
}

/* Return whether the process certainly has no OpenMP state. Other reasons leave that open. */
static bool is_without_openmp(struct json_object *openmp)
{
	const char *name = format_string(format_member(openmp, "name"));

	return !format_reason(openmp) ||
	       (name && (!strcmp(name, "no_openmp_runtime") || !strcmp(name, "openmp_not_started")));
}

/* Append "threads 1-299 (4712-5010)". */
static void add_label(struct text *t, const struct style *style, struct json_object **threads, size_t n)
{
	struct ranges nums = {0}, tids = {0};
	struct text line = {0};
	size_t openmp = 0, without = 0;
	char *text;

	for (size_t i = 0; i < n; i++) {
		int64_t num = format_int(format_member(threads[i], "thread_num"), -1);

		ranges_add(&tids, format_int(format_member(threads[i], "tid"), 0));
		openmp += format_is_true(format_member(threads[i], "openmp")) != 0;
		without += is_without_openmp(format_member(threads[i], "openmp"));
		if (num >= 0)
			ranges_add(&nums, num);
	}
	text_add(&line, n == 1 ? "thread" : "threads");
	text = ranges_format(&nums, style->width > 0 ? RANGES_WIDTH : 0);
	if (*text)
		text_printf(&line, " %s", text);
	free(text);
	text = ranges_format(&tids, style->width > 0 ? RANGES_WIDTH : 0);
	text_printf(&line, " (%s)", text);
	free(text);
	if (openmp < n)
		text_add(&line, openmp ? ", some without OpenMP" : without ? ", no OpenMP" : ", OpenMP not known");
	if (n > 1)
		text_printf(&line, ": %zu", n);
	ranges_deinit(&nums);
	ranges_deinit(&tids);
	text = text_take(&line);
	text_add_coloured(t, style, COLOUR_BOLD, text);
	text_add(t, "\n");
	free(text);
}

static void add_group(struct text *t, const struct style *style, struct json_object *group)
{
	struct json_object *array = format_member(group, "threads");
	size_t n = get_length(array), step = style->all ? 1 : n;
	struct json_object **threads = text_calloc(n ? n : 1, sizeof(struct json_object *));

	for (size_t i = 0; i < n; i++)
		threads[i] = json_object_array_get_idx(array, i);
	for (size_t i = 0; i < n; i += step) {
		text_add(t, "\n");
		add_label(t, style, threads + i, step);
		add_items(t, style, group, step == 1 ? format_int(format_member(threads[i], "tid"), 0) : 0);
	}
	free(threads);
}

void stacks_show(struct json_object *result, struct json_object *info, const struct style *style, struct text *out)
{
	struct json_object *groups = format_member(result, "groups");
	struct json_object *thread = format_member(result, "thread");
	struct overview s = {.json = result, .info = info};
	char *program = overview_program(&s, style);
	size_t n = thread != NULL;

	for (size_t i = 0; i < get_length(groups); i++)
		n += get_length(format_member(json_object_array_get_idx(groups, i), "threads"));
	text_add_coloured(out, style, COLOUR_BOLD, program);
	free(program);
	text_printf(out, " (pid %" PRId64 "), ", format_int(format_member(result, "pid"), 0));
	overview_count(out, n, "thread");
	overview_view(&s, style, out);
	text_add(out, "\n");
	for (size_t i = 0; i < get_length(groups); i++)
		add_group(out, style, json_object_array_get_idx(groups, i));
	if (thread) {
		text_add(out, "\n");
		add_label(out, style, &thread, 1);
		add_items(out, style, result, format_int(format_member(thread, "tid"), 0));
	}
	overview_foot(&s, style, out);
}

void stacks_show_frames(struct json_object *result, const struct style *style, struct text *out)
{
	add_items(out, style, result, format_int(format_member(format_member(result, "thread"), "tid"), 0));
}
