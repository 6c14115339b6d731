/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Derives findings from the wait graph: the ends of waits and their causes. */
#include "openmp/model/wait/waits.h"

#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "base/cleanup.h"

const char *waits_finding_name(enum waits_finding_kind kind)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_CYCLE] = "cycle",
		[FINDING_ENDED] = "holder_ended",
		[FINDING_ELSEWHERE] = "holder_elsewhere",
		[FINDING_IDLE] = "holder_idle",
		[FINDING_DIFFERENT] = "different_barriers",
		[FINDING_LOST_TEAM] = "team_lost",
		[FINDING_ALL_WAIT] = "all_wait",
		[FINDING_DEVICE] = "device",
		[FINDING_BLOCKED] = "blocked",
		[FINDING_POLLS] = "polls",
		[FINDING_TASK_QUEUED] = "task_queued",
		[FINDING_DEPENDENCE] = "dependence",
		[FINDING_DETACHED] = "detached",
		[FINDING_UNKNOWN] = "holder_unknown",
		[FINDING_SPINS] = "spins",
		[FINDING_SLOW] = "slow",
		[FINDING_OUTSIDE] = "outside",
		[FINDING_BUSY] = "busy",
	};

	return kind < FINDING_KINDS ? names[kind] : "busy";
}

const char *waits_progress_name(enum waits_progress progress)
{
	static const char *const names[] = {
		[PROGRESS_UNSEEN] = "unseen", [PROGRESS_OPENMP] = "openmp", [PROGRESS_PLACE] = "place",
		[PROGRESS_POLLS] = "polls",   [PROGRESS_SPINS] = "spins",
	};

	return names[progress <= PROGRESS_SPINS ? progress : PROGRESS_UNSEEN];
}

bool waits_is_idle(const struct snapshot_thread *thread)
{
	return thread->state.rc == ompd_rc_ok && thread->state.value == ompt_state_idle;
}

bool waits_stays_idle(const struct waits_input *in, uint32_t thread)
{
	const struct waits_thread *t = &in->threads[thread];
	/* The word of a pool changes for all its threads, also for those that are not called. */
	bool sleeps = t->is_asleep || t->is_released;

	return waits_is_idle(&in->s->threads[thread]) && (in->is_core ? sleeps : t->motion == MOTION_ASLEEP);
}

static enum waits_finding_kind get_running_kind(const struct waits_thread *thread)
{
	switch (thread->progress) {
	case PROGRESS_POLLS:
		return FINDING_POLLS;
	case PROGRESS_SPINS:
		return FINDING_SPINS;
	case PROGRESS_UNSEEN:
	case PROGRESS_OPENMP:
	case PROGRESS_PLACE:
		break;
	}
	return FINDING_SLOW;
}

/*
 * Returns the kind of finding for a node at the end of waits. FINDING_KINDS: the node waits itself, so waits continue
 * there.
 */
static enum waits_finding_kind get_end_kind(const struct waits_input *in, const struct waits_node *node)
{
	if (node->kind == WAITS_TASK) {
		if (node->first_edge != WAITS_NONE)
			return FINDING_KINDS;
		if (node->doing == HOLDER_DETACHED)
			return FINDING_DETACHED;
		if (node->doing == HOLDER_OFFLOADED)
			return FINDING_DEVICE;
		return node->n_predecessors ? FINDING_DEPENDENCE : FINDING_TASK_QUEUED;
	}
	if (node->index == WAITS_NONE)
		return node->doing == HOLDER_ELSEWHERE ? FINDING_ELSEWHERE : FINDING_ENDED;
	if (waits_is_waiting(in, node->index))
		return FINDING_KINDS;
	const struct waits_thread *thread = &in->threads[node->index];
	if (waits_is_idle(&in->s->threads[node->index]))
		return waits_stays_idle(in, node->index) ? FINDING_IDLE : FINDING_SLOW;
	/* The awaited event has occurred: the thread continues when it gets a CPU. */
	if (thread->is_released)
		return FINDING_SLOW;
	if (in->is_core || thread->motion == MOTION_UNKNOWN)
		return thread->sleeps ? FINDING_BLOCKED : FINDING_SLOW;
	return thread->motion == MOTION_ASLEEP ? FINDING_BLOCKED : get_running_kind(thread);
}

/* Whether two nodes belong into one finding. */
static bool is_alike(const struct waits_input *in, const struct waits_node *a, const struct waits_node *b)
{
	if (a->kind != b->kind || get_end_kind(in, a) != get_end_kind(in, b))
		return false;
	if (a->kind == WAITS_TASK)
		return in->s->tasks[a->index].function.value == in->s->tasks[b->index].function.value;
	if (a->index == WAITS_NONE || b->index == WAITS_NONE)
		return a->index == b->index;
	return in->threads[a->index].place == in->threads[b->index].place &&
	       in->threads[a->index].sleeps == in->threads[b->index].sleeps;
}

/*
 * Finds whether no thread of the process can release @thing. The initial thread may be the copy of the holder, so it
 * must have ended or wait for @thing as well.
 */
static struct error *is_out_of_reach(const struct waits_input *in, const struct waits *w, uint32_t thing, bool *ret)
{
	*ret = in->first_thread == WAITS_NONE;
	if (*ret || !waits_is_settled(in, in->first_thread))
		return NULL;
	return waits_leads_to(w, in->first_thread, thing, ret);
}

/*
 * Adds one finding for all ends like @first among the holders of @thing, or the threads of tasks that hold it. Marks
 * them in @is_done. @stays: a waiter of @thing stays in its wait.
 */
static struct error *add_end_finding(const struct waits_input *in, struct waits *w, uint32_t thing,
				     const uint32_t *ends, uint32_t n, uint32_t first, bool stays, bool *is_done)
{
	_cleanup_free_ uint32_t *alike = malloc(n * sizeof(*alike));
	uint32_t n_alike = 0;

	if (!alike)
		return &error_nomem;
	for (uint32_t i = first; i < n; i++) {
		if (is_done[ends[i]] || !is_alike(in, &w->nodes[ends[first]], &w->nodes[ends[i]]))
			continue;
		alike[n_alike++] = ends[i];
	}
	for (uint32_t i = 0; i < n_alike; i++)
		is_done[alike[i]] = true;
	struct waits_finding *finding = waits_add_finding(w, get_end_kind(in, &w->nodes[ends[first]]), alike, n_alike);
	if (!finding)
		return &error_nomem;
	finding->is_proven = finding->kind != FINDING_SPINS &&
			     (stays || (finding->kind != FINDING_DETACHED && finding->kind != FINDING_DEVICE)) &&
			     (finding->kind != FINDING_POLLS || !in->has_devices);
	finding->thing = thing;
	finding->what = w->nodes[thing].what;
	struct error *err =
		finding->kind == FINDING_ELSEWHERE ? is_out_of_reach(in, w, thing, &finding->is_proven) : NULL;
	return err ? err : waits_count_waiting(w, finding->nodes, n_alike, &finding->n_waiting);
}

/* Whether the thread stays where it is until another thread of the process acts. */
static bool needs_others(const struct waits_input *in, uint32_t thread)
{
	if (in->s->threads[thread].openmp && waits_is_idle(&in->s->threads[thread]))
		return waits_stays_idle(in, thread);
	const struct holder_wait *wait = holders_of(in->holders, thread);

	return wait && wait->kind < HOLDER_DEVICE && wait->kind != HOLDER_GIL && waits_is_settled(in, thread);
}

/*
 * Whether all threads of the process wait for other threads of it. Then no thread can release anything, whichever of
 * them is the holder.
 */
static bool are_all_waiting(const struct waits_input *in)
{
	const struct snapshot *s = in->s;

	if (!in->is_consistent || s->truncated || s->has_unlisted)
		return false;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		if (!needs_others(in, i))
			return false;
	}
	return s->n_threads > 0;
}

static struct error *add_unknown_finding(const struct waits_input *in, struct waits *w, uint32_t thing)
{
	_cleanup_free_ uint32_t *nodes = malloc((w->n_edges ? w->n_edges : 1) * sizeof(*nodes));
	uint32_t n = 0;

	if (!nodes)
		return &error_nomem;
	/* First the holders that do not wait themselves: each could be the cause. */
	for (int waiting = 0; waiting < 2; waiting++) {
		for (uint32_t e = w->nodes[thing].first_edge; e != WAITS_NONE; e = w->edges[e].next) {
			uint32_t to = w->edges[e].to;

			if (w->nodes[to].kind == WAITS_THREAD &&
			    waits_is_waiting(in, w->nodes[to].index) == (waiting == 1))
				nodes[n++] = to;
		}
	}
	bool is_stuck = are_all_waiting(in);
	struct waits_finding *finding = waits_add_finding(w, is_stuck ? FINDING_ALL_WAIT : FINDING_UNKNOWN, nodes, n);
	if (!finding)
		return &error_nomem;
	finding->is_proven = is_stuck;
	finding->thing = thing;
	finding->what = w->nodes[thing].what;
	return waits_count_waiting(w, &thing, 1, &finding->n_waiting);
}

bool waits_stays_at_device(const struct waits_input *in, uint32_t thread)
{
	const struct target_activity *a = &in->s->threads[thread].activity;

	return in->is_core ? a->known && a->in_syscall : in->threads[thread].motion == MOTION_ASLEEP;
}

/* Adds a finding for the device @thing. No thread of the process can end the wait for it. */
static struct error *add_device_finding(const struct waits_input *in, struct waits *w, uint32_t thing)
{
	_cleanup_free_ uint32_t *nodes = malloc((w->n_edges ? w->n_edges : 1) * sizeof(*nodes));
	bool stays = true;
	uint32_t n = 0;

	if (!nodes)
		return &error_nomem;
	for (uint32_t i = 0; i < w->n_edges; i++) {
		if (w->edges[i].kind != WAITS_FOR || w->edges[i].to != thing)
			continue;
		nodes[n++] = w->edges[i].from;
		stays &= waits_stays_at_device(in, w->nodes[w->edges[i].from].index);
	}
	struct waits_finding *finding = waits_add_finding(w, FINDING_DEVICE, nodes, n);
	if (!finding)
		return &error_nomem;
	finding->is_proven = stays;
	finding->thing = thing;
	finding->what = HOLDER_DEVICE;
	return waits_count_waiting(w, finding->nodes, n, &finding->n_waiting);
}

/* Whether something else than a thread that waits for the task ends it: an event, or a device. */
static bool ends_outside(const struct waits_input *in, const struct waits_node *task)
{
	enum waits_finding_kind kind = get_end_kind(in, task);

	return kind == FINDING_DETACHED || kind == FINDING_DEVICE;
}

/* Whether a waiter of @thing stays in its wait. */
static bool has_settled(const struct waits_input *in, const struct waits *w, uint32_t thing)
{
	for (uint32_t i = 0; i < w->n_edges; i++) {
		if (w->edges[i].kind == WAITS_FOR && w->edges[i].to == thing &&
		    waits_is_settled(in, w->nodes[w->edges[i].from].index))
			return true;
	}
	return false;
}

static struct error *find_ends(const struct waits_input *in, struct waits *w, uint32_t thing, bool *is_done)
{
	const struct waits_node *node = &w->nodes[thing];
	_cleanup_free_ uint32_t *ends = malloc((w->n_edges + 1) * sizeof(*ends));
	struct error *err = NULL;
	uint32_t n = 0;
	bool is_held = false, stays = has_settled(in, w, thing);

	if (!ends)
		return &error_nomem;
	for (uint32_t e = node->first_edge; e != WAITS_NONE; e = w->edges[e].next) {
		uint32_t to = w->edges[e].to;

		if (w->edges[e].is_candidate)
			continue;
		is_held = true;
		/* A task in execution is represented by its thread. */
		if (w->nodes[to].kind == WAITS_TASK && w->nodes[to].first_edge != WAITS_NONE)
			to = w->edges[w->nodes[to].first_edge].to;
		/*
		 * Read from a running process: the holder may have released it meanwhile, but not if a waiter stayed
		 * asleep.
		 */
		if (w->nodes[to].kind == WAITS_THREAD && w->nodes[to].index == WAITS_NONE && !in->is_consistent &&
		    !stays)
			continue;
		/*
		 * Every waiting thread starts queued tasks itself, unless it stays asleep. A thread that only waits
		 * fulfils no event, but a thread that busy-waits may have arrived just now.
		 */
		if (w->nodes[to].kind == WAITS_TASK &&
		    (ends_outside(in, &w->nodes[to]) ? !stays && w->n_running : !stays || w->n_awake))
			continue;
		if (!is_done[to] && get_end_kind(in, &w->nodes[to]) != FINDING_KINDS)
			ends[n++] = to;
	}
	for (uint32_t i = 0; i < n && !err; i++) {
		if (!is_done[ends[i]])
			err = add_end_finding(in, w, thing, ends, n, i, stays, is_done);
	}
	if (err || is_held)
		return err;
	if (node->what == HOLDER_DEVICE)
		return add_device_finding(in, w, thing);
	if (node->kind == WAITS_BARRIER && node->index != SNAPSHOT_NONE && node->first_edge == WAITS_NONE)
		return waits_add_barrier_finding(in, w, thing);
	/* Running threads may be about to release it. */
	if (node->wait->is_complete || (w->n_running && !has_settled(in, w, thing)))
		return NULL;
	return add_unknown_finding(in, w, thing);
}

/* Whether queued tasks wait for a thread of this thread's team. */
static bool has_queued_tasks(const struct snapshot *s, uint32_t thread)
{
	uint32_t region = s->threads[thread].parallel.index;

	return region != SNAPSHOT_NONE && s->parallels[region].n_queued.rc == ompd_rc_ok &&
	       s->parallels[region].n_queued.value > 0;
}

/* Adds findings for threads that no OpenMP wait depends on. */
static struct error *find_others(const struct waits_input *in, struct waits *w, const bool *is_done)
{
	uint32_t n = (uint32_t)in->s->n_threads, n_nodes = w->n_nodes;
	_cleanup_free_ uint32_t *left = malloc((n ? n : 1) * sizeof(*left));
	_cleanup_free_ bool *has_node = calloc(n ? n : 1, sizeof(*has_node));
	struct error *err = NULL;
	uint32_t n_left = 0;

	if (!left || !has_node)
		return &error_nomem;
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (w->nodes[i].kind == WAITS_THREAD && w->nodes[i].index != WAITS_NONE && is_done[i])
			has_node[w->nodes[i].index] = true;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!in->s->threads[i].openmp || has_node[i] || waits_is_waiting(in, i) ||
		    waits_is_idle(&in->s->threads[i]))
			continue;
		if (in->threads[i].is_hidden) {
			w->is_unseen = true;
			continue;
		}
		uint32_t node = waits_thread_node(w, i);

		if (node == WAITS_NONE)
			return &error_nomem;
		left[n_left++] = node;
	}
	for (uint32_t i = 0; i < n_left && !err; i++) {
		_cleanup_free_ uint32_t *alike = malloc(n_left * sizeof(*alike));
		uint32_t n_alike = 0, first = left[i];

		if (!alike)
			return &error_nomem;
		if (first == WAITS_NONE)
			continue;
		enum waits_finding_kind kind = get_end_kind(in, &w->nodes[first]);
		for (uint32_t k = i; k < n_left; k++) {
			if (left[k] == WAITS_NONE || !is_alike(in, &w->nodes[first], &w->nodes[left[k]]))
				continue;
			alike[n_alike++] = left[k];
			left[k] = WAITS_NONE;
		}
		if (kind == FINDING_BLOCKED && !has_queued_tasks(in->s, w->nodes[first].index))
			kind = FINDING_OUTSIDE;
		struct waits_finding *finding =
			waits_add_finding(w, kind == FINDING_SLOW ? FINDING_BUSY : kind, alike, n_alike);
		if (!finding)
			return &error_nomem;
		finding->is_proven = kind != FINDING_SPINS;
	}
	return err;
}

static void count_threads(const struct waits_input *in, struct waits *w)
{
	for (uint32_t i = 0; i < in->s->n_threads; i++) {
		if (!in->s->threads[i].openmp)
			continue;
		if (waits_is_waiting(in, i)) {
			w->n_waiting++;
			w->n_awake += !waits_is_settled(in, i);
		} else if (waits_is_idle(&in->s->threads[i]))
			w->n_idle++;
		else if (in->threads[i].sleeps && in->threads[i].motion != MOTION_RAN)
			w->n_sleeping++;
		else
			w->n_running++;
	}
}

struct error *waits_note_moved(struct waits *w, const uint32_t *threads, uint32_t n)
{
	_cleanup_free_ uint32_t *nodes = malloc((n ? n : 1) * sizeof(*nodes));
	bool ok = nodes;

	for (uint32_t i = 0; ok && i < n; i++) {
		nodes[i] = waits_thread_node(w, threads[i]);
		ok = nodes[i] != WAITS_NONE;
	}
	struct waits_finding *finding = ok ? waits_add_finding(w, FINDING_BUSY, nodes, n) : NULL;
	if (!finding)
		return &error_nomem;
	finding->is_proven = true;
	w->verdict = VERDICT_BUSY;
	return NULL;
}

/*
 * All threads may be in waits that end soon, as at barriers that follow each other closely. Adds a finding for the
 * threads that have gone on from one construct to the next.
 */
static struct error *find_progress(const struct waits_input *in, struct waits *w)
{
	uint32_t n = (uint32_t)in->s->n_threads, n_moved = 0;
	_cleanup_free_ uint32_t *moved = malloc((n ? n : 1) * sizeof(*moved));

	if (!moved)
		return &error_nomem;
	for (uint32_t i = 0; i < n; i++) {
		if (waits_is_waiting(in, i) && in->threads[i].motion == MOTION_RAN &&
		    in->threads[i].progress == PROGRESS_OPENMP)
			moved[n_moved++] = i;
	}
	return n_moved ? waits_note_moved(w, moved, n_moved) : NULL;
}

static struct error *find_findings(const struct waits_input *in, struct waits *w)
{
	struct error *err = waits_build(in, w);

	if (err)
		return err;
	_cleanup_free_ bool *is_done = calloc(w->n_nodes ? w->n_nodes : 1, sizeof(*is_done));
	if (!is_done)
		return &error_nomem;
	count_threads(in, w);
	err = waits_find_cycles(in, w, is_done);
	/* A thread that holds a lock is also missing at the barrier. Locks come first because they explain more. */
	for (int barriers = 0; barriers < 2; barriers++) {
		for (uint32_t i = 0; i < w->n_nodes && !err; i++) {
			enum waits_node_kind wanted = barriers ? WAITS_BARRIER : WAITS_THING;

			if (w->nodes[i].kind == wanted && !is_done[i])
				err = find_ends(in, w, i, is_done);
		}
	}
	if (!err)
		err = find_others(in, w, is_done);
	if (!err && !w->n_findings)
		err = find_progress(in, w);
	if (err)
		return err;
	waits_conclude(in, w);
	return NULL;
}

struct error *waits_find(const struct waits_input *in, struct waits *ret)
{
	struct waits w = {0};
	struct error *err = find_findings(in, &w);

	if (err) {
		waits_deinit(&w);
		return err;
	}
	*ret = w;
	return NULL;
}

void waits_deinit(struct waits *w)
{
	free(w->nodes);
	free(w->edges);
	free(w->findings);
	arena_deinit(&w->arena);
	memset(w, 0, sizeof(*w));
}
