/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws views of the service: head and notes. draw_*.c draw the other parts. */
#include "draw.h"

#include <string.h>

#include <json-c/json.h>

#include "draw_table.h"
#include "rpc/json_read.h"

void draw_head(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *lines = json_read_member(view, "lines");
	struct buf program = {0};

	text_add_safe(&program, json_read_text(view, "program"), style->utf8);
	text_add_coloured(out, style, COLOUR_BOLD, program.data);
	text_add(out, " ");
	text_add_safe(out, json_read_text(view, "heading"), style->utf8);
	text_add(out, "\n");
	buf_deinit(&program);
	for (size_t i = 0; i < json_read_length(lines); i++) {
		const char *line = json_read_string(json_object_array_get_idx(lines, i));
		const char *dots = style->utf8 ? "\342\200\246" : "..";
		struct buf t = {0};

		text_add_safe(&t, line ? line : "", style->utf8);
		if (style->width > 2 && text_width(t.data) > (size_t)style->width) {
			t.len = text_fit(t.data, (size_t)style->width - text_width(dots));
			text_add(&t, dots);
		}
		text_add_coloured(out, style, COLOUR_DIM, t.data);
		text_add(out, "\n");
		buf_deinit(&t);
	}
}

void draw_warnings(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *warnings = json_read_member(view, "warnings");

	for (size_t i = 0; i < json_read_length(warnings); i++) {
		struct json_object *warning = json_object_array_get_idx(warnings, i);

		text_add_coloured(out, style, COLOUR_YELLOW, "warning:");
		text_add(out, " ");
		text_add_safe(out, json_read_text(warning, "message"), style->utf8);
		text_add(out, " [");
		text_add_safe(out, json_read_text(warning, "name"), style->utf8);
		text_add(out, "]\n");
	}
}

static void draw_notes(struct json_object *view, const struct style *style, struct buf *out)
{
	struct json_object *notes = json_read_member(view, "notes");

	for (size_t i = 0; i < json_read_length(notes); i++) {
		const char *note = json_read_string(json_object_array_get_idx(notes, i));

		text_add_safe(out, note ? note : "", style->utf8);
		text_add(out, "\n");
	}
}

void draw_view(struct json_object *view, const struct style *style, struct buf *out)
{
	/* Scripts get the rows only. */
	int is_bare = style->no_headers;
	struct json_object *nodes = json_read_member(view, "nodes");
	const char *name = json_read_text(view, "view");

	if (!is_bare)
		draw_head(view, style, out);
	if (!strcmp(name, "why") || !strcmp(name, "slow"))
		draw_why(nodes, style, out);
	else if (!strcmp(name, "stacks"))
		draw_stacks(nodes, style, 1, out);
	else
		draw_tree(nodes, style, out);
	draw_icvs(json_read_member(view, "tables"), style, out);
	draw_table(json_read_member(view, "columns"), json_read_member(view, "rows"), style, out);
	if (!is_bare && !style->columns)
		draw_notes(view, style, out);
	if (!is_bare)
		draw_warnings(view, style, out);
}
