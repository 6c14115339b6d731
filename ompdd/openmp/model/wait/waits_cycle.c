/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds cycles of the wait graph. A thread waits for all successors of its node, not for one of them. So a cycle of
 * proven edges never ends if its threads stay in their waits.
 */
#include "openmp/model/wait/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* State of Tarjan's algorithm, without recursion: a chain may have as many nodes as there are threads. */
struct search {
	const struct waits *w;
	uint32_t *number; /* by node; 0: not visited */
	uint32_t *low;
	uint32_t *component; /* by node; WAITS_NONE until known */
	uint32_t *open, n_open;
	uint32_t *path, n_path; /* from the start to the current node */
	uint32_t *at;		/* by node: the next edge */
	uint32_t n_visited, n_components;
};

static uint32_t skip_candidates(const struct waits *w, uint32_t edge)
{
	while (edge != WAITS_NONE && w->edges[edge].is_candidate)
		edge = w->edges[edge].next;
	return edge;
}

static void enter_node(struct search *s, uint32_t node)
{
	s->number[node] = s->low[node] = ++s->n_visited;
	s->at[node] = skip_candidates(s->w, s->w->nodes[node].first_edge);
	s->open[s->n_open++] = node;
	s->path[s->n_path++] = node;
}

static void leave_node(struct search *s, uint32_t node)
{
	s->n_path--;
	if (s->n_path && s->low[node] < s->low[s->path[s->n_path - 1]])
		s->low[s->path[s->n_path - 1]] = s->low[node];
	if (s->low[node] != s->number[node])
		return;
	uint32_t member;
	do {
		member = s->open[--s->n_open];
		s->component[member] = s->n_components;
	} while (member != node);
	s->n_components++;
}

static void search_from(struct search *s, uint32_t start)
{
	enter_node(s, start);
	while (s->n_path) {
		uint32_t node = s->path[s->n_path - 1], edge = s->at[node];

		if (edge == WAITS_NONE) {
			leave_node(s, node);
			continue;
		}
		uint32_t to = s->w->edges[edge].to;
		s->at[node] = skip_candidates(s->w, s->w->edges[edge].next);
		if (!s->number[to])
			enter_node(s, to);
		else if (s->component[to] == WAITS_NONE && s->number[to] < s->low[node])
			s->low[node] = s->number[to];
	}
}

/*
 * Finds the shortest cycle through @start within its component, into @path. Returns its length; 0: there is no cycle.
 */
static uint32_t find_shortest_cycle(const struct waits *w, const uint32_t *component, uint32_t start, uint32_t *from,
				    uint32_t *queue, uint32_t *path)
{
	uint32_t first = 0, end = 0, n = 0;

	memset(from, 0xff, w->n_nodes * sizeof(*from));
	queue[end++] = start;
	while (first < end && from[start] == WAITS_NONE) {
		uint32_t node = queue[first++];

		for (uint32_t e = skip_candidates(w, w->nodes[node].first_edge); e != WAITS_NONE;
		     e = skip_candidates(w, w->edges[e].next)) {
			uint32_t to = w->edges[e].to;

			if (component[to] != component[start] || from[to] != WAITS_NONE)
				continue;
			from[to] = node;
			queue[end++] = to;
		}
	}
	if (from[start] == WAITS_NONE)
		return 0;
	/* Only predecessors are known, so the path is filled from its end. */
	uint32_t node = start;
	do {
		node = from[node];
		n++;
	} while (node != start);
	node = start;
	for (uint32_t i = n; i > 0; i--) {
		node = from[node];
		path[i - 1] = node;
	}
	return n;
}

static bool is_settled(const struct waits_input *in, const struct waits *w, const uint32_t *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct waits_node *node = &w->nodes[path[i]];

		if (node->kind == WAITS_THREAD && !waits_is_settled(in, node->index))
			return false;
	}
	return true;
}

/*
 * Whether a cycle of barriers alone relies on futex words. Barriers belong to one team only if the runtime says so. A
 * futex word does not show that, because the dock of a pool is a barrier, too.
 */
static bool is_by_kernel(const struct waits_input *in, const struct waits *w, const uint32_t *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct waits_node *node = &w->nodes[path[i]];

		if (node->kind == WAITS_THREAD && in->s->threads[node->index].state_is_inferred &&
		    !in->threads[node->index].is_by_stack)
			return true;
	}
	return false;
}

/* Whether all things on the path are barriers. */
static bool is_of_barriers(const struct waits *w, const uint32_t *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (w->nodes[path[i]].kind != WAITS_THREAD && w->nodes[path[i]].kind != WAITS_BARRIER)
			return false;
	}
	return true;
}

struct error *waits_find_cycles(const struct waits_input *in, struct waits *w, bool *in_cycle)
{
	uint32_t n = w->n_nodes ? w->n_nodes : 1;
	_cleanup_free_ uint32_t *memory = calloc((size_t)n * 9, sizeof(*memory));
	_cleanup_free_ bool *is_done = calloc(n, sizeof(*is_done)); /* by component */
	struct error *err = NULL;

	if (!memory || !is_done)
		return &error_nomem;
	struct search s = {
		.w = w,
		.number = memory,
		.low = memory + n,
		.component = memory + 2 * (size_t)n,
		.open = memory + 3 * (size_t)n,
		.path = memory + 4 * (size_t)n,
		.at = memory + 5 * (size_t)n,
	};
	uint32_t *from = memory + 6 * (size_t)n, *queue = memory + 7 * (size_t)n, *path = memory + 8 * (size_t)n;

	memset(s.component, 0xff, n * sizeof(*s.component));
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		if (!s.number[i])
			search_from(&s, i);
	}
	for (uint32_t i = 0; i < w->n_nodes && !err; i++) {
		if (w->nodes[i].kind != WAITS_THREAD || is_done[s.component[i]])
			continue;
		uint32_t length = find_shortest_cycle(w, s.component, i, from, queue, path);
		/*
		 * If a thread on this path still moves, a longer cycle may hold; the search from another thread finds
		 * it.
		 */
		if (!length || !is_settled(in, w, path, length))
			continue;
		is_done[s.component[i]] = true;
		enum waits_finding_kind kind = is_of_barriers(w, path, length) ? FINDING_DIFFERENT : FINDING_CYCLE;
		if (kind == FINDING_DIFFERENT && is_by_kernel(in, w, path, length))
			continue;
		struct waits_finding *finding = waits_add_finding(w, kind, path, length);
		if (!finding)
			return &error_nomem;
		finding->is_proven = true;
		finding->thing = w->edges[skip_candidates(w, w->nodes[i].first_edge)].to;
		finding->what = w->nodes[finding->thing].what;
		for (uint32_t k = 0; k < length; k++)
			in_cycle[path[k]] = true;
		err = waits_count_waiting(w, finding->nodes, length, &finding->n_waiting);
	}
	return err;
}
