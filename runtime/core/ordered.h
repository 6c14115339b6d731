/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ordered regions of a loop (OpenMP 5.2, 15.10.2). The program does not say which iteration it is in, but a thread has
 * one chunk at a time: turns go from chunk to chunk, `turn` is the first iteration of the one whose turn it is. It is
 * passed on when as many ordered regions were executed as there are iterations, or when the thread asks for more.
 */
#ifndef OMPDD_RUNTIME_CORE_ORDERED_H
#define OMPDD_RUNTIME_CORE_ORDERED_H

#include <stdbool.h>

#include "core/team.h"
#include "core/thread.h"
#include "core/workshare.h"

void ordered_prepare(struct workshare *ws);
/* The thread is done with the chunk at hand (an empty one: it has none yet). Waits for its turn if that was not. */
void ordered_leave_chunk(struct thread *t, struct loop *l);
/* Until it is the turn of the chunk at hand. */
void ordered_wait(struct thread *t) __attribute__((cold));
void ordered_pass(struct thread *t, struct loop *l);

/* Whether the calling thread may execute an ordered region now, or must ordered_wait(). */
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
