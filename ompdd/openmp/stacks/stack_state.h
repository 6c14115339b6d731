/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads wait for whose state neither the library nor the kernel tells: they spin, or sleep in a way of which
 * nothing is known. */
#ifndef OMPDD_OPENMP_STACK_STATE_H
#define OMPDD_OPENMP_STACK_STATE_H

#include "openmp/stacks/stacks.h"

/*
 * Fill in states, as inferred, by the routine of the runtime that the program has called: a thread that is in
 * omp_set_lock() has not got the lock yet, or has just got it; one in the program's own code, or in what that called,
 * is at work. @s is the snapshot that @st was taken with, and has gone through infer_snapshot() and
 * stack_fill_snapshot().
 */
void stack_state_fill(struct stacks *st, struct snapshot *s, bool *filled);

#endif
