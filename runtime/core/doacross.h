/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Doacross loops: ordered(n) with depend(source) and depend(sink) (OpenMP 5.2, 15.9.7). The iterations of the whole
 * nest are numbered in their sequential order. Who shares out the outermost loop gives each thread chunks of it, in
 * which iterations are executed in order; so one number says how far a chunk is: all before it is done. It stands in a
 * flag: static schedules have one for each thread, others for each of the chunks that may be under way at once.
 */
#ifndef OMPDD_RUNTIME_CORE_DOACROSS_H
#define OMPDD_RUNTIME_CORE_DOACROSS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/team.h"
#include "core/thread.h"
#include "core/workshare.h"
#include "os/spin.h"

struct doacross_flag {
	uint64_t done;	   /* atomic */
	uint32_t sleepers; /* atomic */
} __attribute__((aligned(CACHE_LINE)));

struct doacross {
	struct doacross_flag *flags;
	uint32_t n_counts; /* loops of the nest, the shared one first */
	uint32_t n_flags;  /* a power of two where chunks are not given out statically */
	uint32_t room_flags, room_counts;
	uint64_t stride[]; /* iterations of the nest in one of each loop; the last is 1 */
};

/* Fill in the rest of @ws, for which workshare_prepare() was called. */
void doacross_prepare(struct workshare *ws, uint32_t n_counts, const uint64_t *counts, uint32_t n_threads);
void doacross_destroy(struct doacross *d);
void doacross_join(struct thread *t);
/* The thread is done with the chunk at hand (an empty one: it has none yet), has the next one. */
void doacross_leave_chunk(struct thread *t, struct loop *l);
void doacross_enter_chunk(struct thread *t, struct loop *l);

/* The iteration @vector of the nest is done, as far as others wait for it. */
void doacross_post(struct thread *t, const uint64_t *vector);
/*
 * Wait for the iteration of this number, in iteration @outer of the shared loop: doacross_wait(), if doacross_is_done()
 * says that it is not done.
 */
bool doacross_is_done(struct thread *t, uint64_t outer, uint64_t number);
void doacross_wait(struct thread *t, uint64_t outer, uint64_t number) __attribute__((cold));

/* The doacross loop that the thread is in; NULL: none, or no other thread is. */
static inline const struct doacross *doacross_of(struct thread *t)
{
	const struct share *share = &t->member->share;

	return share->loop.in_order == LOOP_DOACROSS ? share->ws->doacross : NULL;
}

#endif
