/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The wait graph of a diagnosis. Threads that wait for the same objects and block no thread are one node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/graph.h"
#include "view/number_set.h"
#include "view/parts.h"
#include "view/rows.h"
#include "view/value.h"

static const struct column columns[] = {
	{.key = "num", .title = "NUM", .align = "right"},
	{.key = "tid", .title = "TID", .align = "right"},
	{.key = "function", .title = "FUNCTION", .cut = "middle", .least = 8},
	{.key = "line", .title = "LINE", .cut = "start", .least = 8},
	{.key = "calls", .title = "CALLS", .optional = "empty"},
};
#define N_COLUMNS (sizeof(columns) / sizeof(*columns))

/* A node of diagnose.get. */
struct waiter {
	struct json_object *json;
	struct buf waits; /* its outgoing edges: the identity of a thread that blocks no thread */
	int is_target;	  /* an edge leads to it */
	size_t node;	  /* its node in the graph, or GRAPH_NONE */
	int is_first;	  /* the first one of its node */
};

struct builder {
	struct json_object *source;
	struct json_object *threads; /* thread id to thread of a finding */
	struct json_object *ids;     /* node id to index in waiters[] */
	struct waiter *waiters;
	size_t n;
	struct graph *graph;
	struct number_set tids[GRAPH_MAX_NODES]; /* of each node of the graph */
};

static void index_threads(struct builder *b)
{
	struct json_object *findings = json_read_member(b->source, "findings");

	for (size_t i = 0; i < json_read_length(findings); i++) {
		struct json_object *threads = json_read_member(json_object_array_get_idx(findings, i), "threads");

		for (size_t k = 0; k < json_read_length(threads); k++) {
			struct json_object *thread = json_object_array_get_idx(threads, k);
			char tid[24];

			snprintf(tid, sizeof(tid), "%" PRId64, json_read_int(json_read_member(thread, "tid"), 0));
			json_object_object_add(b->threads, tid, json_object_get(thread));
		}
	}
}

static struct waiter *find_waiter(struct builder *b, struct json_object *edge, const char *key)
{
	int64_t i = json_read_int(json_read_member(b->ids, json_read_text(edge, key)), -1);

	return i < 0 ? NULL : &b->waiters[i];
}

static void note_edges(struct builder *b)
{
	struct json_object *edges = json_read_member(b->source, "edges");

	for (size_t i = 0; i < json_read_length(edges); i++) {
		struct json_object *edge = json_object_array_get_idx(edges, i);
		struct waiter *from = find_waiter(b, edge, "from"), *to = find_waiter(b, edge, "to");

		if (!from || !to)
			continue;
		to->is_target = 1;
		phrase_printf(&from->waits, "%s %s %s\x1f", json_read_text(edge, "to"), json_read_text(edge, "kind"),
			      json_read_text(edge, "certainty"));
	}
}

static size_t create_node(struct builder *b, struct json_object *json)
{
	struct json_object *node = json_object_new_object();

	json_object_object_add(node, "id", json_object_get(json_read_member(json, "id")));
	json_object_object_add(node, "kind", json_object_get(json_read_member(json, "kind")));
	return graph_add_node(b->graph, node);
}

/* Find the node of the graph for each waiter, or create it. */
static void add_nodes(struct builder *b)
{
	struct json_object *groups = json_object_new_object();

	for (size_t i = 0; i < b->n; i++) {
		struct waiter *w = &b->waiters[i];
		int is_thread = !strcmp(json_read_text(w->json, "kind"), "thread");
		int64_t group = -1;

		w->node = GRAPH_NONE;
		if (!w->waits.len && !w->is_target)
			continue;
		if (is_thread && !w->is_target)
			group = json_read_int(json_read_member(groups, phrase_text(&w->waits)), -1);
		w->is_first = group < 0;
		w->node = group < 0 ? create_node(b, w->json) : (size_t)group;
		if (is_thread && !w->is_target)
			json_object_object_add(groups, phrase_text(&w->waits), json_object_new_int64((int64_t)w->node));
		if (w->node != GRAPH_NONE && json_read_member(w->json, "tid"))
			number_set_add(&b->tids[w->node], json_read_int(json_read_member(w->json, "tid"), 0));
	}
	json_object_put(groups);
}

/* "held_by" is "held by". */
static void add_words(struct buf *p, const char *words)
{
	for (; *words; words++)
		phrase_printf(p, "%c", *words == '_' ? ' ' : *words);
}

static void add_edges(struct builder *b)
{
	struct json_object *edges = json_read_member(b->source, "edges");

	for (size_t i = 0; i < json_read_length(edges); i++) {
		struct json_object *edge = json_object_array_get_idx(edges, i);
		struct waiter *from = find_waiter(b, edge, "from"), *to = find_waiter(b, edge, "to");
		int is_candidate = !strcmp(json_read_text(edge, "certainty"), "candidate");
		const char *evidence = json_read_text(edge, "evidence");
		struct buf label = {0}, text = {0};

		if (!from || !to || !from->is_first)
			continue;
		add_words(&label, json_read_text(edge, "kind"));
		phrase_printf(&text, "%s: %s%s", phrase_text(&label),
			      *evidence ? evidence : json_read_text(edge, "source"),
			      is_candidate ? " (not proven)" : "");
		phrase_add(&label, is_candidate ? "?" : "");
		graph_add_edge(b->graph, from->node, to->node, phrase_text(&label), phrase_take_json(&text),
			       is_candidate);
		buf_deinit(&label);
	}
}

/* Append "thread 1 (4712)" and its place; for several threads "3 threads" and their ids. */
static void add_thread_texts(struct builder *b, size_t node, struct buf *label, struct buf *text)
{
	struct number_set *tids = &b->tids[node];
	size_t n = number_set_count(tids);

	if (n != 1) {
		value_add_count(label, n, "thread");
		number_set_format(tids, text);
		return;
	}
	number_set_format(tids, text);
	struct json_object *thread = json_read_member(b->threads, phrase_text(text));
	int64_t num = json_read_int(json_read_member(thread, "thread_num"), -1);
	if (num >= 0)
		phrase_printf(label, "thread %" PRId64 " (%s)", num, phrase_text(text));
	else
		phrase_printf(label, "thread %s", phrase_text(text));
	buf_deinit(text);
	value_add_place(text, thread);
}

static void fill_node(struct builder *b, struct waiter *w)
{
	const char *name = json_read_text(w->json, "name"), *kind = json_read_text(w->json, "kind");
	struct buf label = {0}, text = {0};

	if (number_set_count(&b->tids[w->node])) {
		add_thread_texts(b, w->node, &label, &text);
	} else if (*name) {
		phrase_add(&label, name);
		add_words(&text, kind);
	} else {
		const char *doing = json_read_text(w->json, "doing");

		add_words(&label, kind);
		phrase_add(&text, *doing ? doing : json_read_text(w->json, "wait_id"));
	}
	json_object_object_add(b->graph->nodes[w->node], "label", phrase_take_json(&label));
	json_object_object_add(b->graph->nodes[w->node], "text", phrase_take_json(&text));
	json_object_object_add(b->graph->nodes[w->node], "threads", number_set_array_json(&b->tids[w->node]));
}

static void build_graph(struct builder *b)
{
	index_threads(b);
	note_edges(b);
	add_nodes(b);
	add_edges(b);
	for (size_t i = 0; i < b->n; i++) {
		if (b->waiters[i].is_first && b->waiters[i].node != GRAPH_NONE)
			fill_node(b, &b->waiters[i]);
	}
}

static struct error *builder_init(struct builder *b, struct json_object *source)
{
	struct json_object *nodes = json_read_member(source, "nodes");

	b->source = source;
	b->n = json_read_length(nodes);
	b->threads = json_object_new_object();
	b->ids = json_object_new_object();
	b->graph = calloc(1, sizeof(*b->graph));
	b->waiters = calloc(b->n + 1, sizeof(*b->waiters));
	if (!b->graph || !b->waiters)
		return &error_nomem;
	for (size_t i = 0; i < b->n; i++) {
		b->waiters[i].json = json_object_array_get_idx(nodes, i);
		json_object_object_add(b->ids, json_read_text(b->waiters[i].json, "id"),
				       json_object_new_int64((int64_t)i));
	}
	return NULL;
}

static void builder_destroy(struct builder *b)
{
	for (size_t i = 0; b->waiters && i < b->n; i++)
		buf_deinit(&b->waiters[i].waits);
	for (size_t i = 0; i < GRAPH_MAX_NODES; i++)
		number_set_deinit(&b->tids[i]);
	if (b->graph)
		graph_deinit(b->graph);
	free(b->graph);
	free(b->waiters);
	json_object_put(b->threads);
	json_object_put(b->ids);
	free(b);
}

struct error *why_add_graph(struct json_object *o, struct json_object *source)
{
	struct builder *b = calloc(1, sizeof(*b));
	struct error *err = b ? builder_init(b, source) : &error_nomem;

	if (!err) {
		build_graph(b);
		json_object_object_add(o, "graph", graph_json(b->graph));
	}
	if (b)
		builder_destroy(b);
	return err;
}

static struct error *add_place_row(struct rows *rows, struct json_object *thread)
{
	struct json_object *place = json_read_member(thread, "place"), *cells = json_object_new_object();
	const char *calls = json_read_text(thread, "calls");
	struct buf line = {0}, call = {0};

	if (!value_add_location(&line, json_read_member(place, "location")))
		phrase_add(&line, "-");
	if (*calls)
		phrase_printf(&call, "%s()", calls);
	json_object_object_add(cells, "num", value_cell(json_read_member(thread, "thread_num"), 0));
	json_object_object_add(cells, "tid", value_cell(json_read_member(thread, "tid"), 0));
	json_object_object_add(cells, "function", value_cell(json_read_member(place, "function"), 0));
	json_object_object_add(cells, "line", value_take_cell(&line, NULL));
	json_object_object_add(cells, "calls", value_take_cell(&call, NULL));
	struct row *row = rows_add(rows, cells, "");
	if (!row)
		return &error_nomem;
	number_set_add(&row->tids, json_read_int(json_read_member(thread, "tid"), 0));
	return NULL;
}

struct error *why_add_places(struct json_object *o, const struct view_request *request, struct json_object *source)
{
	struct json_object *findings = json_read_member(source, "findings");
	struct error *err = NULL;
	struct rows rows;

	rows_init(&rows, 0);
	for (size_t i = 0; i < json_read_length(findings) && !err; i++) {
		struct json_object *threads = json_read_member(json_object_array_get_idx(findings, i), "threads");

		for (size_t k = 0; k < json_read_length(threads) && !err; k++) {
			struct json_object *thread = json_object_array_get_idx(threads, k);

			if (json_read_member(thread, "place"))
				err = add_place_row(&rows, thread);
		}
	}
	if (!err)
		err = rows_add_table(o, request, &rows, columns, N_COLUMNS);
	rows_deinit(&rows);
	return err;
}
