/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the place of a sample in the tree. A thread at level L may have the starts of n regions on its stack. It
 * entered the region at level L - n as a member from outside. That region starts on the stack of its encountering
 * thread, which is found in the same way.
 */
#include "openmp/sampling/path.h"

#include <omp-tools.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/sampling/place.h"

bool paths_begin(struct paths *p, struct tally *tally, struct target *target, const struct snapshot *s)
{
	p->tally = tally;
	p->target = target;
	p->s = s;
	p->chains = calloc(s->n_threads ? s->n_threads : 1, sizeof(*p->chains));
	p->regions = calloc(s->n_parallels ? s->n_parallels : 1, sizeof(*p->regions));
	if (p->chains && p->regions)
		return true;
	paths_end(p);
	return false;
}

void paths_end(struct paths *p)
{
	free(p->chains);
	free(p->regions);
	p->chains = NULL;
	p->regions = NULL;
	p->s = NULL;
}

void paths_forget(struct paths *p)
{
	p->n_functions = 0;
}

struct tally_place paths_function(struct paths *p, uint64_t address)
{
	if (!address)
		return (struct tally_place){0};
	for (uint32_t i = 0; i < p->n_functions; i++) {
		if (p->functions[i].function == address)
			return p->functions[i].place;
	}
	struct tally_place place = place_of_function(p->tally, p->target, address);
	if (p->n_functions < PATH_MAX_FUNCTIONS) {
		p->functions[p->n_functions].function = address;
		p->functions[p->n_functions++].place = place;
	}
	return place;
}

static int64_t get_level(const struct snapshot *s, uint32_t region)
{
	if (region == SNAPSHOT_NONE)
		return -1;
	return s->parallels[region].level.rc == ompd_rc_ok ? s->parallels[region].level.value : -1;
}

int64_t paths_level(const struct paths *p, uint32_t i)
{
	return get_level(p->s, p->s->threads[i].parallel.index);
}

/* Return the region at @level around @region, or SNAPSHOT_NONE. */
static uint32_t find_enclosing_region(const struct snapshot *s, uint32_t region, int64_t level)
{
	for (int depth = 0; depth < MODEL_MAX_DEPTH && region != SNAPSHOT_NONE && get_level(s, region) > level; depth++)
		region = s->parallels[region].enclosing.index;
	return region != SNAPSHOT_NONE && get_level(s, region) == level ? region : SNAPSHOT_NONE;
}

static int64_t count_regions(const struct call_chain *t)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < t->n_marks; i++)
		n += !t->marks[i].is_task;
	return n;
}

/* Return the function of the innermost region that starts on @chain, or 0. */
static uint64_t get_innermost_function(const struct call_chain *chain)
{
	for (uint32_t i = chain->n_marks; i-- > 0;) {
		if (!chain->marks[i].is_task)
			return chain->marks[i].function;
	}
	return chain->is_whole ? 0 : chain->outermost;
}

/*
 * Return whether thread number @i is outside the function of its region, but in the innermost call of @chain for it.
 * Usually it is at the region's end.
 */
static bool is_at_end(const struct paths *p, uint32_t i, const struct call_chain *chain)
{
	int64_t level = paths_level(p, i);

	if (level <= 0 || !chain->in_runtime ||
	    (chain->construct != CONSTRUCT_PARALLEL && chain->construct != CONSTRUCT_TEAMS))
		return false;
	if (chain->is_whole)
		return level == count_regions(chain) + 1;
	const struct snapshot_word *known = &p->s->parallels[p->s->threads[i].parallel.index].function;
	return known->rc != ompd_rc_ok || (uint64_t)known->value != get_innermost_function(chain);
}

/* Return the level at which the stack of thread number @i starts; below 0: not known. */
static int64_t compute_start_level(const struct paths *p, uint32_t i, const struct call_chain *chain)
{
	return paths_level(p, i) - count_regions(chain) - is_at_end(p, i, chain);
}

static uint32_t get_region_node(struct paths *p, uint32_t region);

/* Return the node at which the stack of thread number @i starts, if it is @chain. */
static uint32_t find_start_node(struct paths *p, uint32_t i, const struct call_chain *chain)
{
	int64_t level = compute_start_level(p, i, chain);

	if (chain->is_whole || level <= 0)
		return STACK_TREE_ROOT;
	uint32_t region = find_enclosing_region(p->s, p->s->threads[i].parallel.index, level);
	return region == SNAPSHOT_NONE ? STACK_TREE_ROOT : get_region_node(p, region);
}

static uint32_t enter_frame(struct paths *p, uint32_t node, uint32_t frame)
{
	uint32_t inner = stack_tree_child(&p->tally->tree, node, frame);

	return inner == UINT32_MAX ? node : inner;
}

static uint32_t enter_mark(struct paths *p, uint32_t node, const struct call_chain_mark *mark)
{
	struct tally_place place = paths_function(p, mark->function);

	return enter_frame(p, node, place_boundary(p->tally, mark->is_task ? TREE_TASK : TREE_PARALLEL, &place));
}

/* Follow @chain from @node to mark @last, inclusive, or to frame @to. Start with frame @from and its mark @first. */
static uint32_t follow_chain(struct paths *p, uint32_t node, const struct call_chain *chain, uint32_t from,
			     uint32_t first, uint32_t last, uint32_t to)
{
	for (uint32_t i = from, mark = first; i <= to; i++) {
		for (; mark < chain->n_marks && chain->marks[mark].at == i; mark++) {
			node = enter_mark(p, node, &chain->marks[mark]);
			if (mark == last)
				return node;
		}
		if (i < to)
			node = enter_frame(p, node, chain->frames[i]);
	}
	return node;
}

#define AT_END (UINT32_MAX - 1)

/*
 * Return the mark of @chain, of thread number @thread, at which @region starts. AT_END: behind all marks; UINT32_MAX:
 * it does not start there.
 */
static uint32_t find_mark(const struct paths *p, uint32_t thread, const struct call_chain *chain, uint32_t region)
{
	uint32_t inner = p->s->threads[thread].parallel.index;
	int64_t level = get_level(p->s, region), n = level - compute_start_level(p, thread, chain);

	if (level <= 0 || n <= 0 || find_enclosing_region(p->s, inner, level) != region)
		return UINT32_MAX;
	if (inner == region && is_at_end(p, thread, chain))
		return AT_END;
	for (uint32_t i = 0; i < chain->n_marks; i++) {
		if (!chain->marks[i].is_task && --n == 0)
			return i;
	}
	return UINT32_MAX;
}

static void find_region(struct paths *p, uint32_t region, struct path_region *r)
{
	const struct snapshot_word *function = &p->s->parallels[region].function;
	uint32_t node = STACK_TREE_ROOT, at_end = UINT32_MAX;

	r->node = STACK_TREE_ROOT;
	if (function->rc == ompd_rc_ok)
		r->function = (uint64_t)function->value;
	for (uint32_t i = 0; i < p->s->n_threads; i++) {
		const struct call_chain *chain = p->chains[i];
		uint32_t mark = chain ? find_mark(p, i, chain, region) : UINT32_MAX;

		if (mark == UINT32_MAX)
			continue;
		if (mark == AT_END) {
			at_end = i;
			continue;
		}
		/* A different function: the stack is older than the state in memory. */
		if (r->function && chain->marks[mark].function && chain->marks[mark].function != r->function)
			continue;
		if (!r->function) {
			r->function = chain->marks[mark].function;
			r->is_inferred = true;
		}
		r->node = follow_chain(p, find_start_node(p, i, chain), chain, 0, 0, mark, chain->n);
		return;
	}
	/* No stack shows where the region was encountered; a member's stack may still show its function. */
	for (uint32_t i = 0; i < p->s->n_threads && !r->function; i++) {
		const struct call_chain *chain = p->chains[i];

		if (!chain || p->s->threads[i].parallel.index != region || chain->is_whole || chain->n_marks)
			continue;
		r->function = chain->outermost;
		r->is_inferred = true;
	}
	if (at_end != UINT32_MAX) {
		const struct call_chain *chain = p->chains[at_end];

		/* All frames except the last one, the call itself. */
		node = follow_chain(p, find_start_node(p, at_end, chain), chain, 0, 0, UINT32_MAX, chain->n - 1);
	}
	struct tally_place place = paths_function(p, r->function);
	r->node = enter_frame(p, node, place_boundary(p->tally, TREE_PARALLEL, &place));
}

const struct path_region *paths_region(struct paths *p, uint32_t i)
{
	struct path_region *r = &p->regions[i];

	if (!r->is_known && !r->is_busy) {
		r->is_busy = true;
		find_region(p, i, r);
		r->is_busy = false;
		r->is_known = true;
	}
	return r;
}

static uint32_t get_region_node(struct paths *p, uint32_t region)
{
	/* The snapshot may contain a cycle of regions: stop here. */
	if (p->regions[region].is_busy)
		return STACK_TREE_ROOT;
	return paths_region(p, region)->node;
}

bool paths_fits(const struct paths *p, uint32_t i, const struct call_chain *chain)
{
	uint32_t region = p->s->threads[i].parallel.index;
	int64_t level = paths_level(p, i);

	if (level < 0)
		return true;
	if (chain->is_whole && compute_start_level(p, i, chain) != 0)
		return false;
	const struct snapshot_word *known = &p->s->parallels[region].function;
	uint64_t function = get_innermost_function(chain);
	return level == 0 || is_at_end(p, i, chain) || known->rc != ompd_rc_ok || !function ||
	       (uint64_t)known->value == function;
}

uint32_t paths_node(struct paths *p, uint32_t i, const struct call_chain *chain)
{
	uint32_t region = p->s->threads[i].parallel.index;
	const struct call_chain_mark *last = chain->n_marks ? &chain->marks[chain->n_marks - 1] : NULL;

	/* The thread that executes a task, and its reason to wait, do not show the task's origin. */
	if (last && last->is_task && region != SNAPSHOT_NONE && paths_level(p, i) > 0)
		return follow_chain(p, get_region_node(p, region), chain, last->at, chain->n_marks - 1, UINT32_MAX,
				    chain->n);
	if (is_at_end(p, i, chain))
		return get_region_node(p, region);
	return follow_chain(p, find_start_node(p, i, chain), chain, 0, 0, UINT32_MAX, chain->n);
}
