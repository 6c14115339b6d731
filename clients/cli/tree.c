/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folding and drawing of trees, independent of OpenMP. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"

#define NUMS_WIDTH 24
#define TIDS_WIDTH 24
/* Minimum width of a line at any depth: a long line is better than none. */
#define LEAST_LINE 20

struct tree_node *tree_node_create(const char *noun)
{
	struct tree_node *node = text_calloc(1, sizeof(*node));

	node->noun = noun;
	node->count = 1;
	return node;
}

void tree_node_destroy(struct tree_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->n_children; i++)
		tree_node_destroy(node->children[i]);
	ranges_deinit(&node->nums);
	ranges_deinit(&node->tids);
	free(node->state);
	free(node->text);
	free(node->children);
	free(node);
}

int tree_node_add(struct tree_node *parent, struct tree_node *child)
{
	if (parent->depth + 1 >= TREE_MAX_DEPTH) {
		tree_node_destroy(child);
		return 0;
	}
	if (parent->n_children == parent->cap) {
		parent->cap = parent->cap ? 2 * parent->cap : 4;
		parent->children = text_realloc(parent->children, parent->cap, sizeof(*parent->children));
	}
	child->depth = parent->depth + 1;
	parent->children[parent->n_children++] = child;
	return 1;
}

/* Return the same number for the same string. A json-c object serves as the hash table. */
static long intern_key(struct json_object *map, const char *key)
{
	int64_t id = format_int(format_member(map, key), -1);

	if (id < 0) {
		id = json_object_object_length(map);
		json_object_object_add(map, key, json_object_new_int64(id));
	}
	return (long)id;
}

/* Merge @from into @into. Both have equal own ids, so their children match in pairs. */
static void merge_nodes(struct tree_node *into, struct tree_node *from)
{
	ranges_add_all(&into->nums, &from->nums);
	ranges_add_all(&into->tids, &from->tids);
	into->count += from->count;
	for (size_t i = 0; i < into->n_children && i < from->n_children; i++)
		merge_nodes(into->children[i], from->children[i]);
}

static void fold_children(struct tree_node *node, struct json_object *map)
{
	struct json_object *seen = json_object_new_object();
	struct text key = {0};
	size_t n = 0;

	for (size_t i = 0; i < node->n_children; i++) {
		struct tree_node *child = node->children[i];
		char id[24];

		fold_children(child, map);
		snprintf(id, sizeof(id), "%ld", child->own_id);
		int64_t first = format_int(format_member(seen, id), -1);
		if (first >= 0) {
			merge_nodes(node->children[first], child);
			tree_node_destroy(child);
			continue;
		}
		json_object_object_add(seen, id, json_object_new_int64((int64_t)n));
		node->children[n++] = child;
	}
	node->n_children = n;
	json_object_put(seen);

	text_printf(&key, "%s\x1f%d\x1f%s\x1f%s", node->noun, node->apart, node->state ? node->state : "",
		    node->text ? node->text : "");
	for (size_t i = 0; i < n; i++) {
		/* A child's numbers are part of its parent's identity: threads 1-3 differ from threads 0,2. */
		char *nums = ranges_format(&node->children[i]->nums, 0);
		struct text full = {0};

		text_printf(&full, "%ld\x1f%zu\x1f%s", node->children[i]->own_id, node->children[i]->count, nums);
		text_printf(&key, "\x1e%ld", intern_key(map, full.data));
		text_deinit(&full);
		free(nums);
	}
	node->own_id = intern_key(map, key.data);
	text_deinit(&key);
}

void tree_fold(struct tree_node *root)
{
	struct json_object *map = json_object_new_object();

	fold_children(root, map);
	json_object_put(map);
}

/* Return "thread 0 (4711)", "threads 1-299 (4712-5010)", "3 threads (4715-4717)", "2 explicit tasks". */
static char *create_head(struct tree_node *node, const struct style *style)
{
	struct text t = {0};
	char *nums = ranges_format(&node->nums, style->width > 0 ? NUMS_WIDTH : 0);
	char *tids = ranges_format(&node->tids, style->width > 0 ? TIDS_WIDTH : 0);
	const char *plural = node->nums.n == 1 ? "" : "s";

	if (*nums)
		text_printf(&t, "%s%s %s", node->noun, plural, nums);
	else if (node->count == 1)
		text_add(&t, node->noun);
	else
		text_printf(&t, "%zu %ss", node->count, node->noun);
	if (*nums && node->nums.n < node->count)
		text_add(&t, " of each");
	if (*tids)
		text_printf(&t, " (%s)", tids);
	free(nums);
	free(tids);
	return text_take(&t);
}

/* Append @s, cut to the rest of the line. Returns the columns that are still left. */
static size_t add_part(struct text *out, const struct style *style, const char *s, enum colour colour, size_t left)
{
	const char *dots = style->utf8 ? "\342\200\246" : "..";
	size_t width = text_width(s);

	if (!style->width || width <= left) {
		text_add_coloured(out, style, colour, s);
		return left - (style->width ? width : 0);
	}
	size_t room = left > text_width(dots) ? left - text_width(dots) : 0;
	struct text cut = {0};
	text_add_bytes(&cut, s, text_fit(s, room));
	if (left)
		text_add(&cut, dots);
	text_add_coloured(out, style, colour, cut.data);
	text_deinit(&cut);
	return 0;
}

/* Append one node's part of a line. Returns the columns that are still left. */
static size_t add_node(struct tree_node *node, const struct style *style, size_t left, struct text *out)
{
	char *line = create_head(node, style);

	left = add_part(out, style, line, COLOUR_NONE, left);
	free(line);
	if (node->state && *node->state) {
		left = add_part(out, style, "  ", COLOUR_NONE, left);
		left = add_part(out, style, node->state, node->colour, left);
	}
	if (node->text && *node->text) {
		left = add_part(out, style, node->state ? "  " : " ", COLOUR_NONE, left);
		left = add_part(out, style, node->text, COLOUR_NONE, left);
	}
	return left;
}

/* Return whether a node has only a head and one child: both share a line, so that deep nests stay narrow. */
static int is_line_shared(const struct tree_node *node)
{
	return node->n_children == 1 && !node->state && !node->text;
}

/* Draw the line of @node and of the nodes that share it. Returns the last of them, whose children come next. */
static const struct tree_node *draw_line(struct tree_node *node, const struct style *style, const char *prefix,
					 struct text *out)
{
	const char *arrow = style->utf8 ? " \342\206\222 " : " -> ";
	size_t used = text_width(prefix);
	size_t left = (size_t)style->width > used ? (size_t)style->width - used : 0;

	if (style->width && left < LEAST_LINE)
		left = LEAST_LINE;
	text_add(out, prefix);
	left = add_node(node, style, left, out);
	while (is_line_shared(node)) {
		node = node->children[0];
		left = add_part(out, style, arrow, COLOUR_NONE, left);
		left = add_node(node, style, left, out);
	}
	text_add(out, "\n");
	return node;
}

static void draw_children(const struct tree_node *node, const struct style *style, struct text *prefix,
			  struct text *out)
{
	static const char *const box[] = {"\342\224\234\342\224\200 ", "\342\224\224\342\224\200 ", "\342\224\202  ",
					  "   "};
	static const char *const ascii[] = {"|- ", "`- ", "|  ", "   "};
	const char *const *lines = style->utf8 ? box : ascii;

	for (size_t i = 0; i < node->n_children; i++) {
		int last = i + 1 == node->n_children;
		size_t len = prefix->len;

		text_add(prefix, lines[last]);
		const struct tree_node *end = draw_line(node->children[i], style, prefix->data, out);
		prefix->len = len;
		text_add(prefix, lines[2 + last]);
		draw_children(end, style, prefix, out);
		prefix->len = len;
		prefix->data[len] = 0;
	}
}

void tree_draw(const struct tree_node *root, const struct style *style, struct text *out)
{
	struct text prefix = {0};

	text_add(&prefix, "");
	draw_children(root, style, &prefix, out);
	text_deinit(&prefix);
}
