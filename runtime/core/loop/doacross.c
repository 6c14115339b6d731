/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The flags of a doacross loop: created for a loop, set when an iteration is done, waited for. */
#include "core/loop/doacross.h"

#include <stdlib.h>

#include "core/sync/handover.h"
#include "core/sync/wait.h"
#include "os/memory.h"

enum { CHUNKS_PER_THREAD = 4 }; /* chunks in progress, with schedules that are not static */

#define ANY_BIT UINT32_MAX

static bool is_static(const struct workshare *ws)
{
	return ws->kind == LOOP_STATIC || ws->kind == LOOP_STATIC_CHUNKS;
}

static uint32_t count_flags(const struct workshare *ws, uint32_t n_threads)
{
	uint32_t n = 1;

	if (is_static(ws))
		return n_threads;
	while (n < CHUNKS_PER_THREAD * n_threads)
		n *= 2;
	return n;
}

void doacross_destroy(struct doacross *d)
{
	if (d)
		free(d->flags);
	free(d);
}

static struct doacross *ensure_room(struct doacross *d, uint32_t n_flags, uint32_t n_counts)
{
	if (d && d->room_flags >= n_flags && d->room_counts >= n_counts)
		return d;
	doacross_destroy(d);
	d = memory_zalloc(sizeof(*d) + n_counts * sizeof(d->stride[0]));
	d->flags = memory_zalloc_line(n_flags * sizeof(*d->flags));
	d->room_flags = n_flags;
	d->room_counts = n_counts;
	return d;
}

void doacross_prepare(struct workshare *ws, uint32_t n_counts, const uint64_t *counts, uint32_t n_threads)
{
	struct doacross *d;
	uint32_t n_flags;

	/* All parts must have the same size: a waiting thread computes the chunk of an iteration. */
	if (ws->kind == LOOP_GUIDED)
		ws->kind = LOOP_DYNAMIC;
	/* A chunk larger than the loop would overflow the window's arithmetic. */
	if (ws->chunk > ws->n)
		ws->chunk = ws->n ? ws->n : 1;
	n_flags = count_flags(ws, n_threads);
	ws->doacross = d = ensure_room(ws->doacross, n_flags, n_counts);
	d->n_counts = n_counts;
	d->n_flags = n_flags;
	for (uint32_t i = 0; i < n_flags; i++)
		d->flags[i].done = 0;
	/* Cannot overflow: all iterations are executed. */
	d->stride[n_counts - 1] = 1;
	for (uint32_t i = n_counts - 1; i; i--)
		d->stride[i - 1] = d->stride[i] * counts[i];
}

void doacross_join(struct thread *t)
{
	struct loop *l = &t->member->share.loop;

	if (t->n_threads == 1)
		return;
	l->in_order = LOOP_DOACROSS;
	l->chunk_begin = l->chunk_end = 0;
	l->flag = NULL;
}

/* 32 bits where they suffice: several times faster. */
static inline uint64_t divide_u64(uint64_t a, uint64_t b, uint64_t *rest)
{
	if (likely(!((a | b) >> 32))) {
		*rest = (uint32_t)a % (uint32_t)b;
		return (uint32_t)a / (uint32_t)b;
	}
	*rest = a % b;
	return a / b;
}

/* Returns the flag of the chunk that contains iteration @outer of the shared loop. */
static struct doacross_flag *find_flag(const struct thread *t, const struct workshare *ws, uint64_t outer)
{
	struct doacross *d = ws->doacross;
	uint64_t each, more, chunk, i;

	switch (ws->kind) {
	case LOOP_STATIC: /* as core/loop divides it */
		each = divide_u64(ws->n, t->n_threads, &more);
		if (outer < more * (each + 1))
			return &d->flags[divide_u64(outer, each + 1, &i)];
		return &d->flags[more + divide_u64(outer - more * (each + 1), each, &i)];
	case LOOP_STATIC_CHUNKS:
		chunk = ws->chunk == 1 ? outer : divide_u64(outer, ws->chunk, &i);
		divide_u64(chunk, d->n_flags, &i);
		return &d->flags[i];
	default:
		chunk = ws->chunk == 1 ? outer : divide_u64(outer, ws->chunk, &i);
		return &d->flags[chunk & (d->n_flags - 1)];
	}
}

/*
 * The flag belongs to this thread until it marks the chunk as done. Then it may belong to a later chunk of another
 * thread, which has stored a larger value. So a thread does not store a value again. Relaxed: it sees at least its own
 * last store.
 */
static inline void raise_flag(struct doacross_flag *flag, uint64_t done)
{
	if (likely(__atomic_load_n(&flag->done, __ATOMIC_RELAXED) < done))
		handover_give(&flag->done, done, &flag->sleepers, ANY_BIT);
}

/* The program may have posted all iterations, or not the last ones. */
void doacross_leave_chunk(struct thread *t, struct loop *l)
{
	const struct doacross *d = t->member->share.ws->doacross;

	if (l->flag)
		raise_flag(l->flag, l->chunk_end * d->stride[0]);
}

static void wait_for_flag(struct thread *t, struct doacross_flag *flag, uint64_t number)
{
	struct waiter w = {0};
	uint32_t before = state_wait(t, ompt_state_wait_ordered, flag);
	uint64_t done;

	while ((done = __atomic_load_n(&flag->done, __ATOMIC_ACQUIRE)) <= number)
		handover_wait(&w, false, &flag->done, done, &flag->sleepers, ANY_BIT);
	state_restore(t, before);
}

void doacross_enter_chunk(struct thread *t, struct loop *l)
{
	const struct workshare *ws = t->member->share.ws;
	const struct doacross *d = ws->doacross;

	if (ws->kind == LOOP_STATIC || ws->kind == LOOP_STATIC_CHUNKS) {
		if (!l->flag)
			l->flag = &d->flags[t->thread_num];
		return;
	}
	l->flag = find_flag(t, ws, l->chunk_begin);
	/*
	 * The chunk that had the flag before must be done. It waits only for earlier chunks, as this one does, and the
	 * earliest waits for none.
	 */
	uint64_t window = d->n_flags * ws->chunk;

	if (l->chunk_begin >= window && d->stride[0]) {
		uint64_t last = (l->chunk_begin - window + ws->chunk) * d->stride[0] - 1;

		if (__atomic_load_n(&l->flag->done, __ATOMIC_ACQUIRE) <= last)
			wait_for_flag(t, l->flag, last);
	}
}

void doacross_post(struct thread *t, const uint64_t *vector)
{
	const struct doacross *d = doacross_of(t);
	struct loop *l = &t->member->share.loop;
	uint64_t number = 0;

	if (!d)
		return;
	for (uint32_t i = 0; i < d->n_counts; i++)
		number += vector[i] * d->stride[i];
	raise_flag(l->flag, number + 1);
}

bool doacross_is_done(struct thread *t, uint64_t outer, uint64_t number)
{
	const struct share *share = &t->member->share;

	/* Earlier iterations of the thread's own chunk are done. */
	if (outer - share->loop.chunk_begin < share->loop.chunk_end - share->loop.chunk_begin)
		return true;
	/* gcc 12 asks for the predecessor of iteration 0 of an unsigned loop variable. */
	if (unlikely(outer >= share->loop.n))
		return true;
	/* Acquire, with the release in doacross_post(): what the iteration has done. */
	return __atomic_load_n(&find_flag(t, share->ws, outer)->done, __ATOMIC_ACQUIRE) > number;
}

void doacross_wait(struct thread *t, uint64_t outer, uint64_t number)
{
	wait_for_flag(t, find_flag(t, t->member->share.ws, outer), number);
}
