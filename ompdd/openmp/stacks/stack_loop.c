/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches the graph of a function's instructions backwards. */
#include "openmp/stacks/stack_loop.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "openmp/stacks/stack_code.h"

/* Return whether at least one instruction leads from node @from to node @to. @seen and @queue have room for all nodes.
 */
static bool leads_to(const struct code_graph *g, uint32_t from, uint32_t to, bool *seen, uint32_t *queue)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < g->n; i++)
		seen[i] = false;
	queue[end++] = to;
	while (first < end) {
		const struct code_node *node = &g->nodes[queue[first++]];

		for (uint32_t e = node->edges; e != CODE_GRAPH_NONE; e = g->edges[e].next) {
			uint32_t before = g->edges[e].from;

			if (before == from)
				return true;
			if (seen[before])
				continue;
			seen[before] = true;
			queue[end++] = before;
		}
	}
	return false;
}

static enum stack_loop find_in_graph(const struct code_graph *g, uint64_t a, uint64_t b)
{
	uint32_t one = code_graph_find(g, a), other = code_graph_find(g, b);
	_cleanup_free_ bool *seen = calloc(g->n + 1, sizeof(*seen));
	_cleanup_free_ uint32_t *queue = calloc(g->n + 1, sizeof(*queue));

	if (one == CODE_GRAPH_NONE || other == CODE_GRAPH_NONE || !seen || !queue)
		return STACK_LOOP_UNKNOWN;
	return leads_to(g, one, other, seen, queue) && leads_to(g, other, one, seen, queue) ? STACK_LOOP_ONE
											    : STACK_LOOP_NONE;
}

/* Read the code of the function at @pc. Return false if it has no known range. */
static bool read_function(struct stack_loops *l, struct target *t, uint64_t pc)
{
	struct unwind_range *range = &l->range;

	if (pc >= range->start && pc < range->end)
		return true;
	stack_loops_deinit(l);
	if (!unwind_range_find(t, pc, range)) {
		range->start = range->end = 0;
		return false;
	}
	l->is_known =
		code_graph_make(&l->graph, stack_code_read, t, range->start, range->end, range->pads, range->n_pads);
	return true;
}

enum stack_loop stack_loop_find(struct stack_loops *l, struct target *t, uint64_t a, uint64_t b)
{
	if (!read_function(l, t, a))
		return STACK_LOOP_UNKNOWN;
	if (b < l->range.start || b >= l->range.end)
		return STACK_LOOP_NONE;
	return l->is_known ? find_in_graph(&l->graph, a, b) : STACK_LOOP_UNKNOWN;
}

void stack_loops_deinit(struct stack_loops *l)
{
	code_graph_deinit(&l->graph);
	*l = (struct stack_loops){.is_known = false};
}
