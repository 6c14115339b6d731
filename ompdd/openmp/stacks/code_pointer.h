/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a function that calls through a pointer keeps that pointer: in a register that calls preserve, or in memory
 * that such a register, or the code, points at.
 */
#ifndef OMPDD_OPENMP_CODE_POINTER_H
#define OMPDD_OPENMP_CODE_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/stacks/code_releases.h"

/* A virtual function takes three: the object, its table, the function. */
#define CODE_POINTER_MAX_LOADS 4

/*
 * The sum of what the register holds and offsets[0]; then, for each load, the sum of the 8 bytes at the address so far
 * and the next offset.
 */
struct code_pointer {
	int reg; /* decode_arch's number; -1: the sum begins with 0 */
	unsigned n_loads;
	int64_t offsets[CODE_POINTER_MAX_LOADS + 1];
};

/* The pointer of the call that ends at @pc in @f. False: that is no indirect call, or the function has lost it. */
bool code_pointer_find(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_pointer *ret);

#endif
