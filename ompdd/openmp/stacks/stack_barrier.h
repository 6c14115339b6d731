/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether a thread waits at a barrier of its team, spinning or not, by the function of the runtime that it is in. Those
 * functions have no names where the runtime is stripped, but the routine for barriers, which has one, ends with a jump
 * to them.
 */
#ifndef OMPDD_OPENMP_STACK_BARRIER_H
#define OMPDD_OPENMP_STACK_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_BARRIER_MAX 8

struct stacks;
struct stacks_thread;

/* Where the functions of the runtime begin in which threads wait at barriers, and nowhere else. */
struct stack_barrier {
	bool is_known; /* it was asked; `n` is 0 where the code does not say */
	uint64_t starts[STACK_BARRIER_MAX];
	size_t n;
};

/* Find out, once; @b is of the runtime of @st's model. */
void stack_barrier_find(struct stack_barrier *b, struct stacks *st);
/* Whether one of them is among the innermost frames of @t, which are the runtime's. */
bool stack_barrier_has(const struct stack_barrier *b, struct stacks *st, const struct stacks_thread *t);

#endif
