/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a thread is in the program's own text, for people: the innermost line that its authors wrote, and the function
 * of another library that it called there (MPI_Recv, read, pthread_cond_wait), if it is in one.
 */
#ifndef OMPDD_OPENMP_STACK_WHERE_H
#define OMPDD_OPENMP_STACK_WHERE_H

#include "openmp/stacks/stacks.h"

struct stack_where {
	struct stacks_place *place; /* NULL: not known */
	uint8_t from;		    /* of its source's places, the first that counts */
	const char *outside;	    /* what was called there and is not the program's; NULL: nothing, or not known */
	bool is_mpi;
};

/* Of thread number @i of @st. Everything belongs to @st. */
void stack_where_find(struct stacks *st, size_t i, struct stack_where *ret);

#endif
