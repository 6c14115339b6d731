/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which of the threads that come to a place count for one breakpoint: what ompdd-tracer decides by itself, so that a
 * hit that does not count costs the process nothing but that thread's way past it.
 */
#ifndef OMPDD_TARGET_FILTER_H
#define OMPDD_TARGET_FILTER_H

#include <stdint.h>

/* Filters of one place. */
#define FILTERS_MAX 8

/* What is 0 lets everybody pass. In this order: */
struct target_filter {
	uint32_t group; /* not 0; the breakpoint: its places count together */
	int32_t tid;	/* only this thread */
	/* The place is a function's first instruction, to which calls come: only those by code in [start, end), if
	 * `end` is not 0, or outside of it. */
	uint32_t calls, outside;
	uint64_t start, end;
	/* Who jumps here from another place of the group was seen there: same return address, same stack. */
	uint32_t only_first;
	/* Only calls whose argument of this number, from 0, is `value`. */
	uint32_t has_argument, argument;
	uint64_t value;
	/* Only calls whose first argument points at something that has, at `word_offset`, these bits. */
	uint32_t word_offset, word_mask, word_value;
	/* The worker is to be asked, with only this thread standing; it counts then, not the tracer. */
	uint32_t asks;
	/* Of those that are left so many pass, and then every so manieth is reported; 0: each. */
	uint64_t after, every;
};

#endif
