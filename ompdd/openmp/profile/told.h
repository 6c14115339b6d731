/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which states of running threads the runtime's memory tells, by where threads were in them. Stacks are of other
 * moments than what is read of memory, so states that both tell would be counted twice: by the looks that memory tells
 * it to, and by stacks, among the looks that it does not.
 */
#ifndef OMPDD_OPENMP_PROFILE_TOLD_H
#define OMPDD_OPENMP_PROFILE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/profile/tally.h"

/* More are not noted: then stacks count, too. */
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
 * Memory tells @state of a running thread. If the last of its stacks since the look before says so, too, memory does
 * wherever that is. @level: as for trail_state().
 */
void told_note(struct told *t, enum profile_state state, const struct trail *const *samples, uint32_t n, int64_t level);
/*
 * Memory tells nothing of a running thread. The last of these stacks that can be of such a moment: not one of a state
 * that memory would tell. NULL: there is none.
 */
const struct trail *told_newest(const struct told *t, const struct trail *const *samples, uint32_t n, int64_t level);

#endif
