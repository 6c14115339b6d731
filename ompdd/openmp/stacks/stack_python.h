/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of Python on the stacks. The interpreter executes them in frames of its own, in C. openmp/python reads them
 * from the target's memory; here they are placed between the frames of C.
 */
#ifndef OMPDD_OPENMP_STACK_PYTHON_H
#define OMPDD_OPENMP_STACK_PYTHON_H

#include "openmp/stacks/stacks.h"

/*
 * Returns the place of the Python instruction @instruction in @function, at @line (0: not known) of @file; created at
 * the first use. NULL if memory is out.
 */
struct stacks_place *stack_python_place(struct stacks *st, uint64_t instruction, const char *function, const char *file,
					int line);
/*
 * Inserts the functions of Python of @t: each before the frame of C that executes it, as an inlined function is.
 * Functions whose frame of C is not known are left out, unless no frame of C is known. Part of stacks_thread(). Returns
 * false if memory is out.
 */
bool stack_python_insert(struct stacks *st, struct stacks_thread *t);
/* Returns whether the file of a Python function belongs to Python's own library or an installed package. */
bool stack_python_is_library(const char *file);

#endif
