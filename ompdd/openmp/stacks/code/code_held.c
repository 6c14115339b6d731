/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows the held locks along a function's graph. */
#include "openmp/stacks/code/code_held.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PASSES 64

struct held_set {
	bool is_reached;
	struct code_held held[CODE_HELD_MAX];
	size_t n;
};

static void remove_lock(struct held_set *set, size_t i)
{
	set->held[i] = set->held[--set->n];
}

static bool is_among(const struct code_summary *s, const struct code_held *held)
{
	return code_summary_has(s, held->what, held->is_only, held->address);
}

static void remove_released(struct held_set *set, const struct code_summary *s)
{
	for (size_t i = set->n; i-- > 0;) {
		if (is_among(s, &set->held[i]))
			remove_lock(set, i);
	}
}

static bool is_same(const struct code_held *a, const struct code_held *b)
{
	return a->what == b->what && a->is_only == b->is_only && code_values_equal(a->address, b->address);
}

static size_t find_lock(const struct held_set *set, const struct code_held *held)
{
	size_t i = 0;

	while (i < set->n && !is_same(&set->held[i], held))
		i++;
	return i;
}

static void add_lock(struct held_set *set, const struct code_held *held)
{
	if (find_lock(set, held) == set->n && set->n < CODE_HELD_MAX)
		set->held[set->n++] = *held;
}

/* Return whether all ways to @node hold a lock of the kind of @held whose address register @reg has there. */
static bool is_held_by_register(const struct code_graph *g, const struct code_node *node, const struct held_set *sets,
				unsigned reg, struct code_held held)
{
	for (uint32_t i = node->edges; i != CODE_GRAPH_NONE; i = g->edges[i].next) {
		const struct held_set *from = &sets[g->edges[i].from];

		held.address = g->nodes[g->edges[i].from].out[reg];
		if (from->is_reached && find_lock(from, &held) == from->n)
			return false;
	}
	return true;
}

/*
 * Ways on which different locks were acquired may have the lock's address in the same register. Then exactly one is
 * held, and the register identifies it.
 */
static void merge_registers(const struct code_graph *g, const struct code_node *node, const struct held_set *sets,
			    const struct held_set *first, struct held_set *ret)
{
	for (unsigned reg = 0; reg < decode_arch->n_registers; reg++) {
		if (!code_graph_is_met(node, node->in[reg]))
			continue;
		for (size_t k = 0; k < first->n; k++) {
			struct code_held held = first->held[k];

			if (held.is_only || !is_held_by_register(g, node, sets, reg, held))
				continue;
			held.address = node->in[reg];
			add_lock(ret, &held);
		}
	}
}

/* Compute the set of locks that are held on all ways to @node. */
static void merge_sets(const struct code_graph *g, const struct code_node *node, const struct held_set *sets,
		       struct held_set *ret)
{
	const struct held_set *first = NULL;

	*ret = (struct held_set){.is_reached = node->is_entry};
	if (node->is_entry)
		return;
	for (uint32_t i = node->edges; i != CODE_GRAPH_NONE; i = g->edges[i].next) {
		const struct held_set *from = &sets[g->edges[i].from];

		if (!from->is_reached)
			continue;
		if (!first) {
			*ret = *from;
			first = from;
		}
		for (size_t k = ret->n; k-- > 0;) {
			if (find_lock(from, &ret->held[k]) == from->n)
				remove_lock(ret, k);
		}
	}
	for (size_t k = ret->n; k-- > 0;) {
		if (code_graph_is_met(node, ret->held[k].address))
			remove_lock(ret, k);
	}
	if (first)
		merge_registers(g, node, sets, first, ret);
}

/* The effect of each call, determined once. */
struct calls {
	struct code_call *call;		/* by node number */
	struct code_summary **released; /* by node number; NULL: not determined yet */
};

static bool init_calls(struct code_releases *r, const struct code_graph *g, struct calls *ret)
{
	ret->call = calloc(g->n, sizeof(*ret->call));
	ret->released = calloc(g->n, sizeof(*ret->released));
	if (!ret->call || !ret->released)
		return false;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_node *node = &g->nodes[i];

		if (node->insn.kind != DECODE_CALL)
			continue;
		r->world->call(r->world->arg, node->address, &node->insn, &ret->call[i]);
		if (ret->call[i].kind == CODE_CALL_RETURNS_TWICE)
			return false;
		ret->released[i] = malloc(sizeof(*ret->released[i]));
		if (!ret->released[i])
			return false;
		code_releases_of_call(r, node, &ret->call[i], ret->released[i]);
	}
	return true;
}

static void deinit_calls(struct calls *c, uint32_t n)
{
	for (uint32_t i = 0; c->released && i < n; i++)
		free(c->released[i]);
	free(c->released);
	free(c->call);
}

static struct code_held get_acquired(const struct code_node *node, const struct code_call *call)
{
	struct code_held held = {
		.what = call->what, .is_only = !code_call_has_argument(call), .by = node->address, .reg = -1};

	if (code_call_has_argument(call))
		held.address = code_call_argument(node, call);
	return held;
}

static void apply_insn(const struct code_node *node, const struct code_call *call, const struct code_summary *released,
		       struct held_set *set)
{
	if (released)
		remove_released(set, released);
	for (size_t k = set->n; k-- > 0;) {
		if (code_graph_is_renewed(node, set->held[k].address))
			remove_lock(set, k);
	}
	if (node->insn.kind == DECODE_CALL && call->kind == CODE_CALL_ACQUIRES) {
		struct code_held held = get_acquired(node, call);

		add_lock(set, &held);
	}
}

static bool compute_sets(const struct code_graph *g, const struct calls *calls, struct held_set *sets)
{
	bool changed = true;

	for (unsigned passes = 0; changed; passes++) {
		if (passes == MAX_PASSES)
			return false;
		changed = false;
		for (uint32_t i = 0; i < g->n; i++) {
			struct held_set set;

			merge_sets(g, &g->nodes[i], sets, &set);
			if (!set.is_reached)
				continue;
			if (calls->call[i].kind == CODE_CALL_NEVER)
				continue;
			apply_insn(&g->nodes[i], &calls->call[i], calls->released[i], &set);
			changed |= !sets[i].is_reached || set.n != sets[i].n;
			for (size_t k = 0; k < set.n && !changed; k++)
				changed = find_lock(&sets[i], &set.held[k]) == sets[i].n;
			sets[i] = set;
		}
	}
	return true;
}

/*
 * Return the instruction that the thread is at, or whose call it is in. Return CODE_GRAPH_NONE if there is no such
 * instruction, or more than one candidate.
 */
static uint32_t find_node(const struct code_graph *g, uint64_t pc, bool is_exact)
{
	uint32_t found = CODE_GRAPH_NONE;

	if (is_exact)
		return code_graph_find(g, pc);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_node *node = &g->nodes[i];

		if (node->address + node->insn.length != pc || node->insn.kind != DECODE_CALL)
			continue;
		if (found != CODE_GRAPH_NONE)
			return CODE_GRAPH_NONE;
		found = i;
	}
	return found;
}

/* Find the current place of the lock's address. */
static bool locate_lock(const struct code_node *node, struct code_held *held)
{
	if (held->is_only || !held->address.base)
		return true;
	for (int reg = 0; reg < (int)decode_arch->n_registers; reg++) {
		if (node->in[reg].base != held->address.base || (decode_arch->lost >> reg & 1))
			continue;
		held->reg = reg;
		held->offset = (int64_t)((uint64_t)held->address.offset - (uint64_t)node->in[reg].offset);
		return true;
	}
	return false;
}

/* Return whether the frames of the called function show its effect so far. */
static bool is_of_frames(const struct code_call *call)
{
	return call->kind == CODE_CALL_FUNCTION || call->kind == CODE_CALL_UNKNOWN;
}

static size_t list_held(const struct code_graph *g, const struct calls *calls, const struct held_set *sets, uint32_t i,
			bool is_exact, struct code_held *ret)
{
	struct held_set set;
	size_t n = 0;

	merge_sets(g, &g->nodes[i], sets, &set);
	for (size_t k = 0; k < set.n; k++) {
		struct code_held *held = &set.held[k];
		bool may_be_over = !is_exact && calls->released[i] && is_among(calls->released[i], held);

		if (may_be_over && !is_of_frames(&calls->call[i]))
			continue;
		held->is_until_released = may_be_over;
		if (locate_lock(&g->nodes[i], held))
			ret[n++] = *held;
	}
	return n;
}

size_t code_held_find(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_held *ret)
{
	struct code_graph g;
	struct calls calls = {0};
	struct held_set *sets;
	size_t n = 0;

	if (!code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return 0;
	uint32_t node = find_node(&g, pc, is_exact);
	sets = calloc(g.n, sizeof(*sets));
	if (node != CODE_GRAPH_NONE && sets && init_calls(r, &g, &calls) && compute_sets(&g, &calls, sets))
		n = list_held(&g, &calls, sets, node, is_exact, ret);
	deinit_calls(&calls, g.n);
	free(sets);
	code_graph_deinit(&g);
	return n;
}

/*
 * Compute what is released before @node, on any way to it. @node itself counts only if a way leads back to it. Return
 * false if an exception can reach it, out of any call.
 */
static bool collect_released(const struct code_graph *g, const struct calls *calls, uint32_t node,
			     struct code_summary *ret)
{
	uint32_t *left = malloc(g->n * sizeof(*left));
	bool *is_before = calloc(g->n, sizeof(*is_before));
	size_t n = 0;
	bool ok = left && is_before;

	if (ok)
		left[n++] = node;
	while (ok && n) {
		const struct code_node *at = &g->nodes[left[--n]];

		ok = !at->is_entry || at == g->nodes;
		for (uint32_t i = at->edges; i != CODE_GRAPH_NONE; i = g->edges[i].next) {
			uint32_t from = g->edges[i].from;

			if (is_before[from] || calls->call[from].kind == CODE_CALL_NEVER)
				continue;
			is_before[from] = true;
			left[n++] = from;
			if (calls->released[from])
				code_summary_add(ret, calls->released[from]);
		}
	}
	free(left);
	free(is_before);
	return ok;
}

void code_held_passed(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_passed *ret)
{
	struct code_graph g;
	struct calls calls = {0};

	*ret = (struct code_passed){0};
	if (!code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return;
	uint32_t node = find_node(&g, pc, is_exact);
	if (node != CODE_GRAPH_NONE && init_calls(r, &g, &calls)) {
		ret->released.is_known = true;
		if (!collect_released(&g, &calls, node, &ret->released))
			ret->released.is_known = false;
		/* A function that a jump enters may jump back. */
		for (uint32_t i = 0; i < g.n; i++) {
			struct code_summary of_call;
			struct code_call call;

			if (!code_releases_tail_call(r, &g.nodes[i], f, &call) || call.kind != CODE_CALL_FUNCTION)
				continue;
			code_releases_of_call(r, &g.nodes[i], &call, &of_call);
			code_summary_add(&ret->released, &of_call);
		}
		ret->goes_on = !is_exact && is_of_frames(&calls.call[node]);
		if (!is_exact && !ret->goes_on)
			code_summary_add(&ret->released, calls.released[node]);
	}
	deinit_calls(&calls, g.n);
	code_graph_deinit(&g);
}

bool code_held_find_wanted(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_held *ret)
{
	struct code_graph g;
	struct code_call call;
	bool found = false;

	if (!code_graph_make(&g, r->world->read, r->world->arg, f->start, f->end, f->entries, f->n_entries))
		return false;
	uint32_t node = find_node(&g, pc, false);
	if (node != CODE_GRAPH_NONE && g.nodes[node].is_reached) {
		r->world->call(r->world->arg, g.nodes[node].address, &g.nodes[node].insn, &call);
		found = call.kind == CODE_CALL_ACQUIRES;
	}
	if (found) {
		*ret = get_acquired(&g.nodes[node], &call);
		found = locate_lock(&g.nodes[node], ret);
	}
	code_graph_deinit(&g);
	return found;
}
