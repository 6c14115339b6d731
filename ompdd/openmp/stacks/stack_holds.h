/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the locks that the code on one stack proves to be held, and the lock that it is about to acquire. Meant for
 * samples that see the same code again and again: facts about code are kept from stack to stack.
 * openmp/stacks/stack_held.c
 */
#ifndef OMPDD_OPENMP_STACK_HOLDS_H
#define OMPDD_OPENMP_STACK_HOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/model/wait/holder.h"

#define STACK_HOLDS_MAX 4

struct stacks;
struct stack_holding; /* the known facts about code */

struct stack_hold {
	enum holder_kind kind;
	bool is_only;	  /* the runtime's only lock of this kind: it has no address in the program */
	uint64_t address; /* unless is_only */
};

/* All zeroes: nothing is known. */
struct stack_holds {
	struct stack_hold held[STACK_HOLDS_MAX];
	uint32_t n;
	bool is_wanting; /* `wanted` is set */
	struct stack_hold wanted;
};

/* Returns NULL if memory is out. Destroy it together with the places of the stacks that it was used for. */
struct stack_holding *stack_holding_create(void);
void stack_holding_destroy(struct stack_holding *h);

/*
 * Finds the locks of thread number @i of @st, unwound, whose stack is of one moment. Omits locks whose addresses are in
 * registers or on the stack: the result holds for each stack with the same return addresses. @ret is all zeroes for a
 * runtime without known routines (struct descriptor_lock_call).
 */
void stack_holding_find(struct stack_holding *h, struct stacks *st, size_t i, struct stack_holds *ret);

#endif
