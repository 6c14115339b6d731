/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one thread did last: a ring of cells, each the begin of a state in a region. */
#ifndef OMPDD_OPENMP_PROFILE_TIMELINE_H
#define OMPDD_OPENMP_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/profile/profile_state.h"

#define TIMELINE_CELLS 512

struct timeline_cell {
	uint64_t t_us; /* since the profile began: of the first sample that saw it */
	uint16_t region;
	uint8_t state; /* enum profile_state, or TIMELINE_GONE */
};

/* From here on the thread is not there, or nothing is sampled. */
#define TIMELINE_GONE PROFILE_N_STATES

struct timeline {
	struct timeline_cell *cells; /* NULL until the first */
	uint64_t n;		     /* that were ever added; the last TIMELINE_CELLS are there */
};

void timeline_deinit(struct timeline *t);
/* Note that the thread is in @state of region number @region since @t_us; the same as before adds nothing. False:
 * memory is out. */
bool timeline_add(struct timeline *t, uint64_t t_us, unsigned state, uint32_t region);
/* Cell number @i of all that were added, one of the last. */
const struct timeline_cell *timeline_at(const struct timeline *t, uint64_t i);
/* The first that is still there. */
uint64_t timeline_first(const struct timeline *t);

#endif
