/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Walks a std::set or std::map of libomptarget in its order. Each node must name its parent, so two places of the tree
 * share a node only if both are parts of one parent.
 */
#include <stddef.h>
#include <string.h>

#include "openmp/devices/devices_omptarget.h"
#include "target/target.h"

/* A red-black tree of 2^32 nodes has no longer path. */
#define MAX_DEPTH 64

/* struct _Rb_tree_node_base */
struct links {
	uint64_t colour, parent, left, right;
};

struct walk {
	struct target *t;
	const struct omptarget_visitor *visitor;
	/* The nodes whose left part is being read, outermost first, and their addresses. */
	struct links stack[MAX_DEPTH];
	uint64_t addresses[MAX_DEPTH];
	size_t n_stack;
};

static struct error *refuse_tree(const struct walk *w, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read %s: %s", w->visitor->what, why);
}

/* Push the node at @at, whose parent is at @parent, and all nodes on the way to its first object. */
static struct error *descend(struct walk *w, uint64_t at, uint64_t parent)
{
	while (at) {
		if (w->n_stack == MAX_DEPTH)
			return refuse_tree(w, "it is deeper than the largest table");
		struct links *node = &w->stack[w->n_stack];
		struct error *err = target_read(w->t, at, node, sizeof(*node));

		if (err)
			return err;
		if (node->parent != parent)
			return refuse_tree(w, "an object belongs to another place of the tree");
		w->addresses[w->n_stack++] = at;
		parent = at;
		at = node->left;
	}
	return NULL;
}

static struct error *visit(struct walk *w, uint64_t address, void *arg)
{
	uint64_t value[OMPTARGET_MAX_VALUE];
	struct error *err = target_read(w->t, address + sizeof(struct links), value, w->visitor->size);

	return err ? err : w->visitor->visit(w->t, value, arg);
}

struct error *omptarget_tree_walk(struct target *t, uint64_t address, const struct omptarget_tree *tree,
				  const struct omptarget_visitor *visitor, void *arg, bool *ret_cut)
{
	struct walk w = {.t = t, .visitor = visitor};
	struct error *err = descend(&w, tree->root, address + offsetof(struct omptarget_tree, colour));
	size_t n = 0;

	while (!err && w.n_stack) {
		size_t top = --w.n_stack;
		const struct links node = w.stack[top];

		if (n++ == visitor->max) {
			*ret_cut = true;
			return NULL;
		}
		err = visit(&w, w.addresses[top], arg);
		if (!err)
			err = descend(&w, node.right, w.addresses[top]);
	}
	if (!err && n != tree->n)
		err = refuse_tree(&w, "its number of objects is another one");
	return err;
}
