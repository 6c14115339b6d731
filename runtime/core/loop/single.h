/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * single (OpenMP 5.2, 11.1). The team counts the single constructs that were taken. A thread that has encountered that
 * many takes the next one. A copyprivate single is a workshare, which its first thread publishes with the data.
 */
#ifndef OMPDD_RUNTIME_CORE_LOOP_SINGLE_H
#define OMPDD_RUNTIME_CORE_LOOP_SINGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/state/team.h"
#include "core/state/worksharing.h"
#include "core/sync/wait.h"

/* Returns whether the calling thread executes the next single region. */
static inline bool single_begin(struct thread *t)
{
	struct share *share = &t->member->share;
	uint64_t own, taken;

	if (t->n_threads == 1)
		return true;
	own = share->n_singles++;
	if (own < share->n_singles_taken)
		return false;
	/*
	 * The exchange only decides; no data depends on it. After a barrier, where all threads arrive at once, a
	 * thread reads first, so that a late one does not take the cache line from the winner. In other places a
	 * thread is seldom late.
	 */
	taken = own;
	if (t->beaten_behind != t->barrier_count)
		taken = __atomic_load_n(&t->team->workshares.n_singles, __ATOMIC_RELAXED);
	if (taken == own && __atomic_compare_exchange_n(&t->team->workshares.n_singles, &taken, own + 1, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return true;
	/* A late thread need not read the counter for each construct. */
	share->n_singles_taken = taken;
	wait_fall_back(t);
	return false;
}

/*
 * single_copy_begin() returns true in the thread that executes the region. It then calls single_copy_give(). The
 * others get the data by single_copy_get().
 */
bool single_copy_begin(struct thread *t);
void single_copy_give(struct thread *t, void *data);
void *single_copy_get(struct thread *t);

#endif
