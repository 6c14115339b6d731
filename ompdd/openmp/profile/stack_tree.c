/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two arrays, frames and nodes, each with a hash that finds existing entries. */
#include "openmp/profile/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROOM UINT32_MAX

void stack_tree_deinit(struct stack_tree *t)
{
	free(t->frames);
	free(t->frame_index);
	free(t->nodes);
	free(t->node_index);
	*t = (struct stack_tree){0};
}

static uint32_t mix_hash(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static uint32_t hash_frame(const struct tree_frame *f)
{
	uint64_t h = mix_hash((uint64_t)f->function << 32 | f->file);

	h = mix_hash(h << 32 ^ (uint64_t)f->module << 8 ^ (uint64_t)f->kind);
	return mix_hash(h << 32 ^ (uint64_t)(uint32_t)f->line << 8 ^ (uint64_t)f->state);
}

static bool is_same_frame(const struct tree_frame *a, const struct tree_frame *b)
{
	return a->kind == b->kind && a->state == b->state && a->function == b->function && a->file == b->file &&
	       a->module == b->module && a->line == b->line;
}

/* Slots hold the number + 1; 0 is free. */
static uint32_t *find_frame(const struct stack_tree *t, const struct tree_frame *frame)
{
	uint32_t i = hash_frame(frame) & (t->cap_frame_index - 1);

	while (t->frame_index[i] && !is_same_frame(&t->frames[t->frame_index[i] - 1], frame))
		i = (i + 1) & (t->cap_frame_index - 1);
	return &t->frame_index[i];
}

static uint32_t *find_node(const struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t i = mix_hash((uint64_t)parent << 32 | frame) & (t->cap_node_index - 1);

	while (t->node_index[i]) {
		const struct tree_node *node = &t->nodes[t->node_index[i] - 1];

		if (node->parent == parent && node->frame == frame)
			break;
		i = (i + 1) & (t->cap_node_index - 1);
	}
	return &t->node_index[i];
}

static bool grow_frames(struct stack_tree *t)
{
	uint32_t cap = t->cap_frames ? t->cap_frames * 2 : 64;
	struct tree_frame *frames = realloc(t->frames, cap * sizeof(*frames));
	uint32_t *index = frames ? calloc(cap * 2, sizeof(*index)) : NULL;

	if (frames)
		t->frames = frames;
	if (!index)
		return false;
	free(t->frame_index);
	t->frame_index = index;
	t->cap_frame_index = cap * 2;
	t->cap_frames = cap;
	for (uint32_t i = 0; i < t->n_frames; i++)
		*find_frame(t, &t->frames[i]) = i + 1;
	return true;
}

static bool grow_nodes(struct stack_tree *t)
{
	uint32_t cap = t->cap_nodes ? t->cap_nodes * 2 : 256;
	struct tree_node *nodes = realloc(t->nodes, cap * sizeof(*nodes));
	uint32_t *index = nodes ? calloc(cap * 2, sizeof(*index)) : NULL;

	if (nodes)
		t->nodes = nodes;
	if (!index)
		return false;
	free(t->node_index);
	t->node_index = index;
	t->cap_node_index = cap * 2;
	t->cap_nodes = cap;
	for (uint32_t i = 0; i < t->n_nodes; i++)
		*find_node(t, t->nodes[i].parent, t->nodes[i].frame) = i + 1;
	return true;
}

uint32_t stack_tree_frame(struct stack_tree *t, const struct tree_frame *frame)
{
	uint32_t *slot = t->cap_frame_index ? find_frame(t, frame) : NULL;

	if (slot && *slot)
		return *slot - 1;
	if (t->n_frames == STACK_TREE_MAX_FRAMES || (t->n_frames == t->cap_frames && !grow_frames(t)))
		return NO_ROOM;
	t->frames[t->n_frames] = *frame;
	*find_frame(t, frame) = t->n_frames + 1;
	return t->n_frames++;
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t *slot = t->cap_node_index ? find_node(t, parent, frame) : NULL;

	if (frame == NO_ROOM)
		return NO_ROOM;
	if (slot && *slot)
		return *slot - 1;
	if (t->n_nodes == STACK_TREE_MAX_NODES || (t->n_nodes == t->cap_nodes && !grow_nodes(t)))
		return NO_ROOM;
	t->nodes[t->n_nodes] = (struct tree_node){.parent = parent, .frame = frame};
	*find_node(t, parent, frame) = t->n_nodes + 1;
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
