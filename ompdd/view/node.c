/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trees of a view: folding, labels, and their flat form as JSON. */
#include "view/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"

struct node *node_create(const char *kind, const char *noun)
{
	struct node *node = calloc(1, sizeof(*node));

	if (node)
		*node = (struct node){.kind = kind, .noun = noun, .count = 1};
	return node;
}

void node_destroy(struct node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->n_children; i++)
		node_destroy(node->children[i]);
	number_set_deinit(&node->nums);
	number_set_deinit(&node->tids);
	buf_deinit(&node->text);
	json_object_put(node->state);
	json_object_put(node->members);
	free(node->children);
	free(node);
}

static int reserve_child(struct node *parent)
{
	size_t cap = parent->cap ? 2 * parent->cap : 4;
	struct node **children;

	if (parent->n_children < parent->cap)
		return 1;
	children = reallocarray(parent->children, cap, sizeof(*children));
	if (!children)
		return 0;
	parent->children = children;
	parent->cap = cap;
	return 1;
}

struct node *node_add(struct node *parent, struct node *child)
{
	if (!child)
		return NULL;
	if (parent->depth + 1 >= NODE_MAX_DEPTH || !reserve_child(parent)) {
		node_destroy(child);
		return NULL;
	}
	child->depth = parent->depth + 1;
	parent->children[parent->n_children++] = child;
	return child;
}

void node_put(struct node *node, const char *key, struct json_object *value)
{
	if (!value)
		return;
	if (!node->members)
		node->members = json_object_new_object();
	json_object_object_add(node->members, key, value);
}

void node_add_handle(struct node *node, struct json_object *handle)
{
	if (!json_read_string(handle))
		return;
	if (!json_read_member(node->members, "handles"))
		node_put(node, "handles", json_object_new_array());
	json_object_array_add(json_read_member(node->members, "handles"), json_object_get(handle));
}

/* Return the same number for the same string. A json-c object serves as the hash table. */
static int intern_key(struct json_object *map, const char *key)
{
	int64_t id = json_read_int(json_read_member(map, key), -1);

	if (id < 0) {
		id = json_object_object_length(map);
		json_object_object_add(map, key, json_object_new_int64(id));
	}
	return (int)id;
}

/* Merge @from into @into. Both have equal own ids, so their children match in pairs. */
static void merge_nodes(struct node *into, struct node *from)
{
	struct json_object *handles = json_read_member(from->members, "handles");

	number_set_add_all(&into->nums, &from->nums);
	number_set_add_all(&into->tids, &from->tids);
	into->count += from->count;
	for (size_t i = 0; i < json_read_length(handles); i++)
		node_add_handle(into, json_object_array_get_idx(handles, i));
	/* States of the same short name may have different OMPD names. */
	if (strcmp(json_read_text(into->state, "name"), json_read_text(from->state, "name")))
		json_object_object_del(into->state, "name");
	for (size_t i = 0; i < into->n_children && i < from->n_children; i++)
		merge_nodes(into->children[i], from->children[i]);
}

/* Number the node by what it shows without its own numbers. A child's numbers are part of its parent's identity:
 * threads 1-3 differ from threads 0,2. */
static void number_node(struct node *node, struct json_object *map)
{
	struct buf key = {0};

	phrase_printf(&key, "%s\x1f%d\x1f%s\x1f%s", node->noun, node->apart, json_read_text(node->state, "text"),
		      phrase_text(&node->text));
	for (size_t i = 0; i < node->n_children; i++) {
		struct node *child = node->children[i];
		struct buf full = {0};

		phrase_printf(&full, "%d\x1f%zu\x1f", child->own_id, child->count);
		number_set_format(&child->nums, &full);
		phrase_printf(&key, "\x1e%d", intern_key(map, phrase_text(&full)));
		buf_deinit(&full);
	}
	node->own_id = intern_key(map, phrase_text(&key));
	buf_deinit(&key);
}

static void fold_children(struct node *node, size_t above, struct json_object *map)
{
	struct json_object *seen = json_object_new_object();
	int is_large = node->n_children > above;
	size_t n = 0;

	for (size_t i = 0; i < node->n_children; i++) {
		struct node *child = node->children[i];
		char id[24];

		fold_children(child, above, map);
		snprintf(id, sizeof(id), "%d", child->own_id);
		int64_t first = json_read_int(json_read_member(seen, id), -1);
		if (first >= 0 && is_large) {
			merge_nodes(node->children[first], child);
			node_destroy(child);
			continue;
		}
		json_object_object_add(seen, id, json_object_new_int64((int64_t)n));
		node->children[n++] = child;
	}
	node->n_children = n;
	json_object_put(seen);
	number_node(node, map);
}

void node_fold(struct node *root, size_t above)
{
	struct json_object *map = json_object_new_object();

	fold_children(root, above, map);
	json_object_put(map);
}

/* Return "thread 0", "threads 1-299", "3 threads", "2 explicit tasks". */
static struct json_object *label_json(struct node *node)
{
	size_t n = number_set_count(&node->nums);
	struct buf label = {0};

	if (n) {
		phrase_printf(&label, "%s%s ", node->noun, n == 1 ? "" : "s");
		number_set_format(&node->nums, &label);
		phrase_add(&label, n < node->count ? " of each" : "");
	} else if (node->count == 1) {
		phrase_add(&label, node->noun);
	} else {
		phrase_printf(&label, "%zu %ss", node->count, node->noun);
	}
	return phrase_take_json(&label);
}

static struct json_object *node_json(struct node *node)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "depth", json_object_new_int64((int64_t)node->depth - 1));
	json_object_object_add(o, "kind", json_object_new_string(node->kind));
	json_object_object_add(o, "label", label_json(node));
	json_object_object_add(o, "count", json_object_new_int64((int64_t)node->count));
	json_object_object_add(o, "threads", number_set_array_json(&node->tids));
	if (number_set_count(&node->nums))
		json_object_object_add(o, "numbers", number_set_text_json(&node->nums));
	if (number_set_count(&node->tids))
		json_object_object_add(o, "tids", number_set_text_json(&node->tids));
	if (node->state)
		json_object_object_add(o, "state", json_object_get(node->state));
	if (node->text.len)
		json_object_object_add(o, "text", json_object_new_string(phrase_text(&node->text)));
	if (node->members) {
		json_object_object_foreach(node->members, key, value)
			json_object_object_add(o, key, json_object_get(value));
	}
	return o;
}

static void add_children(struct node *node, struct json_object *array)
{
	for (size_t i = 0; i < node->n_children; i++) {
		json_object_array_add(array, node_json(node->children[i]));
		add_children(node->children[i], array);
	}
}

struct json_object *node_array_json(struct node *root)
{
	struct json_object *array = json_object_new_array();

	add_children(root, array);
	return array;
}
