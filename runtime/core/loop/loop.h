/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Worksharing loops (OpenMP 5.2, 11.5). Iterations are counted from 0 to their number, which always fits into 64 bits.
 * Only what the program gets is converted to values of its loop variable, modulo 2^64. No schedule has to handle
 * signs, directions or overflow.
 */
#ifndef OMPDD_RUNTIME_CORE_LOOP_LOOP_H
#define OMPDD_RUNTIME_CORE_LOOP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "os/spin.h"

/* The number of iterations from @start by @incr up (or down) to @end, exclusive. @incr 0: none. */
uint64_t loop_count_signed(int64_t start, int64_t end, int64_t incr);
uint64_t loop_count_unsigned(bool up, uint64_t start, uint64_t end, uint64_t incr);

/*
 * Fills in the schedule of @setup. SCHEDULE_RUNTIME: run-sched-var of the current task. Without SCHEDULE_MONOTONIC in
 * both, any order is allowed.
 */
void loop_setup_schedule(struct thread *t, struct workshare_setup *setup, uint32_t schedule, uint64_t chunk,
			 bool ordered);

/* Fills in the struct of a construct that the calling thread is the first to encounter. Changes only @ws. */
void workshare_prepare(struct workshare *ws, const struct workshare_setup *setup, uint32_t n_threads);

/* The calling thread starts with the construct in t->member->share.ws, which is filled in. */
void loop_join(struct thread *t);
/*
 * A combined construct: the region starts with this loop or these sections. The primary thread calls
 * loop_begin_region() while it sets up the team, and each member calls loop_join_region() before the region's
 * function. Other regions need no call.
 */
void loop_begin_region(struct thread *primary, const struct workshare_setup *setup);
void loop_join_region(struct thread *t);
/* Encounters a loop and starts with it. */
void loop_begin(struct thread *t, const struct workshare_setup *setup);

/* Optional parts of a construct; all zero: none. */
struct loop_extras {
	uint64_t *reductions; /* of task reductions: see core/task/reduction */
	void **memory;	   /* in: a size in bytes, as a pointer; out: zeroed memory of the construct, the same for all
			      threads */
	uint32_t n_counts; /* doacross: the number of loops, and the iterations of each; the first loop is the shared
			      one */
	const uint64_t *counts;
};

/* As loop_begin(), for a loop with extras. */
void loop_begin_extras(struct thread *t, const struct workshare_setup *setup, const struct loop_extras *extras);

/* Assigns more iterations to the calling thread: l->next and l->stop. Returns false if none are left. */
bool loop_refill(struct thread *t, struct loop *l);

/*
 * Returns the calling thread's next iterations as values of the loop variable, from *@first to *@end, exclusive.
 * False: none.
 */
static inline bool loop_next(struct thread *t, uint64_t *first, uint64_t *end)
{
	struct loop *l = &t->member->share.loop;
	uint64_t from, to;

	if (l->next == l->stop && !loop_refill(t, l))
		return false;
	from = l->next;
	to = l->stop - from > l->chunk ? from + l->chunk : l->stop;
	l->next = to;
	*first = l->start + from * l->incr;
	/* The value behind the last one may not fit into the variable's type. */
	*end = to == l->n ? l->end : l->start + to * l->incr;
	return true;
}

/* Returns whether the loop or sections of the thread were reported to a tool. Cheaper than a check for a tool. */
static inline bool loop_is_reported(const struct thread *t)
{
	return unlikely(t->member->share.loop.work);
}

/* The calling thread has finished the loop. */
static inline void loop_leave(struct thread *t)
{
	t->member->share.loop.in_order = LOOP_ANY_ORDER;
}

#endif
