/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates nodes and edges for the waits of a snapshot's threads. */
#include "openmp/model/wait/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/vector.h"

/* Looks up nodes during construction. */
struct builder {
	const struct waits_input *in;
	struct waits *w;
	uint32_t *of_thread, *of_task; /* by index */
	struct hash things;	       /* of nodes */
};

static uint32_t add_node(struct waits *w, enum waits_node_kind kind, uint32_t index)
{
	if (!VECTOR_GROW(w->nodes, w->n_nodes, w->cap_nodes))
		return WAITS_NONE;
	w->nodes[w->n_nodes] = (struct waits_node){.kind = kind, .index = index, .first_edge = WAITS_NONE};
	return w->n_nodes++;
}

static bool add_edge(struct builder *b, struct waits_edge edge)
{
	struct waits *w = b->w;

	if (edge.from == WAITS_NONE || edge.to == WAITS_NONE || !VECTOR_GROW(w->edges, w->n_edges, w->cap_edges))
		return false;
	edge.next = w->nodes[edge.from].first_edge;
	w->nodes[edge.from].first_edge = w->n_edges;
	w->edges[w->n_edges++] = edge;
	return true;
}

/* Returns the node of @thread. A missing thread gets one node per resource it holds. */
static uint32_t get_thread_node(struct builder *b, uint32_t thread)
{
	if (thread >= b->in->s->n_threads)
		return add_node(b->w, WAITS_THREAD, WAITS_NONE);
	if (b->of_thread[thread] == WAITS_NONE) {
		uint32_t node = add_node(b->w, WAITS_THREAD, thread);

		if (node == WAITS_NONE)
			return node;
		b->w->nodes[node].wait = holders_of(b->in->holders, thread);
		b->of_thread[thread] = node;
	}
	return b->of_thread[thread];
}

static uint32_t get_task_node(struct builder *b, const struct holder *h)
{
	if (b->of_task[h->task] == WAITS_NONE) {
		uint32_t node = add_node(b->w, WAITS_TASK, h->task);

		if (node == WAITS_NONE)
			return node;
		b->w->nodes[node].doing = h->doing;
		b->w->nodes[node].n_predecessors = h->n_predecessors;
		b->of_task[h->task] = node;
	}
	return b->of_task[h->task];
}

static bool is_for_tasks(enum holder_kind kind)
{
	return kind == HOLDER_TASKWAIT || kind == HOLDER_TASKGROUP;
}

/*
 * Threads that wait for the same device in the same construct share a thing, if all of them stay in their waits, or
 * none does. Two waits for unknown devices may concern different devices.
 */
static uint64_t get_device_id(const struct builder *b, uint32_t thread)
{
	const struct snapshot_thread *t = &b->in->s->threads[thread];

	if (!t->has_device || !t->entry)
		return ~(uint64_t)thread;
	return (uint64_t)(uintptr_t)t->entry ^ (uint64_t)(uint32_t)t->device << 48 ^
	       (uint64_t)waits_stays_at_device(b->in, thread);
}

/*
 * Returns the identity of a thing: its address; for the children of a task, that task; for a barrier, also its region.
 */
static uint64_t get_thing_id(const struct builder *b, const struct holder_wait *wait)
{
	if (is_for_tasks(wait->kind))
		return wait->task;
	if (wait->kind == HOLDER_ORDERED)
		return b->in->s->threads[wait->thread].parallel.index;
	if (wait->kind == HOLDER_DEVICE)
		return get_device_id(b, wait->thread);
	/* Two waits for unknown locks may concern different locks, so each has its own id. A team has one barrier. */
	if (wait->kind == HOLDER_BARRIER || wait->kind == HOLDER_SINGLE)
		return wait->wait_id;
	if (wait->address || wait->wait_id)
		return wait->address ? wait->address : wait->wait_id;
	return wait->is_only ? 1 : ~(uint64_t)wait->thread;
}

static uint32_t get_thing_node(struct builder *b, const struct holder_wait *wait, bool *is_new)
{
	struct waits *w = b->w;
	bool is_barrier = wait->kind == HOLDER_BARRIER;
	uint32_t region = is_barrier ? b->in->s->threads[wait->thread].parallel.index : WAITS_NONE;
	uint64_t id = get_thing_id(b, wait);
	uint32_t hash = hash_number(id ^ (uint64_t)region << 32 ^ (uint64_t)wait->kind << 56);

	*is_new = false;
	hash_for_each(i, &b->things, hash)
	{
		const struct waits_node *node = &w->nodes[i];

		/*
		 * In an ordered construct each thread waits for another turn. Threads with an unknown turn share one
		 * node.
		 */
		bool is_own_turn = wait->kind == HOLDER_ORDERED && (wait->n_holders || node->wait->n_holders);
		if (node->what == wait->kind && node->id == id && node->index == region && !is_own_turn)
			return i;
	}
	uint32_t node = add_node(w, is_barrier ? WAITS_BARRIER : WAITS_THING, region);
	if (node == WAITS_NONE || !hash_add(&b->things, hash, node))
		return WAITS_NONE;
	w->nodes[node].what = wait->kind;
	w->nodes[node].id = id;
	w->nodes[node].wait = wait;
	*is_new = true;
	return node;
}

static bool add_holder(struct builder *b, uint32_t thing, const struct holder *h, bool is_candidate)
{
	struct waits_edge edge = {
		.from = thing,
		.kind = WAITS_HELD_BY,
		.source = h->source,
		.is_candidate = is_candidate || h->source == HOLDER_INFERRED,
		.evidence = h->evidence,
	};

	if (!is_for_tasks(b->w->nodes[thing].what) || h->task >= b->in->s->n_tasks) {
		edge.to = get_thread_node(b, h->thread);
		if (edge.to != WAITS_NONE && h->thread >= b->in->s->n_threads)
			b->w->nodes[edge.to].doing = h->doing;
		return add_edge(b, edge);
	}
	edge.to = get_task_node(b, h);
	if (edge.to == WAITS_NONE || !add_edge(b, edge))
		return false;
	if (h->thread >= b->in->s->n_threads || b->w->nodes[edge.to].first_edge != WAITS_NONE)
		return true;
	return add_edge(b, (struct waits_edge){
				   .from = edge.to,
				   .to = get_thread_node(b, h->thread),
				   .kind = WAITS_HELD_BY,
				   .source = HOLDER_FROM_PLUGIN,
				   .evidence = "it executes that task",
			   });
}

static bool add_wait(struct builder *b, const struct holder_wait *wait)
{
	const struct snapshot_thread *thread = &b->in->s->threads[wait->thread];
	bool is_new;
	uint32_t thing = get_thing_node(b, wait, &is_new);

	if (thing == WAITS_NONE ||
	    !add_edge(b, (struct waits_edge){
				 .from = get_thread_node(b, wait->thread),
				 .to = thing,
				 .kind = WAITS_FOR,
				 .source = wait->kind == HOLDER_GIL		      ? HOLDER_FROM_MEMORY
					   : wait->kind >= HOLDER_RWLOCK	      ? HOLDER_FROM_CODE
					   : b->in->threads[wait->thread].is_by_stack ? HOLDER_FROM_CODE
					   : thread->state_is_inferred		      ? HOLDER_FROM_KERNEL
										      : HOLDER_FROM_PLUGIN,
				 .evidence = wait->kind == HOLDER_GIL ? "it sleeps on a member of the GIL" : NULL,
			 }))
		return false;
	b->w->nodes[thing].n_waiting++;
	/* All waiters name the same holders, but each may have omitted itself. */
	for (uint32_t i = 0; i < wait->n_holders && is_new; i++) {
		if (!add_holder(b, thing, &wait->holders[i], false))
			return false;
	}
	for (uint32_t i = 0; i < wait->n_listed && is_new && !wait->is_complete; i++) {
		if (!add_holder(b, thing, &wait->candidates[i], true))
			return false;
	}
	return true;
}

static uint32_t *create_index(size_t n)
{
	uint32_t *index = malloc((n ? n : 1) * sizeof(*index));

	if (index)
		memset(index, 0xff, (n ? n : 1) * sizeof(*index));
	return index;
}

struct error *waits_build(const struct waits_input *in, struct waits *w)
{
	struct builder b = {.in = in, .w = w};
	bool ok;

	_cleanup_free_ uint32_t *of_thread = b.of_thread = create_index(in->s->n_threads);
	_cleanup_free_ uint32_t *of_task = b.of_task = create_index(in->s->n_tasks);
	ok = of_thread && of_task;
	for (size_t i = 0; i < in->holders->n && ok; i++)
		ok = add_wait(&b, &in->holders->waits[i]);
	hash_deinit(&b.things);
	return ok ? NULL : &error_nomem;
}

uint32_t waits_thread_node(struct waits *w, uint32_t thread)
{
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		if (w->nodes[i].kind == WAITS_THREAD && w->nodes[i].index == thread)
			return i;
	}
	return add_node(w, WAITS_THREAD, thread);
}

/* Whether the holder slept during the whole observation: it has not released anything meanwhile. */
static bool has_slept(const struct waits_input *in, const struct holder *holder)
{
	return holder->thread < in->s->n_threads && in->threads[holder->thread].motion == MOTION_ASLEEP;
}

/*
 * Whether the lock has a holder at the moment when the thread is in the acquiring routine. The thread cannot proceed,
 * and releases nothing before that. At a barrier it may have been released without having noticed yet.
 */
static bool is_kept_out(const struct waits_input *in, const struct holder_wait *wait)
{
	switch (wait->kind) {
	case HOLDER_LOCK:
	case HOLDER_NEST_LOCK:
	case HOLDER_CRITICAL:
	case HOLDER_ATOMIC:
	case HOLDER_PTHREAD:
	case HOLDER_RWLOCK:
	case HOLDER_JOIN:
	case HOLDER_STREAM:
	case HOLDER_ARENA:
		return in->is_consistent && wait->n_holders > 0;
	case HOLDER_GIL:
		return wait->n_holders > 0 && (in->is_consistent || has_slept(in, &wait->holders[0]));
	case HOLDER_NONE:
	case HOLDER_MUTEX:
	case HOLDER_ORDERED:
	case HOLDER_SINGLE:
	case HOLDER_BARRIER:
	case HOLDER_TASKWAIT:
	case HOLDER_TASKGROUP:
	case HOLDER_DEVICE:
	case HOLDER_CONDITION:
	case HOLDER_SEMAPHORE:
	case HOLDER_KINDS:
		break;
	}
	return false;
}

bool waits_is_waiting(const struct waits_input *in, uint32_t thread)
{
	const struct holder_wait *wait = thread < in->s->n_threads ? holders_of(in->holders, thread) : NULL;

	return wait && (!in->threads[thread].is_released || is_kept_out(in, wait));
}

bool waits_is_settled(const struct waits_input *in, uint32_t thread)
{
	if (!waits_is_waiting(in, thread))
		return false;
	const struct waits_thread *t = &in->threads[thread];

	return (in->is_core ? t->is_asleep : t->motion == MOTION_ASLEEP) ||
	       is_kept_out(in, holders_of(in->holders, thread));
}

struct waits_finding *waits_add_finding(struct waits *w, enum waits_finding_kind kind, const uint32_t *nodes,
					uint32_t n)
{
	uint32_t *copy = arena_alloc(&w->arena, (n ? n : 1) * sizeof(*copy));

	if (!copy || !VECTOR_GROW(w->findings, w->n_findings, w->cap_findings))
		return NULL;
	if (n)
		memcpy(copy, nodes, n * sizeof(*copy));
	struct waits_finding *finding = &w->findings[w->n_findings++];
	*finding = (struct waits_finding){.kind = kind, .thing = WAITS_NONE, .nodes = copy, .n_nodes = n};
	return finding;
}

/*
 * Finds the nodes that wait for @nodes, without @nodes, by following edges backwards until no node is new. The numbers
 * of nodes and findings are small.
 */
static bool *find_waiting_nodes(const struct waits *w, const uint32_t *nodes, uint32_t n)
{
	bool *reaches = calloc(w->n_nodes ? w->n_nodes : 1, sizeof(*reaches));
	bool any = true;

	for (uint32_t i = 0; i < n && reaches; i++)
		reaches[nodes[i]] = true;
	while (any && reaches) {
		any = false;
		for (uint32_t i = 0; i < w->n_edges; i++) {
			const struct waits_edge *e = &w->edges[i];

			if (!e->is_candidate && reaches[e->to] && !reaches[e->from])
				any = reaches[e->from] = true;
		}
	}
	for (uint32_t i = 0; i < n && reaches; i++)
		reaches[nodes[i]] = false;
	return reaches;
}

struct error *waits_count_waiting(const struct waits *w, const uint32_t *nodes, uint32_t n, uint32_t *ret)
{
	_cleanup_free_ bool *reaches = find_waiting_nodes(w, nodes, n);

	if (!reaches)
		return &error_nomem;
	*ret = 0;
	for (uint32_t i = 0; i < w->n_nodes; i++)
		*ret += reaches[i] && w->nodes[i].kind == WAITS_THREAD;
	return NULL;
}

struct error *waits_leads_to(const struct waits *w, uint32_t thread, uint32_t thing, bool *ret)
{
	_cleanup_free_ bool *reaches = find_waiting_nodes(w, &thing, 1);

	if (!reaches)
		return &error_nomem;
	*ret = false;
	for (uint32_t i = 0; i < w->n_nodes; i++)
		*ret |= reaches[i] && w->nodes[i].kind == WAITS_THREAD && w->nodes[i].index == thread;
	return NULL;
}
