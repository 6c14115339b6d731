/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the start and end of functions in unwinding information (.eh_frame), also for stripped programs. Finds their
 * landing pads for exceptions too: an entry to a function without a jump.
 */
#ifndef OMPDD_TARGET_UNWIND_RANGE_H
#define OMPDD_TARGET_UNWIND_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_RANGE_PADS 64

struct target;

struct unwind_range {
	uint64_t start, end;
	uint64_t pads[UNWIND_RANGE_PADS]; /* landing pads, each once */
	size_t n_pads;
};

/*
 * Find the range of code at @pc that one entry describes: a function, or a part of it that the compiler has moved.
 * Return false if there is no entry, or its exception table has an unknown form. May be called when the target runs
 * again: code does not change.
 */
bool unwind_range_find(struct target *t, uint64_t pc, struct unwind_range *ret);

#endif
