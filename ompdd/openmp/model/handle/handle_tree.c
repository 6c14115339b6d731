/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A treap of handles in the order of the library's compare routines. */
#include "openmp/model/handle/handle_tree.h"

#include "openmp/plugin/ompd.h"

struct error *handle_tree_compare(struct plugin *plugin, enum handle_kind kind, void *a, void *b, int *ret)
{
	int rc = ompd_rc_ok, value = 0;
	const char *routine = "";

	switch (kind) {
	case HANDLE_ASPACE:
		value = (a > b) - (a < b);
		break;
	case HANDLE_THREAD:
		routine = "ompd_thread_handle_compare";
		rc = plugin_call(plugin, thread_handle_compare, a, b, &value);
		break;
	case HANDLE_PARALLEL:
		routine = "ompd_parallel_handle_compare";
		rc = plugin_call(plugin, parallel_handle_compare, a, b, &value);
		break;
	case HANDLE_TASK:
		routine = "ompd_task_handle_compare";
		rc = plugin_call(plugin, task_handle_compare, a, b, &value);
		break;
	}
	if (rc != ompd_rc_ok)
		return ompd_misbehaved(routine, "cannot compare two of its handles");
	*ret = value;
	return NULL;
}

/* Splits @tree at @node: the parts become the left and right subtree of @node. */
static struct error *split_tree(struct plugin *plugin, struct handle *tree, struct handle *node)
{
	struct handle **left = &node->left, **right = &node->right;

	while (tree) {
		int value;
		struct error *err = handle_tree_compare(plugin, node->kind, node->object, tree->object, &value);

		if (err) {
			/* Lose no handle: attach the rest where the tree's shape stays legal. */
			*left = tree;
			*right = NULL;
			return err;
		}
		if (value < 0) {
			*right = tree;
			right = &tree->left;
			tree = tree->left;
		} else {
			*left = tree;
			left = &tree->right;
			tree = tree->right;
		}
	}
	*left = *right = NULL;
	return NULL;
}

struct error *handle_tree_insert(struct plugin *plugin, struct handle **root, struct handle *node)
{
	struct handle **at = root;

	while (*at && (*at)->priority >= node->priority) {
		int value;
		struct error *err = handle_tree_compare(plugin, node->kind, node->object, (*at)->object, &value);

		if (err)
			return err;
		at = value < 0 ? &(*at)->left : &(*at)->right;
	}
	struct handle *below = *at;

	*at = node;
	return split_tree(plugin, below, node);
}

struct error *handle_tree_find(struct plugin *plugin, struct handle *root, enum handle_kind kind, void *object,
			       struct handle **ret)
{
	struct handle *at = root;

	while (at) {
		int value;
		struct error *err = handle_tree_compare(plugin, kind, object, at->object, &value);

		if (err)
			return err;
		if (value == 0)
			break;
		at = value < 0 ? at->left : at->right;
	}
	*ret = at;
	return NULL;
}

static struct handle *merge_trees(struct handle *a, struct handle *b)
{
	struct handle *root = NULL, **at = &root;

	while (a && b) {
		if (a->priority >= b->priority) {
			*at = a;
			at = &a->right;
			a = a->right;
		} else {
			*at = b;
			at = &b->left;
			b = b->left;
		}
	}
	*at = a ? a : b;
	return root;
}

/* Returns the link to @node by the library's order, or NULL when that order leads elsewhere. */
static struct handle **find_link(struct plugin *plugin, struct handle **at, struct handle *node)
{
	while (*at && *at != node) {
		int value = 0;
		struct error *err = handle_tree_compare(plugin, node->kind, node->object, (*at)->object, &value);

		if (err || value == 0) {
			error_destroy(err);
			return NULL;
		}
		at = value < 0 ? &(*at)->left : &(*at)->right;
	}
	return *at ? at : NULL;
}

/* Searches by identity, for a library whose order is inconsistent. */
static struct handle **search_tree(struct handle **at, struct handle *node)
{
	if (!*at || *at == node)
		return *at ? at : NULL;
	struct handle **found = search_tree(&(*at)->left, node);

	return found ? found : search_tree(&(*at)->right, node);
}

void handle_tree_remove(struct plugin *plugin, struct handle **root, struct handle *node)
{
	struct handle **at = plugin ? find_link(plugin, root, node) : NULL;

	if (!at)
		at = search_tree(root, node);
	if (at)
		*at = merge_trees(node->left, node->right);
}
