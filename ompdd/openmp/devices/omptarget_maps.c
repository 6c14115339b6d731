/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a map table of libomptarget: a std::set that is sorted by host address. Each node names its parent, and no two
 * nodes have the same host address, so no cycle is endless.
 */
#include <stddef.h>

#include "base/vector.h"
#include "openmp/devices/devices_omptarget.h"
#include "target/target.h"

/* A red-black tree of 2^32 nodes has no longer path. */
#define MAX_DEPTH 64
#define INFINITE  UINT64_MAX
/* No program maps an object more often. */
#define MAX_COUNT UINT32_MAX

/* A node: struct _Rb_tree_node_base, then HostDataToTargetTy. */
struct node {
	uint64_t colour, parent, left, right;
	uint64_t base, start, end;
	uint64_t name;
	uint64_t device_address;
	uint64_t counts; /* address of the dynamic and the hold count */
};

struct walk {
	struct target *t;
	struct device *device;
	uint64_t last_start, last_end;
	size_t cap;
	/* The nodes whose left part is being read, outermost first, and their addresses. */
	struct node stack[MAX_DEPTH];
	uint64_t addresses[MAX_DEPTH];
	size_t n_stack;
};

static struct error *refuse_table(const struct walk *w, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read the map table of device %u: %s", w->device->number, why);
}

static struct error *read_count(struct walk *w, const struct node *node, struct device_map *ret)
{
	uint64_t counts[2];
	struct error *err = target_read(w->t, node->counts, counts, sizeof(counts));

	if (err)
		return err;
	if (counts[0] == INFINITE || counts[1] == INFINITE) {
		ret->kind = DEVICE_INFINITE;
		return NULL;
	}
	if (counts[0] > MAX_COUNT || counts[1] > MAX_COUNT)
		return refuse_table(w, "an object has an impossible reference count");
	ret->kind = DEVICE_COUNTED;
	ret->count = counts[0] + counts[1];
	return NULL;
}

static struct error *add_node(struct walk *w, const struct node *node)
{
	struct device *device = w->device;
	struct device_map map = {
		.host = node->start, .size = node->end - node->start, .device_address = node->device_address};

	if (node->end < node->start || node->start < w->last_end || (device->n_maps && node->start <= w->last_start))
		return refuse_table(w, "its addresses are not sorted");
	w->last_start = node->start;
	w->last_end = node->end;
	struct error *err = read_count(w, node, &map);
	if (err)
		return err;
	if (!VECTOR_GROW(device->maps, device->n_maps, w->cap))
		return &error_nomem;
	device->maps[device->n_maps++] = map;
	return NULL;
}

/* Push the node at @at, whose parent is at @parent, and all nodes on the way to its first object. */
static struct error *descend(struct walk *w, uint64_t at, uint64_t parent)
{
	while (at) {
		if (w->n_stack == MAX_DEPTH)
			return refuse_table(w, "it is deeper than the largest table");
		struct node *node = &w->stack[w->n_stack];
		struct error *err = target_read(w->t, at, node, sizeof(*node));

		if (err)
			return err;
		if (node->parent != parent)
			return refuse_table(w, "an object belongs to another place of the tree");
		w->addresses[w->n_stack++] = at;
		parent = at;
		at = node->left;
	}
	return NULL;
}

struct error *omptarget_maps_read(struct target *t, uint64_t address, const struct omptarget_tree *tree,
				  struct device *ret)
{
	struct walk w = {.t = t, .device = ret};
	struct error *err = descend(&w, tree->root, address + offsetof(struct omptarget_tree, colour));

	while (!err && w.n_stack) {
		size_t top = --w.n_stack;
		const struct node node = w.stack[top];

		if (ret->n_maps == DEVICES_MAX_MAPS) {
			ret->is_cut = true;
			return NULL;
		}
		err = add_node(&w, &node);
		if (!err)
			err = descend(&w, node.right, w.addresses[top]);
	}
	if (!err && ret->n_maps != tree->n)
		err = refuse_table(&w, "its number of objects is another one");
	return err;
}
