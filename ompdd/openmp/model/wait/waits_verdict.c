/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the verdict from the findings, and sorts the findings by their weight for it. */
#include "openmp/model/wait/waits.h"

#include <stdlib.h>
#include <string.h>

const char *waits_verdict_name(enum waits_verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_DEADLOCK] = "deadlock", [VERDICT_BLOCKED] = "blocked", [VERDICT_WAITING] = "waiting",
		[VERDICT_BUSY] = "busy",	 [VERDICT_IDLE] = "idle",	[VERDICT_UNKNOWN] = "unknown",
	};

	return names[verdict <= VERDICT_UNKNOWN ? verdict : VERDICT_UNKNOWN];
}

/* Whether all threads of the finding sleep only for a time. */
static bool is_timed(const struct waits_input *in, const struct waits *w, const struct waits_finding *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		const struct waits_node *node = &w->nodes[f->nodes[i]];

		if (node->kind == WAITS_THREAD && node->index != WAITS_NONE && !in->threads[node->index].is_timed &&
		    !in->threads[node->index].is_restarted)
			return false;
	}
	return f->n_nodes > 0;
}

/* Whether the activity of at least one thread is known, so that it does not merely busy-wait. */
static bool is_seen(const struct waits_input *in, const struct waits *w, const struct waits_finding *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		const struct waits_node *node = &w->nodes[f->nodes[i]];

		if (node->kind != WAITS_THREAD || node->index == WAITS_NONE || !in->threads[node->index].is_unseen)
			return true;
	}
	return f->n_nodes == 0;
}

/* Whether at least one thread has shown that it goes on, or what it waited for has occurred. */
static bool has_progress(const struct waits_input *in, const struct waits *w, const struct waits_finding *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		const struct waits_node *node = &w->nodes[f->nodes[i]];

		if (node->kind != WAITS_THREAD || node->index == WAITS_NONE)
			continue;
		const struct waits_thread *thread = &in->threads[node->index];
		if (thread->progress == PROGRESS_OPENMP || thread->progress == PROGRESS_PLACE ||
		    (thread->is_released && !in->is_core))
			return true;
	}
	return false;
}

static bool is_running_finding(const struct waits_finding *f)
{
	return f->kind == FINDING_SLOW || f->kind == FINDING_BUSY || f->kind == FINDING_SPINS;
}

static enum waits_verdict find_verdict(const struct waits_input *in, struct waits *w)
{
	bool blocked = false, busy = false, timed = false, outside = false, unknown = false;

	for (uint32_t i = 0; i < w->n_findings; i++) {
		const struct waits_finding *f = &w->findings[i];

		switch (f->kind) {
		case FINDING_CYCLE:
		case FINDING_ENDED:
		case FINDING_ELSEWHERE:
		case FINDING_IDLE:
		case FINDING_DIFFERENT:
		case FINDING_LOST_TEAM:
		case FINDING_ALL_WAIT:
			if (f->is_proven)
				return VERDICT_DEADLOCK;
			unknown = true;
			break;
		case FINDING_BLOCKED:
			if (is_timed(in, w, f))
				timed = true;
			else
				blocked = true;
			break;
		case FINDING_DEVICE:
			if (has_progress(in, w, f))
				busy = true;
			else if (f->is_proven)
				blocked = true;
			else
				w->is_unproven = true;
			break;
		case FINDING_TASK_QUEUED:
		case FINDING_DEPENDENCE:
		case FINDING_DETACHED:
			blocked |= f->is_proven;
			unknown |= !f->is_proven;
			break;
		case FINDING_POLLS:
			if (in->has_devices && f->n_waiting)
				w->is_unproven = true;
			blocked |= f->n_waiting > 0;
			outside = true;
			break;
		case FINDING_SPINS:
			w->is_unproven = true;
			break;
		case FINDING_SLOW:
		case FINDING_BUSY:
			if (has_progress(in, w, f))
				busy = true;
			else if (is_seen(in, w, f))
				w->is_unproven = true;
			else
				w->is_unseen = true;
			break;
		case FINDING_OUTSIDE:
			outside = true;
			break;
		case FINDING_UNKNOWN:
		case FINDING_KINDS:
			unknown = true;
			break;
		}
	}
	if (in->is_halted) {
		w->is_unseen = w->is_unproven = false;
		return VERDICT_WAITING;
	}
	w->is_unseen &= !busy;
	w->is_unproven &= !busy;
	if (busy)
		return VERDICT_BUSY;
	if (w->is_unseen || w->is_unproven)
		return VERDICT_UNKNOWN;
	if (blocked)
		return VERDICT_BLOCKED;
	if (unknown)
		return VERDICT_UNKNOWN;
	if (timed)
		return VERDICT_WAITING;
	if (w->n_waiting)
		return VERDICT_UNKNOWN;
	return outside ? VERDICT_WAITING : VERDICT_IDLE;
}

static int compare_findings(const void *pa, const void *pb)
{
	const struct waits_finding *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->n_waiting != b->n_waiting)
		return a->n_waiting > b->n_waiting ? -1 : 1;
	/* The minority first. */
	if (a->n_nodes != b->n_nodes)
		return a->n_nodes < b->n_nodes ? -1 : 1;
	return a->n_nodes && a->nodes[0] != b->nodes[0] ? (a->nodes[0] < b->nodes[0] ? -1 : 1) : 0;
}

static bool is_outside(const struct waits_finding *f)
{
	return f->kind == FINDING_OUTSIDE || (f->kind == FINDING_POLLS && !f->n_waiting);
}

/*
 * While threads run, the verdict is not about a thread that sleeps elsewhere: moves a finding on running threads to the
 * front.
 */
static void move_running_first(struct waits *w)
{
	uint32_t i = 0;

	if (!w->n_findings || !is_outside(&w->findings[0]) ||
	    (w->verdict != VERDICT_BUSY && !w->is_unseen && !w->is_unproven))
		return;
	while (i < w->n_findings && !is_running_finding(&w->findings[i]))
		i++;
	if (i == w->n_findings)
		return;
	struct waits_finding first = w->findings[i];

	memmove(w->findings + 1, w->findings, i * sizeof(first));
	w->findings[0] = first;
}

bool waits_need_progress(const struct waits *w)
{
	return w->verdict == VERDICT_UNKNOWN && (w->is_unseen || w->is_unproven);
}

void waits_conclude(const struct waits_input *in, struct waits *w)
{
	if (w->n_findings)
		qsort(w->findings, w->n_findings, sizeof(*w->findings), compare_findings);
	w->verdict = find_verdict(in, w);
	move_running_first(w);
}
