/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the place of a thread in the program's own source, for all answers that name one. The place is the innermost
 * function that the program's authors wrote, and the line in it. It includes the function of other code that the thread
 * called there (MPI_Recv, read, pthread_cond_wait).
 */
#ifndef OMPDD_OPENMP_STACK_WHERE_H
#define OMPDD_OPENMP_STACK_WHERE_H

#include "openmp/stacks/stacks.h"
#include "target/modules/modules.h"

/* Function and line always belong to the same frame. */
struct stack_where {
	/*
	 * The frame's; for code that left by a jump, its function's start; for Python a number that identifies the
	 * instruction. 0: unknown place.
	 */
	uint64_t pc;
	bool is_python;
	const struct target_module *module; /* NULL: unknown */
	const char *function;		    /* as the linker names it; NULL: unknown */
	const char *file;		    /* NULL: unknown */
	int line;			    /* 0: unknown */
	const char *outside; /* the function of other code that was called there; NULL: no such call, or unknown */
	bool is_mpi;	     /* `outside` is MPI's */
};

/* Finds the place of thread number @i of @st. All texts belong to @st and its snapshot. */
void stack_where_find(struct stacks *st, size_t i, struct stack_where *ret);

#endif
