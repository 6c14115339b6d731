/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selects the hits that count for one breakpoint. ompdd-tracer applies the filter itself: a hit that does not count
 * delays only its own thread.
 */
#ifndef OMPDD_TARGET_FILTER_H
#define OMPDD_TARGET_FILTER_H

#include <stdint.h>

/* Filters of one place. */
#define FILTERS_MAX 8

/* A field that is 0 accepts every thread. Fields are applied in this order. */
struct target_filter {
	uint32_t group; /* not 0; identifies the breakpoint: all its addresses count together */
	int32_t tid;	/* only this thread */
	/*
	 * For the first instruction of a function: accept only calls by code in [start, end), or outside of it. `end`
	 * 0: accept all.
	 */
	uint32_t calls, outside;
	uint64_t start, end;
	/*
	 * Reject a thread that came here by a jump from another address of the group: same return address, same stack.
	 */
	uint32_t only_first;
	/* Accept only calls whose argument number `argument`, from 0, equals `value`. */
	uint32_t has_argument, argument;
	uint64_t value;
	/* Accept only calls whose first argument points to an object with these bits at `word_offset`. */
	uint32_t word_offset, word_mask, word_value;
	/* The worker decides and counts, not the tracer; only this thread is stopped meanwhile. */
	uint32_t asks;
	/* Skip the first `after` of the remaining hits, then report every `every`th; 0: each. */
	uint64_t after, every;
};

#endif
