/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph of tasks: dependences, and creators of tasks without dependences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/graph.h"
#include "view/parts.h"
#include "view/value.h"

/* A larger drawing is not readable. */
#define MAX_TASKS 60

struct builder {
	const struct facts *s;
	struct graph graph;
	size_t *nodes; /* of each task: its node, or GRAPH_NONE */
	char *is_creator;
};

const char *task_number(const struct facts *s, size_t task)
{
	const char *handle = json_read_text(s->tasks[task].json, "handle"), *colon = strrchr(handle, ':');

	return colon ? colon + 1 : handle;
}

struct json_object *task_get_predecessors(const struct facts *s, size_t task)
{
	struct json_object *queued = json_read_member(s->tasks[task].json, "queued");

	return json_read_member(json_read_member(queued, "waits_for"), "tasks");
}

void task_graph_mark(const struct facts *s, char *is_tied)
{
	for (size_t i = 0; i < s->n_tasks; i++) {
		struct json_object *tasks = task_get_predecessors(s, i);

		for (size_t k = 0; k < json_read_length(tasks); k++) {
			size_t other = facts_find_task(s, json_object_array_get_idx(tasks, k));

			is_tied[i] = 1;
			if (other != FACTS_NONE)
				is_tied[other] = 1;
		}
	}
}

static void add_node(struct builder *b, size_t task)
{
	const struct facts_task *t = &b->s->tasks[task];
	struct json_object *node = json_object_new_object(), *queued = json_read_member(t->json, "queued");
	struct json_object *threads = json_object_new_array();
	int64_t n = json_read_int(json_read_member(queued, "predecessors"), 0);
	const char *kind = t->kind ? t->kind : "task";
	struct buf label = {0}, text = {0}, place = {0};

	if (value_add_location(&place, json_read_member(json_read_member(t->json, "function"), "location"))) {
		phrase_printf(&label, "task at %s", phrase_text(&place));
	} else if (!value_add_function(&label, t->json, 0)) {
		buf_deinit(&label);
		phrase_printf(&label, "%s task", kind);
	}
	buf_deinit(&place);
	if (queued && n)
		phrase_printf(&text, "waits for %" PRId64, n);
	else
		phrase_add(&text, queued ? "queued" : kind);
	if (!queued && t->thread != FACTS_NONE) {
		phrase_printf(&text, ", thread %" PRId64, b->s->threads[t->thread].tid);
		json_object_array_add(threads, json_object_new_int64(b->s->threads[t->thread].tid));
	}
	json_object_object_add(node, "id", json_object_new_string(task_number(b->s, task)));
	json_object_object_add(node, "kind", json_object_new_string(queued ? "queued" : kind));
	json_object_object_add(node, "label", phrase_take_json(&label));
	json_object_object_add(node, "text", phrase_take_json(&text));
	json_object_object_add(node, "threads", threads);
	b->nodes[task] = graph_add_node(&b->graph, node);
}

/* Add tasks with dependences first, then the others, without implicit tasks that generated no task. */
static void add_nodes(struct builder *b, const char *is_tied)
{
	const struct facts *s = b->s;

	for (size_t i = 0; i < s->n_tasks; i++) {
		b->nodes[i] = GRAPH_NONE;
		if (s->tasks[i].generating != FACTS_NONE)
			b->is_creator[s->tasks[i].generating] = 1;
	}
	for (int tied = 1; tied >= 0; tied--) {
		for (size_t i = 0; i < s->n_tasks && b->graph.n_nodes < MAX_TASKS; i++) {
			int is_implicit = s->tasks[i].kind && !strcmp(s->tasks[i].kind, "implicit");

			if (is_tied[i] == tied && (!is_implicit || b->is_creator[i]))
				add_node(b, i);
		}
	}
}

/* Add the dependences of a task. Returns their number. */
static int add_dependences(struct builder *b, size_t task)
{
	struct json_object *tasks = task_get_predecessors(b->s, task);
	int n = 0;

	for (size_t i = 0; i < json_read_length(tasks); i++) {
		size_t other = facts_find_task(b->s, json_object_array_get_idx(tasks, i));
		struct buf text = {0};

		if (other == FACTS_NONE || b->nodes[other] == GRAPH_NONE)
			continue;
		phrase_printf(&text, "task %s must be complete before task %s starts", task_number(b->s, other),
			      task_number(b->s, task));
		graph_add_edge(&b->graph, b->nodes[other], b->nodes[task], "before", phrase_take_json(&text), 0);
		n++;
	}
	return n;
}

/* Arrows from creators would hide the dependences: only tasks without dependences have them. */
static void add_edges(struct builder *b)
{
	const struct facts *s = b->s;
	int n_dependences = 0;

	for (int creators = 0; creators < 2; creators++) {
		for (size_t i = 0; i < s->n_tasks; i++) {
			size_t creator = s->tasks[i].generating;
			struct buf text = {0};

			if (b->nodes[i] == GRAPH_NONE)
				continue;
			if (!creators) {
				n_dependences += add_dependences(b, i);
				continue;
			}
			if (creator == FACTS_NONE || b->nodes[creator] == GRAPH_NONE ||
			    json_read_length(task_get_predecessors(s, i)))
				continue;
			phrase_printf(&text, "task %s generated task %s", task_number(s, creator), task_number(s, i));
			graph_add_edge(&b->graph, b->nodes[creator], b->nodes[i], n_dependences ? "" : "generated",
				       phrase_take_json(&text), 1);
		}
	}
}

struct error *task_graph_add(struct json_object *o, const struct facts *s, const char *is_tied)
{
	struct builder *b = calloc(1, sizeof(*b));
	struct error *err = NULL;

	if (!b)
		return &error_nomem;
	b->s = s;
	b->nodes = calloc(s->n_tasks + 1, sizeof(*b->nodes));
	b->is_creator = calloc(s->n_tasks + 1, 1);
	if (b->nodes && b->is_creator) {
		add_nodes(b, is_tied);
		add_edges(b);
		json_object_object_add(o, "graph", graph_json(&b->graph));
	} else {
		err = &error_nomem;
	}
	graph_deinit(&b->graph);
	free(b->nodes);
	free(b->is_creator);
	free(b);
	return err;
}
