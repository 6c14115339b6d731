/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The turn of an ordered loop: waiting for it, passing it on, and leaving a chunk whose regions were not all executed.
 */
#include "core/loop/ordered.h"

#include "core/sync/handover.h"
#include "core/sync/wait.h"

void ordered_prepare(struct workshare *ws)
{
	ws->turn = 0;
}

/* Threads that wait for the same chunk sleep with the same bit; few others share it. */
static uint32_t get_bit(uint64_t chunk_begin)
{
	return 1u << (chunk_begin * 0x9e3779b97f4a7c15u >> 59);
}

void ordered_wait(struct thread *t)
{
	struct share *share = &t->member->share;
	struct workshare *ws = share->ws;
	uint64_t own = share->loop.chunk_begin;
	uint32_t before = state_wait(t, ompt_state_wait_ordered, &ws->turn);
	uint64_t length = share->loop.chunk_end - own;
	struct waiter w = {0};
	uint64_t turn;

	/* Most chunks have the same size, so the previous chunk is at most that far away. */
	while ((turn = __atomic_load_n(&ws->turn, __ATOMIC_ACQUIRE)) != own)
		handover_wait(&w, own - turn <= length, &ws->turn, turn, &ws->turn_sleepers, get_bit(own));
	state_restore(t, before);
}

void ordered_pass(struct thread *t, struct loop *l)
{
	struct workshare *ws = t->member->share.ws;

	handover_give(&ws->turn, l->chunk_end, &ws->turn_sleepers, get_bit(l->chunk_end));
}

void ordered_leave_chunk(struct thread *t, struct loop *l)
{
	uint64_t n = l->chunk_end - l->chunk_begin;

	if (l->n_regions == n)
		return;
	if (!ordered_may_begin(t))
		ordered_wait(t);
	ordered_pass(t, l);
}
