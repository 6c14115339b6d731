/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Implements struct code_world of openmp/stacks/code_* for a process: its bytes, the bounds of functions, and the
 * called functions. Those are the runtime's routines that acquire and release, and functions of the same module.
 * Functions of the C library count if they return twice or never, or call their argument.
 */
#ifndef OMPDD_OPENMP_STACK_CODE_H
#define OMPDD_OPENMP_STACK_CODE_H

#include "openmp/stacks/code/code_releases.h"
#include "openmp/stacks/stacks.h"

struct runtime;

struct stack_code {
	struct stacks *st;
	const struct runtime *runtime;
	struct code_world world; /* its arg is this struct */
};

/*
 * Initializes @c for the code of @st's process, which calls @runtime. The descriptor of @runtime has lock_calls. @c
 * must not move.
 */
void stack_code_init(struct stack_code *c, struct stacks *st, const struct runtime *runtime);

/* Reads code of target @t, a struct target: a code_read_fn. */
size_t stack_code_read(void *t, uint64_t address, uint8_t *buf, size_t size);

/* Finds the function that starts at @address. Returns false if none is known to start there. */
bool stack_code_function(struct stack_code *c, uint64_t address, struct code_function *ret);

#endif
