/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tree that folds equal branches into one: "threads 1-299" instead of 299 nodes. */
#ifndef OMPDD_VIEW_NODE_H
#define OMPDD_VIEW_NODE_H

#include <stddef.h>

#include "view/number_set.h"
#include "view/phrase.h"

struct json_object;

/* Deeper nodes are not built (node_add() refuses them). */
#define NODE_MAX_DEPTH 2000

struct node {
	const char *kind;	     /* in the protocol: "region"; borrowed */
	const char *noun;	     /* "parallel region"; the plural appends an s; borrowed */
	struct number_set nums;	     /* numbers in the team; empty: none */
	struct number_set tids;	     /* kernel ids; empty: none */
	int apart;		     /* folds only with nodes that are apart, too */
	size_t count;		     /* number of nodes folded into this one; at least 1 */
	struct json_object *state;   /* as state_name_json() returns it; owned; may be NULL */
	struct buf text;	     /* the rest of the line */
	struct json_object *members; /* further members of the JSON; owned; may be NULL */
	struct node **children;
	size_t n_children, cap, depth;
	int own_id; /* set by node_fold(); equal own ids: the nodes differ only in their numbers */
};

/* Create a node. Returns NULL if memory is out. */
struct node *node_create(const char *kind, const char *noun);
void node_destroy(struct node *node);

/*
 * Append @child, which may be NULL; @parent takes ownership. At NODE_MAX_DEPTH, or if memory is out, @child is
 * destroyed and NULL returned, otherwise @child.
 */
struct node *node_add(struct node *parent, struct node *child);

/* Add a member to the node's JSON. Takes @value; NULL: nothing. */
void node_put(struct node *node, const char *key, struct json_object *value);

/* Add the handle of the region or task that the node shows to "handles". @handle is not a string: nothing. */
void node_add_handle(struct node *node, struct json_object *handle);

/* Fold, bottom up, siblings that differ only in numbers and thread ids, where there are more than @above siblings. */
void node_fold(struct node *root, size_t above);

/* Return the nodes below @root as an array in reading order: each node, then its children with a greater depth. */
struct json_object *node_array_json(struct node *root);

#endif
