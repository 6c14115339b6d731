/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds out whether a thread waits at a barrier of its team, spinning or not, by its function of the runtime. Those
 * functions have no names in a stripped runtime. The barrier routine has a name, and ends with a jump to them.
 */
#ifndef OMPDD_OPENMP_STACK_BARRIER_H
#define OMPDD_OPENMP_STACK_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_BARRIER_MAX 8

struct stacks;
struct stacks_thread;

/* The start addresses of the runtime's functions in which threads wait at barriers, and at nothing else. */
struct stack_barrier {
	bool is_known; /* the search was made; `n` is 0 if the code does not show them */
	uint64_t starts[STACK_BARRIER_MAX];
	size_t n;
};

/* Finds the functions, once. @b belongs to the runtime of @st's model. */
void stack_barrier_find(struct stack_barrier *b, struct stacks *st);
/* Returns whether one of them is among the innermost frames of @t, which are the runtime's. */
bool stack_barrier_has(const struct stack_barrier *b, struct stacks *st, const struct stacks_thread *t);

#endif
