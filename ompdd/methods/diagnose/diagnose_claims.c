/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Evidence of a finding of diagnose.get, as claims: one sentence each, with its source. */
#include <stdlib.h>

#include "methods/diagnose/diagnose.h"
#include "methods/json/json.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "rpc/json_write.h"

static void add_claim(struct json_object *array, struct sentence *t, const char *source, const struct diagnosis *d,
		      uint32_t thread)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "text", json_text(t->text));
	json_put(o, "source", json_object_new_string(source));
	if (thread != WAITS_NONE)
		json_put(o, "thread", json_object_new_int(d->snapshot.threads[thread].tid));
	json_object_array_add(array, o);
}

/* Return the edge from one node to another. */
static const struct waits_edge *edge_between(const struct waits *w, uint32_t from, uint32_t to)
{
	for (uint32_t e = w->nodes[from].first_edge; e != WAITS_NONE; e = w->edges[e].next) {
		if (w->edges[e].to == to)
			return &w->edges[e];
	}
	return NULL;
}

static void claim_waits(const struct diagnosis *d, struct json_object *array, uint32_t node, uint32_t thing,
			const char *source)
{
	struct sentence t = {.len = 0}, place = {.len = 0};

	diagnose_thread(d, d->waits.nodes[node].index, &t);
	sentence_add(&t, " waits for ");
	diagnose_thing(d, thing, &t);
	if (diagnose_place(d, d->waits.nodes[node].index, &place))
		sentence_add(&t, ", in %s", place.text);
	add_claim(array, &t, source, d, d->waits.nodes[node].index);
}

/* Return the relation of the holder to the resource, as a verb phrase. */
static const char *describe_holding(enum holder_kind what)
{
	switch (what) {
	case HOLDER_BARRIER:
		return " has not arrived";
	case HOLDER_CRITICAL:
	case HOLDER_ATOMIC:
		return " executes it";
	case HOLDER_ORDERED:
		return " comes first";
	case HOLDER_SINGLE:
	case HOLDER_TASKWAIT:
	case HOLDER_TASKGROUP:
		return " executes it";
	case HOLDER_JOIN:
		return " has not ended";
	case HOLDER_NONE:
	case HOLDER_DEVICE:
	case HOLDER_LOCK:
	case HOLDER_NEST_LOCK:
	case HOLDER_MUTEX:
	case HOLDER_PTHREAD:
	case HOLDER_GIL:
	case HOLDER_RWLOCK:
	case HOLDER_CONDITION:
	case HOLDER_SEMAPHORE:
	case HOLDER_STREAM:
	case HOLDER_ARENA:
	case HOLDER_KINDS:
		break;
	}
	return " holds it";
}

static void claim_held(const struct diagnosis *d, struct json_object *array, uint32_t thing, uint32_t node,
		       const struct waits_edge *edge)
{
	struct sentence t = {.len = 0};
	const struct waits_node *n = &d->waits.nodes[node];

	if (n->kind == WAITS_TASK)
		sentence_add(&t, "there is a task");
	else if (n->index == WAITS_NONE)
		sentence_add(&t, n->doing == HOLDER_ENDED ? "its holder has ended"
							  : "its holder is not a thread of this process");
	else
		diagnose_thread(d, n->index, &t);
	if (n->kind == WAITS_THREAD && n->index != WAITS_NONE)
		sentence_add(&t, "%s",
			     edge->is_candidate ? " may be the holder" : describe_holding(d->waits.nodes[thing].what));
	if (edge->evidence)
		sentence_add(&t, ": %s", edge->evidence);
	add_claim(array, &t, holder_source_name(edge->source), d, n->kind == WAITS_THREAD ? n->index : WAITS_NONE);
}

static void claim_cycle(const struct diagnosis *d, const struct waits_finding *f, struct json_object *array)
{
	for (uint32_t i = 0; i < f->n_nodes && json_object_array_length(array) < DIAGNOSE_MAX_CLAIMS; i++) {
		uint32_t from = f->nodes[i], to = f->nodes[(i + 1) % f->n_nodes];
		const struct waits_edge *edge = edge_between(&d->waits, from, to);

		if (edge && d->waits.nodes[from].kind == WAITS_THREAD)
			claim_waits(d, array, from, to, holder_source_name(edge->source));
		else if (edge)
			claim_held(d, array, from, to, edge);
	}
}

static void claim_where(const struct diagnosis *d, struct json_object *array, uint32_t thread)
{
	struct sentence t = {.len = 0}, place = {.len = 0};
	const struct waits_thread *w = &d->threads[thread];
	const char *outside = d->where[thread].outside;

	diagnose_thread(d, thread, &t);
	bool has_place = diagnose_place(d, thread, &place);
	if (diagnose_is_at_end(d, thread))
		sentence_add(&t, " has finished its part of the region and waits at the end of the region%s%s",
			     has_place ? ", in " : "", place.text);
	else if (has_place)
		sentence_add(&t, " is in %s", place.text);
	else
		sentence_add(&t, " is at an unknown place");
	if (outside) {
		sentence_add(&t, ", in ");
		diagnose_call(&t, outside);
		diagnose_object(d, thread, &t);
	}
	if (w->progress == PROGRESS_POLLS || w->progress == PROGRESS_SPINS)
		sentence_add(&t, "; all %u samples found it there", d->n_observations - 1);
	if (w->progress == PROGRESS_SPINS)
		sentence_add(&t, ", with the same registers and stack");
	if (w->progress == PROGRESS_OPENMP)
		sentence_add(&t, "; it passed constructs of OpenMP during the observation");
	if (d->came_from && d->came_from[thread])
		sentence_add(&t, "; it was in %s at the previous observation", d->came_from[thread]);
	else if (w->motion == MOTION_ASLEEP)
		sentence_add(&t, "; it slept during the whole observation");
	else if (w->motion == MOTION_RAN && d->cpu_ns[thread] >= 1000000)
		sentence_add(&t, "; it had a CPU for %lld of %lld ms", (long long)(d->cpu_ns[thread] / 1000000),
			     (long long)(d->interval_us / 1000));
	else if (w->motion == MOTION_RAN)
		sentence_add(&t, "; it ran for a short time");
	add_claim(array, &t, "kernel", d, thread);
}

/* Add the direct waiters for the finding's resource, one claim for all waiters of one kind. */
static void claim_waiters(const struct diagnosis *d, const struct waits_finding *f, struct json_object *array)
{
	struct waits_finding waiters = {.n_nodes = 0};
	uint32_t *nodes = malloc((d->waits.n_nodes ? d->waits.n_nodes : 1) * sizeof(*nodes));
	enum holder_source source = HOLDER_FROM_KERNEL;

	for (uint32_t i = 0; i < d->waits.n_nodes && nodes; i++) {
		const struct waits_edge *edge = edge_between(&d->waits, i, f->thing);

		if (!edge || edge->kind != WAITS_FOR)
			continue;
		nodes[waiters.n_nodes++] = i;
		source = edge->source;
	}
	waiters.nodes = nodes;
	if (waiters.n_nodes) {
		struct sentence t = {.len = 0}, place = {.len = 0};
		const struct waits_node *thing = &d->waits.nodes[f->thing];

		diagnose_threads(d, &waiters, &t);
		sentence_add(&t, waiters.n_nodes == 1 ? " waits for " : " wait for ");
		diagnose_thing(d, f->thing, &t);
		if (thing->kind == WAITS_BARRIER && thing->index != SNAPSHOT_NONE) {
			const struct snapshot_parallel *p = &d->snapshot.parallels[thing->index];

			if (p->team_size.rc == ompd_rc_ok)
				sentence_add(&t, " at which %u of %lld threads have arrived", waiters.n_nodes,
					     (long long)p->team_size.value);
		}
		if (diagnose_place(d, diagnose_first_thread(d, &waiters), &place))
			sentence_add(&t, ", in %s", place.text);
		add_claim(array, &t, holder_source_name(source), d, WAITS_NONE);
	}
	free(nodes);
}

static bool is_lock(enum holder_kind kind)
{
	return kind == HOLDER_LOCK || kind == HOLDER_NEST_LOCK || kind == HOLDER_CRITICAL;
}

static const char *stores_holders_with(const struct diagnosis *d)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(d->m, &why);

	return runtime ? runtime->descriptor->stores_holders_with : NULL;
}

/* Add the possible holders. A waiting candidate is not the cause, but may be part of a cycle. */
static void claim_candidates(const struct diagnosis *d, const struct waits_finding *f, struct json_object *array)
{
	const struct holder_wait *wait = d->waits.nodes[f->thing].wait;
	struct sentence t = {.len = 0};
	uint32_t n_waiting = 0;

	if (wait->unknown) {
		const char *with = is_lock(wait->kind) ? stores_holders_with(d) : NULL;

		sentence_add(&t, "%s", wait->unknown);
		if (with)
			sentence_add(&t, "; a run with %s stores it", with);
		add_claim(array, &t, "inferred", d, WAITS_NONE);
	}
	for (uint32_t i = 0; i < f->n_nodes && json_object_array_length(array) < DIAGNOSE_MAX_CLAIMS; i++) {
		const struct waits_edge *edge = edge_between(&d->waits, f->thing, f->nodes[i]);

		if (d->waits.nodes[f->nodes[i]].first_edge != WAITS_NONE)
			n_waiting++;
		else if (edge)
			claim_held(d, array, f->thing, f->nodes[i], edge);
	}
	if (!n_waiting)
		return;
	for (uint32_t i = 0; i < f->n_nodes && f->kind == FINDING_ALL_WAIT; i++) {
		if (json_object_array_length(array) < DIAGNOSE_MAX_CLAIMS)
			claim_where(d, array, d->waits.nodes[f->nodes[i]].index);
	}
	if (f->kind == FINDING_ALL_WAIT)
		return;
	t = (struct sentence){.len = 0};
	sentence_add(&t, "%u waiting thread%s may also be the holder: there may be a cycle", n_waiting,
		     n_waiting == 1 ? "" : "s");
	add_claim(array, &t, "inferred", d, WAITS_NONE);
}

/* Add that the first thread may be the copy of a holder, if the process was or may have been forked. */
static void claim_first(const struct diagnosis *d, struct json_object *array)
{
	struct sentence t = {.len = 0};

	diagnose_thread(d, d->first_thread, &t);
	sentence_add(&t, " may be a copy of the holder, %s",
		     d->snapshot.origin == TARGET_IMAGE_FORKED ? "because it is the copy of the thread that forked"
							       : "if the process was forked");
	add_claim(array, &t, "inferred", d, d->first_thread);
}

static void claim_ends(const struct diagnosis *d, const struct waits_finding *f, struct json_object *array)
{
	if (f->thing != WAITS_NONE && f->what != HOLDER_DEVICE)
		claim_waiters(d, f, array);
	for (uint32_t i = 0; i < f->n_nodes && json_object_array_length(array) < DIAGNOSE_MAX_CLAIMS; i++) {
		const struct waits_node *node = &d->waits.nodes[f->nodes[i]];
		const struct waits_edge *edge =
			f->thing == WAITS_NONE ? NULL : edge_between(&d->waits, f->thing, f->nodes[i]);

		/* A thread that is missing at a barrier was named above. */
		if (edge && edge->kind == WAITS_HELD_BY && f->what != HOLDER_BARRIER)
			claim_held(d, array, f->thing, f->nodes[i], edge);
		if (node->kind == WAITS_THREAD && node->index != WAITS_NONE)
			claim_where(d, array, node->index);
	}
	if (f->kind == FINDING_ELSEWHERE && !f->is_proven)
		claim_first(d, array);
}

struct json_object *diagnose_claims_json(const struct diagnosis *d, const struct waits_finding *f)
{
	struct json_object *array = json_object_new_array();

	if (f->kind == FINDING_CYCLE)
		claim_cycle(d, f, array);
	else if (f->kind == FINDING_UNKNOWN || f->kind == FINDING_ALL_WAIT) {
		claim_waiters(d, f, array);
		claim_candidates(d, f, array);
	} else {
		claim_ends(d, f, array);
	}
	return array;
}
