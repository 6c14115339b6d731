/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The view slow: the findings of diagnose.performance with evidence and advice, and how they were measured. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/state_name.h"
#include "view/value.h"

static struct node *add_line(struct node *root, const char *kind, const char *label, const char *text)
{
	struct node *node = node_add(root, node_create(kind, label));

	if (node)
		phrase_add(&node->text, text);
	return node;
}

/* Add the evidence and the advice of a finding below its node. */
static void add_finding(struct node *node, struct json_object *finding)
{
	struct json_object *claims = json_read_member(finding, "claims");

	node_put(node, "certainty", json_object_get(json_read_member(finding, "certainty")));
	for (size_t i = 0; i < json_read_length(claims); i++) {
		struct json_object *claim = json_object_array_get_idx(claims, i);
		struct node *line = node_add(node, node_create("claim", ""));

		if (line)
			phrase_printf(&line->text, "%s [%s]", json_read_text(claim, "text"),
				      json_read_text(claim, "source"));
	}
	add_line(node, "advice", "change", json_read_text(finding, "advice"));
}

/* Append "3.0 s, 298 samples of 4 threads; CPU time 5.9 s, waits for a CPU 5.8 s". */
static void add_samples_text(struct buf *p, struct json_object *source)
{
	struct json_object *profile = json_read_member(source, "profile"),
			   *measured = json_read_member(source, "measured");
	int64_t n = json_read_int(json_read_member(json_read_member(source, "threads"), "openmp"), 0);

	value_add_duration(p, json_read_int(json_read_member(profile, "elapsed_us"), 0));
	phrase_printf(p, ", %" PRId64 " samples of ", json_read_int(json_read_member(profile, "samplings"), 0));
	value_add_count(p, n > 0 ? (size_t)n : 0, "OpenMP thread");
	if (!json_read_member(measured, "cpu_us"))
		return;
	phrase_add(p, "; CPU time ");
	value_add_duration(p, json_read_int(json_read_member(measured, "cpu_us"), 0));
	phrase_add(p, ", waits for a CPU ");
	value_add_duration(p, json_read_int(json_read_member(measured, "ready_us"), 0));
}

static struct error *add_lines(struct node *root, struct json_object *source)
{
	struct json_object *findings = json_read_member(source, "findings"),
			   *not_considered = json_read_member(source, "not_considered");
	size_t n = json_read_length(findings);
	struct node *node = NULL;

	for (size_t i = 0; i < n || i == 0; i++) {
		struct json_object *finding = n ? json_object_array_get_idx(findings, i) : NULL;
		const char *label = !strcmp(json_read_text(finding, "certainty"), "candidate") ? "maybe" : "also";

		node = i ? add_line(root, "finding", label, json_read_text(finding, "title"))
			 : add_line(root, "verdict", "", strcmp(label, "maybe") ? "" : "maybe: ");
		if (!node)
			return &error_nomem;
		if (!i)
			phrase_add(&node->text, json_read_text(source, "title"));
		if (!i)
			node->state = state_name_other_json(n ? "mutex" : "work", n ? "slow" : "no finding");
		if (finding)
			add_finding(node, finding);
	}
	for (size_t i = 0; i < json_read_length(not_considered); i++) {
		node = add_line(root, "note", "note", "not considered: ");
		if (node)
			phrase_add(&node->text, json_read_text(json_object_array_get_idx(not_considered, i), "text"));
	}
	node = add_line(root, "samples", "", "");
	if (!node)
		return &error_nomem;
	add_samples_text(&node->text, source);
	return NULL;
}

struct error *slow_add(struct json_object *o, struct json_object *source)
{
	struct node *root = node_create("process", "process");
	struct error *err = root ? add_lines(root, source) : &error_nomem;

	if (!err)
		json_object_object_add(o, "nodes", node_array_json(root));
	node_destroy(root);
	return err;
}
