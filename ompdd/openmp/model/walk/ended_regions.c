/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Drops regions without their primary thread. A region lives while it is the current region of its thread number 0, or
 * encloses a living region. This is checked only if each thread's number is known.
 */
#include "openmp/model/walk/ended_regions.h"

#include <stdlib.h>

#include <omp-tools.h>

#include "base/cleanup.h"
#include "openmp/model/snapshot.h"

static const struct snapshot_ref nothing = {.rc = ompd_rc_unavailable, .index = SNAPSHOT_NONE};

static bool find_living_regions(const struct snapshot *s, bool *lives)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];

		if (thread->parallel.index == SNAPSHOT_NONE)
			continue;
		if (thread->thread_num.rc != ompd_rc_ok)
			return false;
		if (thread->thread_num.value != 0)
			continue;
		for (uint32_t r = thread->parallel.index; r != SNAPSHOT_NONE && !lives[r];
		     r = s->parallels[r].enclosing.index)
			lives[r] = true;
	}
	return true;
}

static void renumber_ref(struct snapshot_ref *ref, const uint32_t *now)
{
	if (ref->index == SNAPSHOT_NONE)
		return;
	if (now[ref->index] == SNAPSHOT_NONE)
		*ref = nothing;
	else
		ref->index = now[ref->index];
}

/*
 * Computes the new index of each of @n elements, SNAPSHOT_NONE for dropped ones. Returns the number of kept elements.
 */
static uint32_t compute_indices(const bool *keeps, size_t n, uint32_t *now)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < n; i++)
		now[i] = keeps[i] ? kept++ : SNAPSHOT_NONE;
	return kept;
}

static void drop_parallels(struct snapshot *s, const bool *lives, uint32_t *now)
{
	uint32_t kept = compute_indices(lives, s->n_parallels, now);

	for (size_t i = 0; i < s->n_parallels; i++)
		if (now[i] != SNAPSHOT_NONE)
			s->parallels[now[i]] = s->parallels[i];
	s->n_parallels = kept;
	for (size_t i = 0; i < kept; i++)
		renumber_ref(&s->parallels[i].enclosing, now);
	for (size_t i = 0; i < s->n_tasks; i++)
		renumber_ref(&s->tasks[i].parallel, now);
	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		if (thread->parallel.index == SNAPSHOT_NONE)
			continue;
		renumber_ref(&thread->parallel, now);
		if (thread->parallel.index == SNAPSHOT_NONE)
			thread->thread_num = (struct snapshot_word){.rc = ompd_rc_unavailable};
	}
}

static void drop_tasks(struct snapshot *s, const bool *keeps, uint32_t *now)
{
	uint32_t kept = compute_indices(keeps, s->n_tasks, now);

	for (size_t i = 0; i < s->n_tasks; i++)
		if (now[i] != SNAPSHOT_NONE)
			s->tasks[now[i]] = s->tasks[i];
	s->n_tasks = kept;
	for (size_t i = 0; i < kept; i++) {
		renumber_ref(&s->tasks[i].generating, now);
		renumber_ref(&s->tasks[i].scheduling, now);
	}
	for (size_t i = 0; i < s->n_threads; i++)
		renumber_ref(&s->threads[i].task, now);
}

struct error *ended_regions_drop(struct snapshot *s)
{
	_cleanup_free_ bool *lives = calloc(s->n_parallels + 1, sizeof(*lives));
	_cleanup_free_ bool *keeps = calloc(s->n_tasks + 1, sizeof(*keeps));
	_cleanup_free_ uint32_t *now = calloc(s->n_parallels + s->n_tasks + 1, sizeof(*now));
	size_t ended = 0;

	if (!lives || !keeps || !now)
		return &error_nomem;
	if (!find_living_regions(s, lives))
		return NULL;
	for (size_t i = 0; i < s->n_parallels; i++)
		ended += !lives[i];
	if (!ended)
		return NULL;
	for (size_t i = 0; i < s->n_tasks; i++) {
		uint32_t region = s->tasks[i].parallel.index;

		keeps[i] = region == SNAPSHOT_NONE || lives[region];
	}
	/* If tasks were not walked, only threads refer to them. */
	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		if (thread->parallel.index != SNAPSHOT_NONE && !lives[thread->parallel.index])
			thread->task = nothing;
	}
	drop_parallels(s, lives, now);
	drop_tasks(s, keeps, now);
	return NULL;
}
