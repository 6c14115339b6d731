/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the nodes of a view, which are in reading order, as an indented tree. */
#include <stdlib.h>

#include <json-c/json.h>

#include "draw.h"
#include "draw_table.h"
#include "rpc/json_read.h"

#define SETS_WIDTH 24
/* Minimum width of a line at any depth: a long line is better than none. */
#define LEAST_LINE 20

struct drawing {
	struct json_object *nodes;
	size_t n;
	/* By node. */
	size_t *depth;
	char *is_last; /* no sibling follows */
	/* By depth: the indentation of the last node there, and whether siblings follow. */
	size_t *level;
	char *is_open;
};

/* Read the depths. A node is at most one deeper than the previous one. */
static void init_drawing(struct drawing *d, struct json_object *nodes)
{
	size_t deepest = 0;

	*d = (struct drawing){.nodes = nodes, .n = json_read_length(nodes)};
	d->depth = text_calloc(d->n + 1, sizeof(*d->depth));
	d->is_last = text_calloc(d->n + 1, 1);
	d->level = text_calloc(d->n + 1, sizeof(*d->level));
	d->is_open = text_calloc(d->n + 1, 1);
	for (size_t i = 0; i < d->n; i++) {
		int64_t depth = json_read_int(json_read_member(json_object_array_get_idx(nodes, i), "depth"), 0);
		size_t most = i ? d->depth[i - 1] + 1 : 0;

		d->depth[i] = depth < 0 ? 0 : (size_t)depth < most ? (size_t)depth : most;
		if (d->depth[i] > deepest)
			deepest = d->depth[i];
	}
	for (size_t i = d->n; i--;) {
		for (; deepest > d->depth[i]; deepest--)
			d->is_open[deepest] = 0;
		deepest = d->depth[i];
		d->is_last[i] = !d->is_open[deepest];
		d->is_open[deepest] = 1;
	}
}

static void deinit_drawing(struct drawing *d)
{
	free(d->depth);
	free(d->is_last);
	free(d->level);
	free(d->is_open);
}

/* Append @s, cut to the rest of the line. Returns the columns that are still left. */
static size_t add_part(struct buf *out, const struct style *style, const char *s, enum colour colour, size_t left)
{
	const char *dots = style->utf8 ? "\342\200\246" : "..";
	struct buf safe = {0}, cut = {0};

	text_add_safe(&safe, s, style->utf8);
	text_add(&safe, "");
	size_t width = text_width(safe.data), room = left > text_width(dots) ? left - text_width(dots) : 0;
	if (!style->width || width <= left) {
		text_add_coloured(out, style, colour, safe.data);
		left -= style->width ? width : 0;
	} else {
		text_add_bytes(&cut, safe.data, text_fit(safe.data, room));
		text_add(&cut, left ? dots : "");
		text_add_coloured(out, style, colour, cut.data);
		left = 0;
	}
	buf_deinit(&safe);
	buf_deinit(&cut);
	return left;
}

/* Append one node's part of a line. Returns the columns that are still left. */
static size_t add_node(struct json_object *node, const struct style *style, size_t left, struct buf *out)
{
	struct json_object *state = json_read_member(node, "state");
	const char *tids = json_read_text(node, "tids"), *text = json_read_text(node, "text");
	size_t width = style->width > 0 ? SETS_WIDTH : 0;
	struct buf head = {0};

	draw_sets(&head, json_read_text(node, "label"), width);
	if (*tids) {
		text_add(&head, " (");
		draw_sets(&head, tids, width);
		text_add(&head, ")");
	}
	left = add_part(out, style, head.data, COLOUR_NONE, left);
	buf_deinit(&head);
	if (*json_read_text(state, "text")) {
		left = add_part(out, style, "  ", COLOUR_NONE, left);
		left = add_part(out, style, json_read_text(state, "text"), draw_colour(state), left);
	}
	if (*text) {
		left = add_part(out, style, state ? "  " : " ", COLOUR_NONE, left);
		left = add_part(out, style, text, COLOUR_NONE, left);
	}
	return left;
}

/* Return whether a node has only a head and one child: both share a line, so that deep nests stay narrow. */
static int is_line_shared(const struct drawing *d, size_t i)
{
	struct json_object *node = json_object_array_get_idx(d->nodes, i);

	return i + 1 < d->n && d->depth[i + 1] == d->depth[i] + 1 && d->is_last[i + 1] &&
	       !json_read_member(node, "state") && !*json_read_text(node, "text");
}

/* Append the lines of the tree before node @i. Returns the width of them. */
static size_t add_indent(struct drawing *d, size_t i, const struct style *style, struct buf *out)
{
	static const char *const box[] = {"\342\224\234\342\224\200 ", "\342\224\224\342\224\200 ", "\342\224\202  ",
					  "   "};
	static const char *const ascii[] = {"|- ", "`- ", "|  ", "   "};
	const char *const *lines = style->utf8 ? box : ascii;
	size_t level = d->level[d->depth[i]];

	for (size_t k = 0; k < level; k++)
		text_add(out, lines[d->is_open[k] ? 2 : 3]);
	text_add(out, lines[d->is_last[i] ? 1 : 0]);
	d->is_open[level] = !d->is_last[i];
	return 3 * (level + 1);
}

void draw_tree(struct json_object *nodes, const struct style *style, struct buf *out)
{
	const char *arrow = style->utf8 ? " \342\206\222 " : " -> ";
	struct drawing d;

	init_drawing(&d, nodes);
	for (size_t i = 0; i < d.n; i++) {
		size_t used = add_indent(&d, i, style, out);
		size_t left = (size_t)style->width > used ? (size_t)style->width - used : 0;

		if (style->width && left < LEAST_LINE)
			left = LEAST_LINE;
		left = add_node(json_object_array_get_idx(nodes, i), style, left, out);
		for (; is_line_shared(&d, i); i++) {
			d.level[d.depth[i + 1]] = d.level[d.depth[i]];
			left = add_part(out, style, arrow, COLOUR_NONE, left);
			left = add_node(json_object_array_get_idx(nodes, i + 1), style, left, out);
		}
		text_add(out, "\n");
		d.level[d.depth[i] + 1] = d.level[d.depth[i]] + 1;
	}
	deinit_drawing(&d);
}
