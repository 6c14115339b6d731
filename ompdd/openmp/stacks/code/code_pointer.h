/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the place where a function keeps the pointer that it calls through, or an argument of the call. That is a
 * register that calls preserve, or memory that such a register or the code points to.
 */
#ifndef OMPDD_OPENMP_CODE_POINTER_H
#define OMPDD_OPENMP_CODE_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/stacks/code/code_releases.h"

/* A virtual function needs three loads: the object, its table, the function. */
#define CODE_POINTER_MAX_LOADS 4

/*
 * The sum of the register's content and offsets[0]. Each load adds the 8 bytes at the address so far to the next
 * offset.
 */
struct code_pointer {
	int reg; /* decode_arch's number; -1: the sum starts with 0 */
	unsigned n_loads;
	int64_t offsets[CODE_POINTER_MAX_LOADS + 1];
};

/*
 * Finds the pointer of the call that ends at @pc in @f. Returns false if that is no indirect call, or the function has
 * lost the pointer.
 */
bool code_pointer_find(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_pointer *ret);

/*
 * Finds argument number @n, from 0, of the call that ends at @pc in @f. Returns false if no call ends there, or the
 * function has lost the argument.
 */
bool code_argument_find(struct code_releases *r, const struct code_function *f, uint64_t pc, unsigned n,
			struct code_pointer *ret);

/* The source of an integer argument: only its low 32 bits count. */
struct code_integer {
	enum {
		CODE_INTEGER_NUMBER,   /* the argument is `offset` */
		CODE_INTEGER_REGISTER, /* `offset` is added to register `number`, which calls preserve */
		CODE_INTEGER_ARGUMENT, /* `offset` is added to the function's own argument `number` */
	} kind;
	int number;
	int64_t offset;
};

/*
 * Finds the low 32 bits of argument number @n, from 0, of the call that ends at @pc in @f. Uses no memory: that may
 * have changed since the call. Returns false if no call ends there, or the function has lost the argument.
 */
bool code_integer_find(struct code_releases *r, const struct code_function *f, uint64_t pc, unsigned n,
		       struct code_integer *ret);

#endif
