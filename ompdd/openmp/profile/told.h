/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records which states of running threads the runtime's memory shows, by the threads' places in them. Stacks and memory
 * are of different moments. So a state that both show would be counted twice: in samplings with the state in memory,
 * and by stacks in the others.
 */
#ifndef OMPDD_OPENMP_PROFILE_TOLD_H
#define OMPDD_OPENMP_PROFILE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/profile/tally.h"

/* Limit for the entries. Further states are not noted: for them stacks count, too. */
#define TOLD_MAX 64

/* All zeroes is empty. */
struct told {
	struct {
		enum profile_state state;
		struct tally_place at;
	} rows[TOLD_MAX];
	uint32_t n;
};

struct trail;

/*
 * Notes that memory shows @state of a running thread. If the newest of its stacks since the last sampling shows the
 * same state, memory shows that state at that place. @level: as for trail_state().
 */
void told_note(struct told *t, enum profile_state state, const struct trail *const *samples, uint32_t n, int64_t level);
/*
 * Returns the newest of these stacks that may match a running thread without a state in memory. A stack in a state that
 * memory would show does not match. Returns NULL if no stack matches.
 */
const struct trail *told_newest(const struct told *t, const struct trail *const *samples, uint32_t n, int64_t level);

#endif
