/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the entry points of loops of long, of unsigned long long, and of combined parallel loops have in common. */
#ifndef OMPDD_RUNTIME_ABI_GOMP_LOOP_H
#define OMPDD_RUNTIME_ABI_GOMP_LOOP_H

#include "abi/abi.h"
#include "core/loop.h"

/*
 * schedule(runtime): gcc's `sched` is 0, with the monotonic bit if the program asked for that, or 4 ("auto") if it asked for
 * nonmonotonic.
 */
static inline uint32_t loop_schedule(long sched)
{
	uint32_t kind = SCHEDULE_KIND((uint32_t)sched);

	return (kind == SCHEDULE_AUTO ? SCHEDULE_RUNTIME : kind) | ((uint32_t)sched & SCHEDULE_MONOTONIC);
}

static inline void setup_long(struct workshare_setup *s, long start, long end, long incr)
{
	s->start = (uint64_t)start;
	s->incr = (uint64_t)incr;
	s->end = (uint64_t)end;
	s->n = loop_count_signed(start, end, incr);
}

/* A negative chunk is none. */
static inline uint64_t chunk_long(long chunk)
{
	return chunk > 0 ? (uint64_t)chunk : 0;
}

#endif
