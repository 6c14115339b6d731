/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where functions begin and end, from what unwinding needs to know (.eh_frame): also of stripped programs. And where
 * exceptions are caught in them, for that is a way into a function that no jump leads to.
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
 * The range of code at @pc that one entry describes: a function, or the part of it that the compiler has put elsewhere.
 * False: nothing says so, or exceptions are caught in it in a way that is not understood. May be called when the target
 * runs again: code does not change.
 */
bool unwind_range_find(struct target *t, uint64_t pc, struct unwind_range *ret);

#endif
