/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws stacks as gdb does, with the boundaries of regions and tasks. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "draw.h"
#include "draw_table.h"
#include "rpc/json_read.h"

#define SETS_WIDTH 24

/* Append "threads 1-299 (4712-5010), no OpenMP: 299". */
static void add_stack(struct buf *out, const struct style *style, struct json_object *node)
{
	const char *text = json_read_text(node, "text");
	int64_t count = json_read_int(json_read_member(node, "count"), 1);
	size_t width = style->width > 0 ? SETS_WIDTH : 0;
	struct buf line = {0}, safe = {0};

	draw_sets(&line, json_read_text(node, "label"), width);
	text_add(&line, " (");
	draw_sets(&line, json_read_text(node, "tids"), width);
	text_printf(&line, ")%s%s", *text ? ", " : "", text);
	if (count > 1)
		text_printf(&line, ": %" PRId64, count);
	text_add_safe(&safe, line.data, style->utf8);
	text_add(out, "\n");
	text_add_coloured(out, style, COLOUR_BOLD, safe.data);
	text_add(out, "\n");
	buf_deinit(&line);
	buf_deinit(&safe);
}

static void add_line(struct buf *out, const struct style *style, enum colour colour, const char *lead, const char *text)
{
	struct buf line = {0};

	text_add(&line, lead);
	text_add_safe(&line, text, style->utf8);
	text_add_coloured(out, style, colour, line.data);
	text_add(out, "\n");
	buf_deinit(&line);
}

static void add_frame(struct buf *out, const struct style *style, struct json_object *node)
{
	enum colour colour = strcmp(json_read_text(node, "kind"), "frame") ? COLOUR_DIM : COLOUR_NONE;
	struct buf lead = {0};

	text_printf(&lead, "  #%-3" PRId64 " ", json_read_int(json_read_member(node, "number"), 0));
	add_line(out, style, colour, lead.data, json_read_text(node, "text"));
	buf_deinit(&lead);
}

static void add_item(struct buf *out, const struct style *style, struct json_object *node)
{
	const char *kind = json_read_text(node, "kind"), *text = json_read_text(node, "text");

	if (!strcmp(kind, "boundary")) {
		add_line(out, style, COLOUR_CYAN, style->utf8 ? "  ── " : "  -- ", text);
	} else if (!strcmp(kind, "missing")) {
		text_add(out, "  (");
		text_add_safe(out, text, style->utf8);
		text_add(out, ")\n");
	} else {
		add_frame(out, style, node);
	}
}

void draw_stacks(struct json_object *nodes, const struct style *style, int with_threads, struct buf *out)
{
	for (size_t i = 0; i < json_read_length(nodes); i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);

		if (strcmp(json_read_text(node, "kind"), "stack"))
			add_item(out, style, node);
		else if (with_threads)
			add_stack(out, style, node);
	}
}
