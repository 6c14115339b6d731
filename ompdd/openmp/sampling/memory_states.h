/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records which states of running threads the runtime's memory shows, by the threads' places in them. Stacks and memory
 * are of different moments. So a state that both show would be counted twice: in samplings with the state in memory,
 * and by stacks in the others.
 */
#ifndef OMPDD_OPENMP_PROFILE_MEMORY_STATES_H
#define OMPDD_OPENMP_PROFILE_MEMORY_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/sampling/tally.h"

/* Limit for the entries. Further states are not noted: for them stacks count, too. */
#define MEMORY_STATES_MAX 64

/* All zeroes is empty. */
struct memory_states {
	struct {
		enum profile_state state;
		struct tally_place at;
	} rows[MEMORY_STATES_MAX];
	uint32_t n;
};

struct call_chain;

/*
 * Notes that memory shows @state of a running thread. If the newest of its stacks since the last sampling shows the
 * same state, memory shows that state at that place. @level: as for call_chain_state().
 */
void memory_states_note(struct memory_states *t, enum profile_state state, const struct call_chain *const *samples,
			uint32_t n, int64_t level);
/*
 * Returns the newest of these stacks that may match a running thread without a state in memory. A stack in a state that
 * memory would show does not match. Returns NULL if no stack matches.
 */
const struct call_chain *memory_states_newest(const struct memory_states *t, const struct call_chain *const *samples,
					      uint32_t n, int64_t level);

#endif
