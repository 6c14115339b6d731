/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the C library on a stack: successive frames of its functions, and the function that other code called. */
#ifndef OMPDD_OPENMP_STACK_LIBRARY_H
#define OMPDD_OPENMP_STACK_LIBRARY_H

#include "openmp/stacks/stacks.h"

struct library_run {
	uint32_t first, end;
	/* "": not known. Without a caller on the stack it is the outermost function of the run. */
	char function[64];
};

/* Returns the first frame from @i on that is not of the C library; the number of frames if all are. */
uint32_t stack_library_skip(const struct stacks_thread *t, uint32_t i);

/* Advances @run to the next call outside of it. All zeroes: before the innermost frame. Returns false at the end. */
bool stack_library_next(struct stacks *st, const struct stacks_thread *t, struct library_run *run);

#endif
