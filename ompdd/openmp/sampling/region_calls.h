/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the starts of a tally's regions during the recording: the difference of the runtimes' own counts, if they have
 * any.
 */
#ifndef OMPDD_OPENMP_PROFILE_REGION_CALLS_H
#define OMPDD_OPENMP_PROFILE_REGION_CALLS_H

#include <stddef.h>

#include "openmp/model/region_starts.h"
#include "openmp/model/runtimes.h"

struct tally;

struct region_calls {
	struct region_starts before[RUNTIMES_MAX]; /* at the start of the recording */
	size_t n;				   /* number of runtimes at that time */
};

/*
 * Starts the recording. A count that cannot be read stays unknown. This and the next function select the main runtime
 * at their end.
 */
void region_calls_begin(struct region_calls *c, struct runtimes *r, unsigned timeout_ms);
/* Sets the number of starts since then in each region of @t. */
void region_calls_count(const struct region_calls *c, struct runtimes *r, unsigned timeout_ms, struct tally *t);
/* Marks all counts of @t as unknown: the runtimes can no longer be read. */
void region_calls_forget(struct tally *t);
void region_calls_deinit(struct region_calls *c);

#endif
