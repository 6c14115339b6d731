/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often the regions of a tally were begun while it was recorded: what runtimes have counted since, where they do.
 */
#ifndef OMPDD_OPENMP_PROFILE_REGION_CALLS_H
#define OMPDD_OPENMP_PROFILE_REGION_CALLS_H

#include <stddef.h>

#include "openmp/model/begun.h"
#include "openmp/model/runtimes.h"

struct tally;

struct region_calls {
	struct begun before[RUNTIMES_MAX]; /* when the recording began */
	size_t n;			   /* runtimes that there were then */
};

/* The recording begins. What cannot be read is not known. Both end with the main runtime selected. */
void region_calls_begin(struct region_calls *c, struct runtimes *r, unsigned timeout_ms);
/* Put into each of the regions of @t how often it was begun since. */
void region_calls_count(const struct region_calls *c, struct runtimes *r, unsigned timeout_ms, struct tally *t);
/* Nobody can be asked any more. */
void region_calls_forget(struct tally *t);
void region_calls_deinit(struct region_calls *c);

#endif
