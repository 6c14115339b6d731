/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The latest states of one thread: a ring of cells. Each cell is the start of a state in a region. */
#ifndef OMPDD_OPENMP_PROFILE_TIMELINE_H
#define OMPDD_OPENMP_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/sampling/profile_state.h"

#define TIMELINE_CELLS 512

struct timeline_cell {
	uint64_t t_us; /* since the profile started: time of the first sample in this state */
	uint16_t region;
	uint8_t state; /* enum profile_state, or TIMELINE_GONE */
};

/* From here on the thread has exited, or nothing is sampled. */
#define TIMELINE_GONE PROFILE_N_STATES

struct timeline {
	struct timeline_cell *cells; /* NULL until the first cell */
	uint64_t n;		     /* number of cells ever added; the last TIMELINE_CELLS are kept */
};

void timeline_deinit(struct timeline *t);
/*
 * Notes that the thread is in @state of region number @region since @t_us. An unchanged state adds no cell. Returns
 * false if memory is out.
 */
bool timeline_add(struct timeline *t, uint64_t t_us, unsigned state, uint32_t region);
/* Returns cell number @i of all added cells, one of the kept ones. */
const struct timeline_cell *timeline_at(const struct timeline *t, uint64_t i);
/* Returns the number of the first kept cell. */
uint64_t timeline_first(const struct timeline *t);

#endif
