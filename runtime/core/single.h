/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * single (OpenMP 5.2, 11.1). The number of single constructs that anybody has taken is shared: who has met as many as
 * that takes the next one. With copyprivate it is a workshare that its first thread publishes when it has the data.
 */
#ifndef OMPDD_RUNTIME_CORE_SINGLE_H
#define OMPDD_RUNTIME_CORE_SINGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/team.h"
#include "core/thread.h"
#include "core/wait.h"

/* Whether the calling thread executes the next single region. */
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
	 * It only decides; no data goes with it. Behind a barrier, where all come at once, a thread looks first: who is
	 * too late does not take the cache line from the one before. Elsewhere it seldom is.
	 */
	taken = own;
	if (t->beaten_behind != t->barrier_count)
		taken = __atomic_load_n(&t->team->workshares.n_singles, __ATOMIC_RELAXED);
	if (taken == own && __atomic_compare_exchange_n(&t->team->workshares.n_singles, &taken, own + 1, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return true;
	/* A thread that is behind need not look at each of them. */
	share->n_singles_taken = taken;
	wait_fall_back(t);
	return false;
}

/* True: the calling thread executes the region and calls single_copy_give(); false: it gets by single_copy_get() what
 * that gave. */
bool single_copy_begin(struct thread *t);
void single_copy_give(struct thread *t, void *data);
void *single_copy_get(struct thread *t);

#endif
