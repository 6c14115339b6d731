/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An indented tree that folds equal branches into one: "threads 1-299" instead of 299 lines. */
#ifndef OMPDD_CLI_TREE_H
#define OMPDD_CLI_TREE_H

#include <stddef.h>

#include "ranges.h"
#include "text.h"

/* Deeper nodes are not built (tree_node_add() refuses them). */
#define TREE_MAX_DEPTH 2000

struct tree_node {
	const char *noun;   /* "thread", "parallel region", ...; the plural appends an s */
	struct ranges nums; /* numbers in the team; empty: none */
	struct ranges tids; /* kernel ids; empty: none */
	int apart;	    /* folds only with nodes that are apart, too */
	size_t count;	    /* number of nodes folded into this one; at least 1 */
	char *state;	    /* short, coloured; owned; may be NULL */
	enum colour colour;
	char *text; /* the rest of the line, safe to show; owned; may be NULL */
	struct tree_node **children;
	size_t n_children, cap, depth;
	long own_id; /* set by tree_fold(); equal own ids: the nodes differ only in their numbers */
};

/* Create a node. @noun is borrowed, and not copied. */
struct tree_node *tree_node_create(const char *noun);
void tree_node_destroy(struct tree_node *node);

/* Append @child; @parent takes ownership. At TREE_MAX_DEPTH @child is destroyed and 0 returned, otherwise 1. */
int tree_node_add(struct tree_node *parent, struct tree_node *child);

/* Fold, bottom up, all siblings that differ only in numbers and thread ids. */
void tree_fold(struct tree_node *root);

/* Draw the children of @root, but not @root itself. */
void tree_draw(const struct tree_node *root, const struct style *style, struct text *out);

#endif
