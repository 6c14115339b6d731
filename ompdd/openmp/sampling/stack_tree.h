/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stacks of all samples as one tree with the outermost frames at its root; bounded. */
#ifndef OMPDD_OPENMP_PROFILE_STACK_TREE_H
#define OMPDD_OPENMP_PROFILE_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "openmp/sampling/profile_state.h"

#define STACK_TREE_MAX_FRAMES 32768
#define STACK_TREE_MAX_NODES  131072

/* The parent of outermost frames. */
#define STACK_TREE_ROOT UINT32_MAX

/* In the order of the protocol's profile_frame_kind. */
enum tree_frame_kind {
	TREE_USER,
	TREE_RUNTIME,
	TREE_START,
	TREE_CONSTRUCT, /* folded frames of the runtime: function is the called one */
	TREE_PARALLEL,	/* a region starts: function is the region's */
	TREE_TASK,	/* an explicit task starts: function is the task's */
	TREE_STATE,	/* the innermost of each stack: the state of the thread */
};

/* The displayed data of a frame; texts are numbers of the same struct texts. */
struct tree_frame {
	enum tree_frame_kind kind;
	enum profile_state state; /* of TREE_STATE */
	uint32_t function, file, module;
	int32_t line;
};

struct tree_node {
	uint32_t parent; /* or STACK_TREE_ROOT; always smaller than the node's own number */
	uint32_t frame;
	uint64_t self_us;
	uint64_t samples;
};

/* All zeroes is a valid empty tree. */
struct stack_tree {
	struct tree_frame *frames;
	uint32_t n_frames, cap_frames;
	struct hash frame_index;
	struct tree_node *nodes;
	uint32_t n_nodes, cap_nodes;
	struct hash node_index;
	uint64_t refused; /* samples that were counted for a frame further out, for lack of room */
};

void stack_tree_deinit(struct stack_tree *t);

/* Returns the number of @frame; UINT32_MAX if there is no room. */
uint32_t stack_tree_frame(struct stack_tree *t, const struct tree_frame *frame);
/* Returns the child of @parent that is @frame; UINT32_MAX if there is no room, or @frame is UINT32_MAX. */
uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t frame);
/* Counts a sample of a thread whose innermost frame is node @node, in @state. */
void stack_tree_add(struct stack_tree *t, uint32_t node, enum profile_state state, uint64_t us);

#endif
