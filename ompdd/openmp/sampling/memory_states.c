/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A short list is enough: programs wait at few places. */
#include "openmp/sampling/memory_states.h"

#include "openmp/sampling/call_chain.h"

static bool is_barrier(enum profile_state state)
{
	return state == PROFILE_BARRIER || state == PROFILE_BARRIER_EXPLICIT || state == PROFILE_BARRIER_IMPLICIT;
}

/* Return whether both are the same wait: memory may know the kind of a barrier that a stack does not show. */
static bool is_same(enum profile_state a, enum profile_state b)
{
	return a == b || (is_barrier(a) && is_barrier(b));
}

static bool has_row(const struct memory_states *t, enum profile_state state, const struct tally_place *at)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (is_same(t->rows[i].state, state) && tally_is_same_place(&t->rows[i].at, at))
			return true;
	}
	return false;
}

void memory_states_note(struct memory_states *t, enum profile_state state, const struct call_chain *const *samples,
			uint32_t n, int64_t level)
{
	const struct call_chain *newest = n ? samples[n - 1] : NULL;

	if (!newest || t->n == MEMORY_STATES_MAX || !is_same(call_chain_state(newest, level), state) ||
	    has_row(t, state, &newest->at))
		return;
	t->rows[t->n].state = state;
	t->rows[t->n++].at = newest->at;
}

const struct call_chain *memory_states_newest(const struct memory_states *t, const struct call_chain *const *samples,
					      uint32_t n, int64_t level)
{
	while (n-- > 0) {
		if (!has_row(t, call_chain_state(samples[n], level), &samples[n]->at))
			return samples[n];
	}
	return NULL;
}
