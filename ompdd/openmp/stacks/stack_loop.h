/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds out whether places of a function are in one loop of its code. A thread that stays in a loop need not go on. */
#ifndef OMPDD_OPENMP_STACK_LOOP_H
#define OMPDD_OPENMP_STACK_LOOP_H

#include <stdbool.h>

#include "openmp/stacks/code/code_graph.h"
#include "target/unwind/unwind_range.h"

struct target;

enum stack_loop {
	STACK_LOOP_UNKNOWN, /* the code is not understood */
	STACK_LOOP_ONE,	    /* code leads from each of the places to the other */
	STACK_LOOP_NONE,    /* no loop contains both */
};

/* The code of the latest function, for many questions about the same one. All zeroes is a valid empty value. */
struct stack_loops {
	struct unwind_range range;
	bool is_known; /* `graph` is valid */
	struct code_graph graph;
};

/*
 * Examines the places @a and @b, addresses of instructions or return addresses. The same place twice is in a loop if
 * its code can come back to it. May be called when the target runs again: code does not change.
 */
enum stack_loop stack_loop_find(struct stack_loops *l, struct target *t, uint64_t a, uint64_t b);
void stack_loops_deinit(struct stack_loops *l);

#endif
