/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of diagnose.get. */
#include <stdio.h>

#include "methods/diagnose/diagnose.h"
#include "methods/json/json.h"
#include "methods/json/stack_json.h"
#include "methods/state.h"
#include "rpc/json_write.h"

/* Return "thread:4711" or "lock:0x55d0c0de4040", unique within a result. */
static struct json_object *node_id(const struct diagnosis *d, uint32_t index)
{
	static const char *const kinds[] = {
		[WAITS_THREAD] = "thread", [WAITS_TASK] = "task", [WAITS_THING] = "thing", [WAITS_BARRIER] = "barrier"};
	const struct waits_node *node = &d->waits.nodes[index];
	char text[48];

	if (node->kind == WAITS_THREAD && node->index != WAITS_NONE)
		snprintf(text, sizeof(text), "thread:%d", (int)d->snapshot.threads[node->index].tid);
	else
		snprintf(text, sizeof(text), "%s:n%u", kinds[node->kind], index);
	return json_object_new_string(text);
}

static struct json_object *sentence_json(const struct sentence *t)
{
	return json_text(t->text);
}

static struct json_object *thread_json(const struct diagnosis *d, uint32_t index)
{
	const struct snapshot_thread *thread = &d->snapshot.threads[index];
	const struct stack_where *where = &d->where[index];
	struct json_object *o = json_object_new_object();

	json_put(o, "tid", json_object_new_int(thread->tid));
	if (thread->openmp && thread->thread_num.rc == ompd_rc_ok)
		json_put(o, "thread_num", json_object_new_int64(thread->thread_num.value));
	if (where->pc)
		json_put(o, "place", stack_where_json(where));
	if (thread->location)
		json_put(o, "location", json_location(thread->location));
	if (where->outside)
		json_put(o, "calls", diagnose_call_json(where->outside));
	if (d->threads[index].motion != MOTION_UNKNOWN)
		json_put(o, "cpu_us", json_object_new_int64((int64_t)(d->cpu_ns[index] / 1000)));
	if (d->threads[index].motion == MOTION_RAN)
		json_put(o, "progress", json_object_new_string(waits_progress_name(d->threads[index].progress)));
	return o;
}

static struct json_object *finding_json(const struct diagnosis *d, const struct waits_finding *f)
{
	struct json_object *o = json_object_new_object(), *threads = json_object_new_array();
	struct sentence title = {.len = 0}, thing = {.len = 0};
	uint32_t n = 0;

	diagnose_finding_title(d, f, &title);
	json_put(o, "kind", json_object_new_string(waits_finding_name(f->kind)));
	json_put(o, "certainty", json_object_new_string(f->is_proven ? "proven" : "candidate"));
	json_put(o, "title", sentence_json(&title));
	if (f->what != HOLDER_NONE)
		json_put(o, "waits_for", json_object_new_string(holder_kind_name(f->what)));
	if (f->thing != WAITS_NONE) {
		diagnose_thing(d, f->thing, &thing);
		json_put(o, "thing", sentence_json(&thing));
	}
	if (f->kind == FINDING_DEVICE && f->what == HOLDER_DEVICE) {
		const struct snapshot_thread *thread = &d->snapshot.threads[diagnose_first_thread(d, f)];

		if (thread->has_device)
			json_put(o, "device", json_object_new_int(thread->device));
	}
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		const struct waits_node *node = &d->waits.nodes[f->nodes[i]];

		if (node->kind == WAITS_THREAD && node->index != WAITS_NONE && n++ < DIAGNOSE_MAX_THREADS)
			json_object_array_add(threads, thread_json(d, node->index));
	}
	json_put(o, "threads", threads);
	json_put(o, "n_threads", json_object_new_int64(n));
	json_put(o, "n_waiting", json_object_new_int64(f->n_waiting));
	json_put(o, "claims", diagnose_claims_json(d, f));
	return o;
}

static struct json_object *node_json(const struct diagnosis *d, uint32_t index)
{
	const struct waits_node *node = &d->waits.nodes[index];
	struct json_object *o = json_object_new_object();
	struct sentence t = {.len = 0};

	json_put(o, "id", node_id(d, index));
	switch (node->kind) {
	case WAITS_THREAD:
		json_put(o, "kind", json_object_new_string("thread"));
		if (node->index != WAITS_NONE)
			json_put(o, "tid", json_object_new_int(d->snapshot.threads[node->index].tid));
		break;
	case WAITS_TASK:
		json_put(o, "kind", json_object_new_string("task"));
		json_put(o, "doing", json_object_new_string(holder_doing_name(node->doing)));
		break;
	case WAITS_THING:
	case WAITS_BARRIER:
		diagnose_thing(d, index, &t);
		json_put(o, "kind", json_object_new_string(holder_kind_name(node->what)));
		json_put(o, "name", sentence_json(&t));
		if (node->wait->wait_id)
			json_put(o, "wait_id", json_hex(node->wait->wait_id));
		break;
	}
	return o;
}

static void put_graph(const struct diagnosis *d, struct json_object *o)
{
	struct json_object *nodes = json_object_new_array(), *edges = json_object_new_array();

	for (uint32_t i = 0; i < d->waits.n_nodes; i++)
		json_object_array_add(nodes, node_json(d, i));
	for (uint32_t i = 0; i < d->waits.n_edges; i++) {
		const struct waits_edge *e = &d->waits.edges[i];
		struct json_object *edge = json_object_new_object();

		json_put(edge, "from", node_id(d, e->from));
		json_put(edge, "to", node_id(d, e->to));
		json_put(edge, "kind", json_object_new_string(e->kind == WAITS_FOR ? "waits_for" : "held_by"));
		json_put(edge, "source", json_object_new_string(holder_source_name(e->source)));
		json_put(edge, "certainty", json_object_new_string(e->is_candidate ? "candidate" : "proven"));
		if (e->evidence)
			json_put(edge, "evidence", json_text(e->evidence));
		json_object_array_add(edges, edge);
	}
	json_put(o, "nodes", nodes);
	json_put(o, "edges", edges);
}

static struct json_object *observations_json(const struct diagnosis *d)
{
	struct json_object *o = json_object_new_object();
	uint64_t cpu_ns = 0;

	json_put(o, "n", json_object_new_int((int)d->n_observations));
	if (!d->interval_us)
		return o;
	for (size_t i = 0; i < d->snapshot.n_threads; i++)
		cpu_ns += d->cpu_ns[i];
	json_put(o, "interval_us", json_object_new_int64(d->interval_us));
	json_put(o, "n_ran", json_object_new_int64((int64_t)d->n_ran));
	json_put(o, "cpu_us", json_object_new_int64((int64_t)(cpu_ns / 1000)));
	return o;
}

static struct json_object *counts_json(const struct diagnosis *d)
{
	const struct waits *w = &d->waits;
	struct json_object *o = json_object_new_object();

	json_put(o, "all", json_object_new_int64((int64_t)d->snapshot.n_threads));
	json_put(o, "openmp", json_object_new_int64((int64_t)d->snapshot.n_openmp));
	json_put(o, "waiting", json_object_new_int64(w->n_waiting));
	json_put(o, "idle", json_object_new_int64(w->n_idle));
	json_put(o, "sleeping", json_object_new_int64(w->n_sleeping));
	json_put(o, "running", json_object_new_int64(w->n_running));
	return o;
}

struct json_object *diagnose_json(struct diagnosis *all, size_t n, size_t best, bool with_graph)
{
	struct diagnosis *d = &all[best];
	struct json_object *o = json_result(d->w), *findings, *warnings;
	struct sentence title = {.len = 0};

	if (!o)
		return NULL;
	json_put_view(o, &d->view);
	json_put(o, "runtime", state_runtime_json(d->m));
	diagnose_title(d, &title);
	json_put(o, "verdict", json_object_new_string(waits_verdict_name(d->waits.verdict)));
	json_put(o, "title", sentence_json(&title));
	json_put(o, "looks", observations_json(d));
	json_put(o, "threads", counts_json(d));
	findings = json_object_new_array_ext((int)d->waits.n_findings);
	for (uint32_t i = 0; i < d->waits.n_findings; i++)
		json_object_array_add(findings, finding_json(d, &d->waits.findings[i]));
	json_put(o, "findings", findings);
	json_put(o, "notes", diagnose_notes_json(all, n, best));
	if (with_graph)
		put_graph(d, o);
	warnings = state_warnings_json(d->w, &d->snapshot);
	if (warnings)
		json_put(o, "warnings", warnings);
	return o;
}
