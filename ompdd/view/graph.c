/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects the nodes and edges of a graph, and finds its cycles. */
#include "view/graph.h"

#include <json-c/json.h>

#include "rpc/json_read.h"

size_t graph_add_node(struct graph *g, struct json_object *node)
{
	if (g->n_nodes == GRAPH_MAX_NODES) {
		json_object_put(node);
		g->n_left_out++;
		return GRAPH_NONE;
	}
	g->nodes[g->n_nodes] = node;
	return g->n_nodes++;
}

void graph_add_edge(struct graph *g, size_t from, size_t to, const char *label, struct json_object *text, int dashed)
{
	struct json_object *json;

	if (from == GRAPH_NONE || to == GRAPH_NONE || g->n_edges == GRAPH_MAX_EDGES) {
		json_object_put(text);
		return;
	}
	json = json_object_new_object();
	json_object_object_add(json, "from", json_object_get(json_read_member(g->nodes[from], "id")));
	json_object_object_add(json, "to", json_object_get(json_read_member(g->nodes[to], "id")));
	json_object_object_add(json, "label", json_object_new_string(label));
	json_object_object_add(json, "text", text);
	json_object_object_add(json, "dashed", json_object_new_boolean(dashed));
	g->edges[g->n_edges++] = (struct graph_edge){from, to, json};
}

void graph_deinit(struct graph *g)
{
	for (size_t i = 0; i < g->n_nodes; i++)
		json_object_put(g->nodes[i]);
	for (size_t i = 0; i < g->n_edges; i++)
		json_object_put(g->edges[i].json);
	g->n_nodes = g->n_edges = 0;
}

/* Return whether a path leads from @node to @wanted. GRAPH_MAX_NODES limits the recursion. */
static int find_path(const struct graph *g, size_t node, size_t wanted, char *seen)
{
	for (size_t i = 0; i < g->n_edges; i++) {
		size_t to = g->edges[i].to;

		if (g->edges[i].from != node || seen[to])
			continue;
		seen[to] = 1;
		if (to == wanted || find_path(g, to, wanted, seen))
			return 1;
	}
	return 0;
}

struct json_object *graph_json(struct graph *g)
{
	struct json_object *o = json_object_new_object(), *nodes = json_object_new_array(),
			   *edges = json_object_new_array();

	for (size_t i = 0; i < g->n_nodes; i++) {
		char seen[GRAPH_MAX_NODES] = {0};

		json_object_object_add(g->nodes[i], "in_cycle", json_object_new_boolean(find_path(g, i, i, seen)));
		json_object_array_add(nodes, json_object_get(g->nodes[i]));
	}
	for (size_t i = 0; i < g->n_edges; i++)
		json_object_array_add(edges, json_object_get(g->edges[i].json));
	json_object_object_add(o, "nodes", nodes);
	json_object_object_add(o, "edges", edges);
	json_object_object_add(o, "left_out", json_object_new_int64((int64_t)g->n_left_out));
	return o;
}
