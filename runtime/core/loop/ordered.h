/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ordered regions of a loop (OpenMP 5.2, 15.10.2). The program does not name its iteration, but a thread has one chunk
 * at a time. The turn goes from chunk to chunk: `turn` is the first iteration of the chunk that has it. It is passed
 * on after as many ordered regions as iterations, or when the thread requests more iterations.
 */
#ifndef OMPDD_RUNTIME_CORE_LOOP_ORDERED_H
#define OMPDD_RUNTIME_CORE_LOOP_ORDERED_H

#include <stdbool.h>

#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"

void ordered_prepare(struct workshare *ws);
/* The thread has finished its chunk (an empty one: it had none). Waits for its turn if it did not come yet. */
void ordered_leave_chunk(struct thread *t, struct loop *l);
/* Waits for the turn of the thread's chunk. */
void ordered_wait(struct thread *t) __attribute__((cold));
void ordered_pass(struct thread *t, struct loop *l);

/* Returns whether the calling thread may execute an ordered region now. Otherwise call ordered_wait(). */
static inline bool ordered_may_begin(struct thread *t)
{
	const struct share *share = &t->member->share;

	/* Acquire, with the release in ordered_pass(): the ordered regions before. */
	return share->loop.in_order != LOOP_ORDERED ||
	       __atomic_load_n(&share->ws->turn, __ATOMIC_ACQUIRE) == share->loop.chunk_begin;
}

static inline void ordered_end(struct thread *t)
{
	struct loop *l = &t->member->share.loop;

	if (l->in_order == LOOP_ORDERED && ++l->n_regions == l->chunk_end - l->chunk_begin)
		ordered_pass(t, l);
}

#endif
