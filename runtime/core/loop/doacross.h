/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Doacross loops: ordered(n) with depend(source) and depend(sink) (OpenMP 5.2, 15.9.7). The iterations of the whole
 * nest are numbered in sequential order. The schedule of the outermost loop gives each thread chunks, whose iterations
 * run in order. One number thus says how far a chunk is: all iterations before it are done. The number is in a flag.
 * Static schedules have one flag per thread, others one per chunk that may be in progress.
 */
#ifndef OMPDD_RUNTIME_CORE_LOOP_DOACROSS_H
#define OMPDD_RUNTIME_CORE_LOOP_DOACROSS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "os/spin.h"

struct doacross_flag {
	uint64_t done;	   /* atomic */
	uint32_t sleepers; /* atomic */
} __attribute__((aligned(CACHE_LINE)));

struct doacross {
	struct doacross_flag *flags;
	uint32_t n_counts; /* loops of the nest, the shared one first */
	uint32_t n_flags;  /* a power of two, except with static schedules */
	uint32_t room_flags, room_counts;
	uint64_t stride[]; /* iterations of the nest per iteration of each loop; the last is 1 */
};

/* Fills in the rest of @ws after workshare_prepare(). */
void doacross_prepare(struct workshare *ws, uint32_t n_counts, const uint64_t *counts, uint32_t n_threads);
void doacross_destroy(struct doacross *d);
void doacross_join(struct thread *t);
/* The thread has finished its chunk (an empty one: it had none), or starts the next one. */
void doacross_leave_chunk(struct thread *t, struct loop *l);
void doacross_enter_chunk(struct thread *t, struct loop *l);

/* The iteration @vector of the nest is done, as far as others wait for it. */
void doacross_post(struct thread *t, const uint64_t *vector);
/*
 * Waits for the iteration with this number, in iteration @outer of the shared loop. Call doacross_wait() if
 * doacross_is_done() returns false.
 */
bool doacross_is_done(struct thread *t, uint64_t outer, uint64_t number);
void doacross_wait(struct thread *t, uint64_t outer, uint64_t number) __attribute__((cold));

/* The number of loops of the thread's doacross loop. */
static inline uint32_t doacross_count_loops(struct thread *t)
{
	return t->member->share.ws->doacross->n_counts;
}

/* The doacross loop of the thread. NULL: none, or a team of one. */
static inline const struct doacross *doacross_of(struct thread *t)
{
	const struct share *share = &t->member->share;

	return share->loop.in_order == LOOP_DOACROSS ? share->ws->doacross : NULL;
}

#endif
