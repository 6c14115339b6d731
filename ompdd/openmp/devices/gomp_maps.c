/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a map table of libgomp: a splay tree that is sorted by host address. Each object names its block of device
 * memory, and the block names its device. A tree that is not sorted ends the walk, so no cycle is endless.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "openmp/devices/devices_gomp.h"
#include "target/target.h"

/* Special counts of releases without `has_special`, and of those with it. */
#define OLD_INFINITE	 UINT64_MAX
#define OLD_LINK	 (UINT64_MAX - 1)
#define SPECIAL		 (~(uint64_t)7)
#define SPECIAL_INFINITE SPECIAL
#define SPECIAL_LINK	 (SPECIAL | 1)
#define SPECIAL_ACC	 (SPECIAL | 2) /* acc_map_data() */
#define SPECIAL_MEMBER	 (SPECIAL | 4) /* a member of a struct: the first one has the count of all */
#define MEMBER_IS_FIRST	 1

/* struct splay_tree_node_s, the same in all releases. */
struct node {
	uint64_t host_start, host_end;
	uint64_t block;	 /* struct target_mem_desc */
	uint64_t offset; /* in the block */
	uint64_t count;
	uint64_t count_of_members; /* or the address of the count */
	uint64_t more;
	uint64_t left, right;
};

/* struct target_mem_desc, without its list. `has_reverse` adds a member after the second one. */
#define BLOCK_WORDS 9
enum { BLOCK_START = 2, BLOCK_END = 3, BLOCK_DEVICE = 7 };

struct walk {
	struct target *t;
	const struct gomp_devices_layout *layout;
	struct device *device;
	uint64_t address; /* of the device's record */
	uint64_t last_end;
	size_t cap;
	/* The nodes whose left part is being read, outermost first. */
	struct node *stack;
	size_t n_stack, cap_stack;
};

static struct error *refuse_table(const struct walk *w, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read the map table of device %u: %s", w->device->number, why);
}

static struct error *read_count(struct walk *w, const struct node *node, struct device_map *ret)
{
	bool has_special = w->layout->has_special;

	ret->kind = DEVICE_COUNTED;
	ret->count = node->count;
	if (node->count == (has_special ? SPECIAL_INFINITE : OLD_INFINITE) ||
	    (has_special && node->count == SPECIAL_ACC)) {
		ret->kind = DEVICE_INFINITE;
	} else if (node->count == (has_special ? SPECIAL_LINK : OLD_LINK)) {
		ret->kind = DEVICE_LINK;
	} else if (has_special && node->count >= SPECIAL_MEMBER) {
		ret->count = node->count_of_members;
		if (!(node->count & MEMBER_IS_FIRST))
			return target_read(w->t, node->count_of_members, &ret->count, sizeof(ret->count));
	}
	return NULL;
}

static struct error *add_node(struct walk *w, const struct node *node)
{
	struct device *device = w->device;
	struct device_map map = {.host = node->host_start, .size = node->host_end - node->host_start};
	uint64_t block[BLOCK_WORDS];
	size_t more = w->layout->has_reverse ? 1 : 0;

	if (node->host_end < node->host_start || node->host_start < w->last_end)
		return refuse_table(w, "its addresses are not sorted");
	w->last_end = node->host_end;
	struct error *err = target_read(w->t, node->block, block, (BLOCK_WORDS - 1 + more) * sizeof(block[0]));
	if (err)
		return err;
	if (block[BLOCK_DEVICE + more] != w->address || block[BLOCK_END + more] < block[BLOCK_START + more])
		return refuse_table(w, "an object belongs to another device");
	map.device_address = block[BLOCK_START + more] + node->offset;
	err = read_count(w, node, &map);
	if (err)
		return err;
	if (!VECTOR_GROW(device->maps, device->n_maps, w->cap))
		return &error_nomem;
	device->maps[device->n_maps++] = map;
	return NULL;
}

/* Push the node at @at and all nodes on the way to its first object. */
static struct error *descend(struct walk *w, uint64_t at)
{
	while (at) {
		struct node node;
		struct error *err = target_read(w->t, at, &node, sizeof(node));

		if (err)
			return err;
		if (w->n_stack == DEVICES_MAX_MAPS)
			return refuse_table(w, "it is deeper than the largest table");
		if (!VECTOR_GROW(w->stack, w->n_stack, w->cap_stack))
			return &error_nomem;
		w->stack[w->n_stack++] = node;
		at = node.left;
	}
	return NULL;
}

static struct error *walk_tree(struct walk *w, uint64_t root)
{
	struct error *err = descend(w, root);

	while (!err && w->n_stack) {
		const struct node node = w->stack[--w->n_stack];

		if (w->device->n_maps == DEVICES_MAX_MAPS) {
			w->device->is_cut = true;
			return NULL;
		}
		err = add_node(w, &node);
		if (!err)
			err = descend(w, node.right);
	}
	return err;
}

struct error *gomp_maps_read(struct target *t, const struct gomp_devices_layout *layout, uint64_t root, uint64_t device,
			     struct device *ret)
{
	struct walk w = {.t = t, .layout = layout, .device = ret, .address = device};
	struct error *err = walk_tree(&w, root);

	free(w.stack);
	return err;
}
