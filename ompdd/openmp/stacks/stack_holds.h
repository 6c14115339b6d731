/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the code on one stack proves to be held, and what it is about to acquire, for looks that meet the same code
 * again and again: what is known of code is kept from stack to stack. openmp/stacks/stack_held.c
 */
#ifndef OMPDD_OPENMP_STACK_HOLDS_H
#define OMPDD_OPENMP_STACK_HOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/model/holder.h"

#define STACK_HOLDS_MAX 4

struct stacks;
struct stack_holding; /* what is known of code */

struct stack_hold {
	enum holder_kind kind;
	bool is_only;	  /* the runtime's only one of this kind: it has no address in the program */
	uint64_t address; /* unless is_only */
};

/* All zeroes: nothing is known. */
struct stack_holds {
	struct stack_hold held[STACK_HOLDS_MAX];
	uint32_t n;
	bool is_wanting; /* `wanted` is set */
	struct stack_hold wanted;
};

/* NULL: memory is out. To be destroyed with the places of the stacks that it was used for. */
struct stack_holding *stack_holding_create(void);
void stack_holding_destroy(struct stack_holding *h);

/*
 * Of thread number @i of @st, unwound, whose stack is of one moment. Locks whose addresses are in registers or on the
 * stack are left out: what is said holds for each stack with the same return addresses. All zeroes on a runtime of
 * which no routines are known (struct profile_lock_call).
 */
void stack_holding_find(struct stack_holding *h, struct stacks *st, size_t i, struct stack_holds *ret);

#endif
