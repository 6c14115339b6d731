/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two arrays, frames and nodes, each with a hash that finds existing entries. */
#include "openmp/sampling/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define NO_ROOM UINT32_MAX

void stack_tree_deinit(struct stack_tree *t)
{
	free(t->frames);
	hash_deinit(&t->frame_index);
	free(t->nodes);
	hash_deinit(&t->node_index);
	*t = (struct stack_tree){0};
}

static uint32_t hash_frame(const struct tree_frame *f)
{
	uint64_t h = hash_number((uint64_t)f->function << 32 | f->file);

	h = hash_number(h << 32 ^ (uint64_t)f->module << 8 ^ (uint64_t)f->kind);
	return hash_number(h << 32 ^ (uint64_t)(uint32_t)f->line << 8 ^ (uint64_t)f->state);
}

static bool is_same_frame(const struct tree_frame *a, const struct tree_frame *b)
{
	return a->kind == b->kind && a->state == b->state && a->function == b->function && a->file == b->file &&
	       a->module == b->module && a->line == b->line;
}

uint32_t stack_tree_frame(struct stack_tree *t, const struct tree_frame *frame)
{
	uint32_t hash = hash_frame(frame);

	hash_for_each(i, &t->frame_index, hash)
	{
		if (is_same_frame(&t->frames[i], frame))
			return i;
	}
	if (t->n_frames == STACK_TREE_MAX_FRAMES || !VECTOR_GROW(t->frames, t->n_frames, t->cap_frames) ||
	    !hash_add(&t->frame_index, hash, t->n_frames))
		return NO_ROOM;
	t->frames[t->n_frames] = *frame;
	return t->n_frames++;
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t hash = hash_number((uint64_t)parent << 32 | frame);

	if (frame == NO_ROOM)
		return NO_ROOM;
	hash_for_each(i, &t->node_index, hash)
	{
		if (t->nodes[i].parent == parent && t->nodes[i].frame == frame)
			return i;
	}
	if (t->n_nodes == STACK_TREE_MAX_NODES || !VECTOR_GROW(t->nodes, t->n_nodes, t->cap_nodes) ||
	    !hash_add(&t->node_index, hash, t->n_nodes))
		return NO_ROOM;
	t->nodes[t->n_nodes] = (struct tree_node){.parent = parent, .frame = frame};
	return t->n_nodes++;
}

void stack_tree_add(struct stack_tree *t, uint32_t node, enum profile_state state, uint64_t us)
{
	uint32_t frame = stack_tree_frame(t, &(struct tree_frame){.kind = TREE_STATE, .state = state});
	uint32_t leaf = stack_tree_child(t, node, frame);

	if (leaf == NO_ROOM) {
		t->refused++;
		leaf = node;
	}
	if (leaf == STACK_TREE_ROOT)
		return;
	t->nodes[leaf].self_us += us;
	t->nodes[leaf].samples++;
}
