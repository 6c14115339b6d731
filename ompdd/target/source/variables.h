/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the variables that debug information has for a frame of a stack, and the pointers among global variables. */
#ifndef OMPDD_TARGET_VARIABLES_H
#define OMPDD_TARGET_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"
#include "target/unwind/stack.h"

/* The largest number of variables that one search visits; more are left out. */
#define VARIABLES_MAX 65536

/* A variable of the program. The texts hold during the visit. */
struct variable {
	const char *name;
	const char *function; /* that declares it; NULL: global, or not known */
	const char *file;     /* of its declaration; NULL: not known */
	int line;	      /* 0: not known */
	/* Where its data is, without a pointer in it. size 0: it is not in memory, or its size is not known. */
	uint64_t address, size;
	bool has_open_end; /* an array at `address` whose size is lost */
	/* It is a pointer, a reference, or refers to an array elsewhere, as allocatable arrays of Fortran do. */
	bool is_pointer;
	bool has_target; /* `target` is the address that it holds; never for a global variable */
	uint64_t target;
};

/* Return false to end the visit. */
typedef bool variables_visit(const struct variable *variable, void *arg);

/*
 * Visit the variables of frame @k of @stack that are alive at its program counter, the innermost block's first, then
 * those of the functions around it if it is inlined. @stack was unwound from @copy, which has its memory. May be
 * called when the target runs again. Variables without a location are left out.
 */
void variables_visit_frame(struct target *t, const struct stack_copy *copy, const struct stack *stack, size_t k,
			   variables_visit *visit, void *arg);

/*
 * Visit the global pointers of the program and its libraries, as far as debug information has them: `address` is where
 * the pointer is. Call it after a view; the modules must be those of that view.
 */
void variables_visit_global_pointers(struct target *t, variables_visit *visit, void *arg);

#endif
