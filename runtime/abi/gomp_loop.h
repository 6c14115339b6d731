/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the entry points of loops of long, of unsigned long long, and of combined parallel loops. */
#ifndef OMPDD_RUNTIME_ABI_GOMP_LOOP_H
#define OMPDD_RUNTIME_ABI_GOMP_LOOP_H

#include "abi/abi.h"
#include "core/loop/loop.h"
#include "core/state/icv.h"
#include "core/state/team.h"
#include "core/state/thread.h"

/* The return address of the entry point, for start_loop(): it names the loop. */
#define RETURN_ADDRESS __builtin_return_address(0)

/*
 * schedule(runtime): gcc's `sched` is 0, plus the monotonic bit if the program requested that, or 4 ("auto") if it
 * requested nonmonotonic.
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

/* A negative chunk means none. */
static inline uint64_t chunk_long(long chunk)
{
	return chunk > 0 ? (uint64_t)chunk : 0;
}

/*
 * The schedules with entry points of their own. GIVEN(name, schedule, ordered): the program gives a chunk.
 * BY_ICV(...): schedule(runtime), without a chunk.
 */
#define LOOP_SCHEDULES(GIVEN, BY_ICV)                                                                                  \
	GIVEN(static, SCHEDULE_STATIC, false)                                                                          \
	GIVEN(dynamic, SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC, false)                                                   \
	GIVEN(guided, SCHEDULE_GUIDED | SCHEDULE_MONOTONIC, false)                                                     \
	BY_ICV(runtime, SCHEDULE_RUNTIME | SCHEDULE_MONOTONIC, false)                                                  \
	GIVEN(nonmonotonic_dynamic, SCHEDULE_DYNAMIC, false)                                                           \
	GIVEN(nonmonotonic_guided, SCHEDULE_GUIDED, false)                                                             \
	BY_ICV(nonmonotonic_runtime, SCHEDULE_RUNTIME, false)                                                          \
	BY_ICV(maybe_nonmonotonic_runtime, SCHEDULE_RUNTIME, false)

/* Only for loops alone: combined constructs have no ordered schedules. */
#define LOOP_SCHEDULES_ORDERED(GIVEN, BY_ICV)                                                                          \
	GIVEN(ordered_static, SCHEDULE_STATIC, true)                                                                   \
	GIVEN(ordered_dynamic, SCHEDULE_DYNAMIC, true)                                                                 \
	GIVEN(ordered_guided, SCHEDULE_GUIDED, true)                                                                   \
	BY_ICV(ordered_runtime, SCHEDULE_RUNTIME, true)

#endif
