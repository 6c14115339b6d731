/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code of a process as openmp/stacks/code_* want it (struct code_world): its bytes, where functions begin and end,
 * and what is called: the runtime's routines that acquire and release, the C library's that return twice or never or
 * call what they are given, and functions of the same module.
 */
#ifndef OMPDD_OPENMP_STACK_CODE_H
#define OMPDD_OPENMP_STACK_CODE_H

#include "openmp/stacks/code_releases.h"
#include "openmp/stacks/stacks.h"

struct runtime;

struct stack_code {
	struct stacks *st;
	const struct runtime *runtime;
	struct code_world world; /* its arg is this struct */
};

/* The code of @st's process, in which @runtime, whose profile has lock_calls, is called. @c must stay where it is. */
void stack_code_init(struct stack_code *c, struct stacks *st, const struct runtime *runtime);

/* The function that begins at @address; false: none is known to. */
bool stack_code_function(struct stack_code *c, uint64_t address, struct code_function *ret);

#endif
