/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The diagnosis: the verdict, its evidence with sources, the other findings, notes, and how it was observed. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/state_name.h"
#include "view/value.h"

static void add_thread(struct node *node, struct json_object *tid)
{
	if (json_object_is_type(tid, json_type_int))
		number_set_add(&node->tids, json_object_get_int64(tid));
}

static void add_claim(struct node *finding, struct json_object *claim)
{
	struct node *node = node_add(finding, node_create("claim", ""));

	if (!node)
		return;
	phrase_printf(&node->text, "%s [%s]", json_read_text(claim, "text"), json_read_text(claim, "source"));
	add_thread(node, json_read_member(claim, "thread"));
}

/* Add the threads and the evidence of a finding to its node. */
static void add_finding(struct node *node, struct json_object *finding)
{
	int64_t n_waiting = json_read_int(json_read_member(finding, "n_waiting"), 0);
	struct buf waiting = {0};
	struct json_object *claims = json_read_member(finding, "claims"),
			   *threads = json_read_member(finding, "threads");

	for (size_t i = 0; i < json_read_length(threads); i++)
		add_thread(node, json_read_member(json_object_array_get_idx(threads, i), "tid"));
	node_put(node, "certainty", json_object_get(json_read_member(finding, "certainty")));
	if (n_waiting > 0) {
		value_add_count(&waiting, (size_t)n_waiting, "thread");
		phrase_printf(&waiting, " wait%s for it, directly or for one another", n_waiting == 1 ? "s" : "");
		node_put(node, "waiting", phrase_take_json(&waiting));
	}
	for (size_t i = 0; i < json_read_length(claims); i++)
		add_claim(node, json_object_array_get_idx(claims, i));
}

static const char *find_key(const char *verdict)
{
	if (!strcmp(verdict, "deadlock") || !strcmp(verdict, "blocked"))
		return "mutex";
	return strcmp(verdict, "busy") ? "wait" : "work";
}

/* Append "2 samples, 500.0 ms apart: 3 of 4 threads ran, for 1.2 s of CPU time". */
static void add_samples_text(struct buf *p, struct json_object *source)
{
	struct json_object *looks = json_read_member(source, "looks");
	int64_t n = json_read_int(json_read_member(looks, "n"), 1);
	int64_t n_ran = json_read_int(json_read_member(looks, "n_ran"), 0);

	if (n < 2) {
		phrase_add(p, "1 sample: progress is not known");
		return;
	}
	if (n == 2)
		phrase_add(p, "2 samples, ");
	else
		phrase_printf(p, "%" PRId64 " samples within ", n);
	value_add_duration(p, json_read_int(json_read_member(looks, "interval_us"), 0));
	phrase_add(p, n == 2 ? " apart: " : ": ");
	if (!n_ran) {
		phrase_add(p, "no thread ran");
		return;
	}
	phrase_printf(p, "%" PRId64 " of %" PRId64 " threads ran, for ", n_ran,
		      json_read_int(json_read_member(json_read_member(source, "threads"), "all"), 0));
	value_add_duration(p, json_read_int(json_read_member(looks, "cpu_us"), 0));
	phrase_add(p, " of CPU time");
}

static struct node *add_line(struct node *root, const char *kind, const char *label, const char *text)
{
	struct node *node = node_add(root, node_create(kind, label));

	if (node)
		phrase_add(&node->text, text);
	return node;
}

/* Add all lines. The title of the first finding is the title of the whole diagnosis. */
static struct error *add_lines(struct node *root, struct json_object *source)
{
	struct json_object *findings = json_read_member(source, "findings"), *notes = json_read_member(source, "notes");
	const char *verdict = json_read_text(source, "verdict");
	struct node *node = add_line(root, "verdict", "", json_read_text(source, "title"));

	if (!node)
		return &error_nomem;
	node->state = state_name_other_json(find_key(verdict), verdict);
	for (size_t i = 0; i < json_read_length(findings); i++) {
		struct json_object *finding = json_object_array_get_idx(findings, i);
		int is_candidate = !strcmp(json_read_text(finding, "certainty"), "candidate");

		if (i)
			node = add_line(root, "finding", is_candidate ? "maybe" : "also",
					json_read_text(finding, "title"));
		if (!node)
			return &error_nomem;
		add_finding(node, finding);
	}
	for (size_t i = 0; i < json_read_length(notes); i++)
		add_line(root, "note", "note", json_read_text(json_object_array_get_idx(notes, i), "text"));
	node = add_line(root, "samples", "", "");
	if (!node)
		return &error_nomem;
	add_samples_text(&node->text, source);
	return NULL;
}

/* Return "4 OpenMP threads: 2 waiting, 0 sleeping, 1 running, 1 idle". */
static struct json_object *summary_json(struct json_object *source)
{
	static const char *const activities[] = {"waiting", "sleeping", "running", "idle"};
	struct json_object *counts = json_read_member(source, "threads");
	int64_t n = json_read_int(json_read_member(counts, "openmp"), 0);
	struct buf text = {0};

	value_add_count(&text, n > 0 ? (size_t)n : 0, "OpenMP thread");
	for (size_t i = 0; i < sizeof(activities) / sizeof(*activities); i++)
		phrase_printf(&text, "%s%" PRId64 " %s", i ? ", " : ": ",
			      json_read_int(json_read_member(counts, activities[i]), 0), activities[i]);
	return phrase_take_json(&text);
}

struct error *why_add(struct json_object *o, const struct view_request *request, struct json_object *source)
{
	struct node *root = node_create("process", "process");
	struct error *err = root ? add_lines(root, source) : &error_nomem;

	json_object_object_add(o, "verdict", json_object_get(json_read_member(source, "verdict")));
	json_object_object_add(o, "summary", summary_json(source));
	if (!err)
		json_object_object_add(o, "nodes", node_array_json(root));
	node_destroy(root);
	if (!err && request->graph)
		err = why_add_graph(o, source);
	if (!err && request->graph)
		err = why_add_places(o, request, source);
	return err;
}
