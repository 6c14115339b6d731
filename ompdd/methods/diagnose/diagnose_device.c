/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sentence of diagnose.get on a device: what it has not finished, and the threads that wait for that. */
#include <stdlib.h>

#include "base/path.h"
#include "methods/diagnose/diagnose.h"
#include "openmp/runtimes/constructs.h"

/* Return the awaited part of the construct, as a noun phrase. */
static const char *describe_target(const struct snapshot_thread *thread)
{
	const char *callee = thread->entry && thread->construct == CONSTRUCT_TARGET ? thread->entry->callee : NULL;

	return callee ? construct_target_noun(callee) : "its work";
}

/* Return whether the tasks that a thread waits for at @thing include one that a thread of the finding executes. */
static bool is_for_its_task(const struct diagnosis *d, const struct waits_finding *f, uint32_t thing)
{
	const struct waits *w = &d->waits;

	for (uint32_t e = w->nodes[thing].first_edge; e != WAITS_NONE; e = w->edges[e].next) {
		const struct waits_node *task = &w->nodes[w->edges[e].to];

		if (w->edges[e].is_candidate || task->kind != WAITS_TASK || task->first_edge == WAITS_NONE)
			continue;
		for (uint32_t i = 0; i < f->n_nodes; i++) {
			if (w->edges[task->first_edge].to == f->nodes[i])
				return true;
		}
	}
	return false;
}

/* Return whether @node is among the causes of the finding. */
static bool is_cause(const struct waits_finding *f, uint32_t node)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		if (f->nodes[i] == node)
			return true;
	}
	return false;
}

/*
 * Add "; threads 0-3 wait for its task" for the threads that wait, in taskwait or taskgroup, for tasks that the
 * finding's threads execute. Returns their number.
 */
static uint32_t add_task_waiters(const struct diagnosis *d, const struct waits_finding *f, struct sentence *t)
{
	uint32_t *nodes = malloc((d->waits.n_edges ? d->waits.n_edges : 1) * sizeof(*nodes));
	struct waits_finding waiters = {.nodes = nodes};

	for (uint32_t i = 0; nodes && i < d->waits.n_edges; i++) {
		const struct waits_edge *e = &d->waits.edges[i];

		if (e->kind == WAITS_FOR && !is_cause(f, e->from) && is_for_its_task(d, f, e->to))
			nodes[waiters.n_nodes++] = e->from;
	}
	if (waiters.n_nodes) {
		sentence_add(t, "; ");
		diagnose_threads(d, &waiters, t);
		sentence_add(t, waiters.n_nodes == 1 ? " waits for %s" : " wait for %s",
			     f->n_nodes == 1 ? "its task" : "their tasks");
	}
	free(nodes);
	return waiters.n_nodes;
}

/* Add "a device has not finished a target task; thread 0 (4711) waits for it". No stack shows the construct. */
static void add_offloaded(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret)
{
	uint32_t *nodes = malloc((d->waits.n_edges ? d->waits.n_edges : 1) * sizeof(*nodes));
	struct waits_finding waiters = {.nodes = nodes};

	for (uint32_t i = 0; nodes && i < d->waits.n_edges; i++) {
		if (d->waits.edges[i].kind == WAITS_FOR && d->waits.edges[i].to == f->thing)
			nodes[waiters.n_nodes++] = d->waits.edges[i].from;
	}
	if (f->n_nodes == 1)
		sentence_add(ret, "a device has not finished a target task; ");
	else
		sentence_add(ret, "a device has not finished %u target tasks; ", f->n_nodes);
	diagnose_threads(d, &waiters, ret);
	sentence_add(ret, waiters.n_nodes == 1 ? " waits for %s" : " wait for %s", f->n_nodes == 1 ? "it" : "them");
	if (f->n_waiting > waiters.n_nodes)
		sentence_add(ret, "; %u more %s blocked behind %s", f->n_waiting - waiters.n_nodes,
			     f->n_waiting - waiters.n_nodes == 1 ? "is" : "are", waiters.n_nodes == 1 ? "it" : "them");
	free(nodes);
}

void diagnose_device(const struct diagnosis *d, const struct waits_finding *f, struct sentence *ret)
{
	if (f->what != HOLDER_DEVICE) {
		add_offloaded(d, f, ret);
		return;
	}

	uint32_t thread = diagnose_first_thread(d, f);
	const struct stacks_place *entry = d->snapshot.threads[thread].entry;
	const struct source *source =
		entry ? stacks_source((struct stacks *)&d->stacks, (struct stacks_place *)entry) : NULL;
	const struct source_place *where = source && source->n_places ? &source->places[0] : NULL;

	diagnose_thing(d, f->thing, ret);
	sentence_add(ret, " has not finished %s", describe_target(&d->snapshot.threads[thread]));
	if (where && where->file && where->line > 0)
		sentence_add(ret, " at %.60s:%d", path_file_name(where->file), where->line);
	sentence_add(ret, "; ");
	diagnose_threads(d, f, ret);
	sentence_add(ret, f->n_nodes == 1 ? " waits for it" : " wait for it");
	uint32_t n_more = f->n_waiting - add_task_waiters(d, f, ret);
	if (n_more)
		sentence_add(ret, "; %u more %s blocked behind %s", n_more, n_more == 1 ? "is" : "are",
			     n_more < f->n_waiting || f->n_nodes > 1 ? "them" : "it");
}
