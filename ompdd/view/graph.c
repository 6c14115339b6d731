/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lays out graphs: each node is to the right of the nodes that point to it, except for edges that close a cycle. */
#include "view/graph.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"

struct place {
	size_t column, row;
	size_t position; /* in an order in which only edges that close a cycle point back */
	int is_visited;
	int in_cycle;
};

struct layout {
	const struct graph *g;
	struct place places[GRAPH_MAX_NODES];
	size_t order[GRAPH_MAX_NODES];
	size_t n_left; /* positions that have no node yet */
};

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

/* Visit the nodes that @node leads to, then number @node. GRAPH_MAX_NODES limits the recursion. */
static void visit_node(struct layout *l, size_t node)
{
	l->places[node].is_visited = 1;
	for (size_t i = 0; i < l->g->n_edges; i++) {
		if (l->g->edges[i].from == node && !l->places[l->g->edges[i].to].is_visited)
			visit_node(l, l->g->edges[i].to);
	}
	l->order[--l->n_left] = node;
	l->places[node].position = l->n_left;
}

/* Find the longest path to each node. */
static void set_columns(struct layout *l)
{
	for (size_t i = 0; i < l->g->n_nodes; i++) {
		if (!l->places[i].is_visited)
			visit_node(l, i);
	}
	for (size_t i = 0; i < l->g->n_nodes; i++) {
		const struct place *from = &l->places[l->order[i]];

		for (size_t k = 0; k < l->g->n_edges; k++) {
			struct place *to = &l->places[l->g->edges[k].to];

			if (l->g->edges[k].from == l->order[i] && to->position > from->position &&
			    to->column <= from->column)
				to->column = from->column + 1;
		}
	}
}

/* Return whether a path leads from @node to @wanted. */
static int find_path(const struct layout *l, size_t node, size_t wanted, char *seen)
{
	for (size_t i = 0; i < l->g->n_edges; i++) {
		size_t to = l->g->edges[i].to;

		if (l->g->edges[i].from != node || seen[to])
			continue;
		seen[to] = 1;
		if (to == wanted || find_path(l, to, wanted, seen))
			return 1;
	}
	return 0;
}

static void set_cycles(struct layout *l)
{
	for (size_t i = 0; i < l->g->n_nodes; i++) {
		char seen[GRAPH_MAX_NODES] = {0};

		l->places[i].in_cycle = find_path(l, i, i, seen);
	}
}

struct ideal {
	double row; /* the mean row of the nodes that point to it */
	size_t node;
};

static int compare_ideals(const void *a, const void *b)
{
	const struct ideal *x = a, *y = b;

	if (x->row < y->row || x->row > y->row)
		return x->row < y->row ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static double find_mean_row(const struct layout *l, size_t node)
{
	size_t n = 0, sum = 0;

	for (size_t i = 0; i < l->g->n_edges; i++) {
		const struct place *from = &l->places[l->g->edges[i].from];

		if (l->g->edges[i].to != node || from->column >= l->places[node].column)
			continue;
		sum += from->row;
		n++;
	}
	return n ? (double)sum / (double)n : GRAPH_MAX_NODES;
}

/* Order each column: a node is near the nodes that point to it. Returns the number of nodes in the column. */
static size_t set_rows(struct layout *l, size_t column)
{
	struct ideal ideals[GRAPH_MAX_NODES];
	size_t n = 0;

	for (size_t i = 0; i < l->g->n_nodes; i++) {
		if (l->places[i].column == column)
			ideals[n++] = (struct ideal){find_mean_row(l, i), i};
	}
	qsort(ideals, n, sizeof(*ideals), compare_ideals);
	for (size_t i = 0; i < n; i++)
		l->places[ideals[i].node].row = i;
	return n;
}

static void lay_out(struct layout *l, size_t *columns_ret, size_t *rows_ret)
{
	set_columns(l);
	set_cycles(l);
	for (size_t n; (n = set_rows(l, *columns_ret)) > 0; ++*columns_ret)
		*rows_ret = n > *rows_ret ? n : *rows_ret;
}

struct json_object *graph_json(struct graph *g)
{
	struct json_object *o = json_object_new_object(), *nodes = json_object_new_array(),
			   *edges = json_object_new_array();
	struct layout l = {.g = g, .n_left = g->n_nodes};
	size_t columns = 0, rows = 0;

	lay_out(&l, &columns, &rows);
	for (size_t i = 0; i < g->n_nodes; i++) {
		json_object_object_add(g->nodes[i], "column", json_object_new_int64((int64_t)l.places[i].column));
		json_object_object_add(g->nodes[i], "row", json_object_new_int64((int64_t)l.places[i].row));
		json_object_object_add(g->nodes[i], "in_cycle", json_object_new_boolean(l.places[i].in_cycle));
		json_object_array_add(nodes, json_object_get(g->nodes[i]));
	}
	for (size_t i = 0; i < g->n_edges; i++)
		json_object_array_add(edges, json_object_get(g->edges[i].json));
	json_object_object_add(o, "nodes", nodes);
	json_object_object_add(o, "edges", edges);
	json_object_object_add(o, "columns", json_object_new_int64((int64_t)columns));
	json_object_object_add(o, "rows", json_object_new_int64((int64_t)rows));
	json_object_object_add(o, "left_out", json_object_new_int64((int64_t)g->n_left_out));
	return o;
}
