/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph for clients that draw it: they place the nodes. */
#ifndef OMPDD_VIEW_GRAPH_H
#define OMPDD_VIEW_GRAPH_H

#include <stddef.h>

struct json_object;

/* Larger drawings are not readable. Further nodes and edges are left out. */
#define GRAPH_MAX_NODES 120
#define GRAPH_MAX_EDGES 240

/* No such node. */
#define GRAPH_NONE GRAPH_MAX_NODES

struct graph_edge {
	size_t from, to;
	struct json_object *json;
};

/* All zeroes: an empty graph. */
struct graph {
	struct json_object *nodes[GRAPH_MAX_NODES];
	struct graph_edge edges[GRAPH_MAX_EDGES];
	size_t n_nodes, n_edges, n_left_out;
};

/* Add a node {"id", "kind", "label", "text", "threads"}, which is taken. Returns its index, or GRAPH_NONE. */
size_t graph_add_node(struct graph *g, struct json_object *node);

/* Add an edge, unless one of its nodes is GRAPH_NONE. @label (may be empty) is short, @text is whole and taken;
 * @dashed: drawn as a dashed line. */
void graph_add_edge(struct graph *g, size_t from, size_t to, const char *label, struct json_object *text, int dashed);

/* Return {"nodes", "edges", "left_out"}: nodes with "in_cycle". */
struct json_object *graph_json(struct graph *g);

void graph_deinit(struct graph *g);

#endif
