/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which function a call instruction calls. A function that ends with a jump is not on the stack, but the call that led
 * into it is in the code, and for one through a pointer, that is still in what the caller keeps.
 */
#ifndef OMPDD_TARGET_CALL_H
#define OMPDD_TARGET_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "target/stack.h"
#include "target/target.h"

enum call_kind {
	CALL_UNKNOWN,
	CALL_DIRECT,   /* of a place that the code says */
	CALL_POINTER,  /* of what a place holds that the code says; call_read() reads it and says CALL_DIRECT */
	CALL_REGISTER, /* of what a register holds */
	CALL_SLOT,     /* of what memory holds beside what a register points at */
};

struct call_site {
	enum call_kind kind;
	unsigned char reg;    /* by its DWARF number; CALL_REGISTER, CALL_SLOT */
	int32_t displacement; /* CALL_SLOT */
	uint64_t address;     /* CALL_DIRECT, CALL_POINTER */
};

/* Read the call before @return_address; CALL_UNKNOWN when it is of no known form. May be called when the target runs
 * again. */
void call_read(struct target *t, uint64_t return_address, struct call_site *ret);

/*
 * Where @call, which frame number @i of @stack is in, goes: a pointer is what the frame still keeps, in a register that
 * every function preserves or in its own part of the stack, of which @copy is. False: not known.
 */
bool call_of_frame(struct target *t, const struct call_site *call, const struct stack_copy *copy,
		   const struct stack *stack, size_t i, uint64_t *ret);

/* If @addr is an entry of a procedure linkage table, where it jumps to now; else @addr. */
uint64_t call_through_plt(struct target *t, uint64_t addr);

/*
 * Where a call through the pointer at @address goes, and has always gone: one that the program can write may have led
 * anywhere. False: not known.
 */
bool call_pointer(struct target *t, uint64_t address, uint64_t *ret);

/*
 * Where the call before @return_address goes, through the procedure linkage table if it leads there; false for
 * indirect calls that the code does not tell. May be called when the target runs again: code does not change.
 */
bool call_target(struct target *t, uint64_t return_address, uint64_t *ret);

#endif
