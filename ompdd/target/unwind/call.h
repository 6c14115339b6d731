/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the function that a call instruction calls. A function that ends with a jump is not on the stack, but the call
 * that led to it is in the code. For a call through a pointer, the caller's frame still holds the pointer.
 */
#ifndef OMPDD_TARGET_CALL_H
#define OMPDD_TARGET_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "target/arch/call_site.h"
#include "target/target.h"
#include "target/unwind/stack_copy.h"
#include "target/unwind/stack_frame.h"

/*
 * Decode the call before @return_address; CALL_UNKNOWN for an unknown form. May be called when the target runs again.
 */
void call_read(struct target *t, uint64_t return_address, struct call_site *ret);

/*
 * Store the destination of @call, made by frame number @i of @stack. The pointer must still be in a preserved register
 * or in the frame's own part of the stack, @copy. Return false if the destination is unknown.
 */
bool call_of_frame(struct target *t, const struct call_site *call, const struct stack_copy *copy,
		   const struct stack *stack, size_t i, uint64_t *ret);

/* If @addr is an entry of a procedure linkage table, return its current destination; else @addr. */
uint64_t call_through_plt(struct target *t, uint64_t addr);

/*
 * Store the destination of a call through the pointer at @address, which must be constant: a pointer that the program
 * can write may have had other values. Return false if the destination is unknown.
 */
bool call_pointer(struct target *t, uint64_t address, uint64_t *ret);

/*
 * Store the destination of the call before @return_address, followed through the procedure linkage table. Return false
 * for an indirect call whose destination is not in the code. May be called when the target runs again: code does not
 * change.
 */
bool call_target(struct target *t, uint64_t return_address, uint64_t *ret);

#endif
