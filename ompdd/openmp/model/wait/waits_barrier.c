/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the wait graph about barriers, which have no holder. */
#include "openmp/model/wait/waits.h"

#include <stdlib.h>

#include "base/cleanup.h"

static bool is_member(const struct snapshot_parallel *region, uint32_t thread)
{
	for (uint32_t i = 0; i < region->n_members; i++) {
		if (region->members[i] == thread)
			return true;
	}
	return false;
}

/*
 * Whether the team has more members than candidate threads. The runtime does not know a new thread yet, or it looks
 * like an initial one. So each other thread must have slept all the time, or sleep in a pool in a core.
 */
static bool has_lost_team(const struct waits_input *in, const struct snapshot_parallel *region)
{
	const struct snapshot *s = in->s;

	if (region->team_size.rc != ompd_rc_ok || region->team_size.value <= (int64_t)region->n_members ||
	    s->truncated || s->has_unlisted)
		return false;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		bool is_out = in->is_core ? s->threads[i].openmp && waits_stays_idle(in, i)
					  : in->threads[i].motion == MOTION_ASLEEP;

		if (!is_out && !is_member(region, i))
			return false;
		if (!s->threads[i].openmp && s->threads[i].openmp_rc != ompd_rc_unavailable)
			return false;
	}
	return true;
}

/* Whether two threads are at different barriers: one at the region's end, or of different kinds. */
static bool is_elsewhere(const struct waits_input *in, uint32_t a, uint32_t b)
{
	const struct snapshot_word *one = &in->s->threads[a].state, *other = &in->s->threads[b].state;

	if (one->rc == ompd_rc_ok && other->rc == ompd_rc_ok && one->value != other->value)
		return true;
	return in->threads[a].is_at_end != in->threads[b].is_at_end;
}

struct error *waits_add_barrier_finding(const struct waits_input *in, struct waits *w, uint32_t thing)
{
	const struct snapshot_parallel *region = &in->s->parallels[w->nodes[thing].index];
	enum waits_finding_kind kind = has_lost_team(in, region) ? FINDING_LOST_TEAM : FINDING_DIFFERENT;
	_cleanup_free_ uint32_t *nodes = malloc((w->n_nodes ? w->n_nodes : 1) * sizeof(*nodes));
	uint32_t n = 0;
	bool differs = false;

	if (!nodes)
		return &error_nomem;
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		const struct waits_node *node = &w->nodes[i];

		if (node->kind != WAITS_THREAD || node->first_edge == WAITS_NONE ||
		    w->edges[node->first_edge].to != thing)
			continue;
		if (!waits_is_settled(in, node->index))
			return NULL;
		differs |= n && is_elsewhere(in, node->index, w->nodes[nodes[0]].index);
		nodes[n++] = i;
	}
	if (kind == FINDING_DIFFERENT &&
	    (!w->nodes[thing].wait->is_complete || (int64_t)n != region->team_size.value || !differs))
		return NULL;
	struct waits_finding *finding = waits_add_finding(w, kind, nodes, n);
	if (!finding)
		return &error_nomem;
	finding->is_proven = true;
	finding->thing = thing;
	finding->what = HOLDER_BARRIER;
	return NULL;
}
