/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the first instructions of a function say of its frame. For code of which unwinding information says something
 * that cannot be: that a function has saved nothing when it has called another, and would return to itself. So it is
 * with __kmp_invoke_microtask() of LLVM's runtime where return addresses are in a register, and it is on the stack of
 * each thread of a team.
 */
#ifndef OMPDD_TARGET_PROLOGUE_H
#define OMPDD_TARGET_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/stack.h"

struct prologue {
	struct prologue_save {
		unsigned reg;	/* by its DWARF number */
		uint64_t below; /* the CFA */
	} saves[ARCH_N_KEPT + 1];
	size_t n_saves;
	uint64_t pointer_below; /* so far below the CFA the frame pointer is when they are executed */
};

/*
 * Read @code, @len bytes, with which a function begins. False: it saves not both its caller's frame pointer and its
 * return address, or makes no frame pointer of its own, or the processor has the return address on the stack anyway.
 */
bool prologue_read(const unsigned char *code, size_t len, struct prologue *ret);

/*
 * Registers in the caller of @frame, with the address of its call's last byte for a program counter. By the frame
 * pointer, and believed only if what is found to be the return address is behind a call of this very function. Behind
 * dwarf_get(), during an unwinding, whose words it reads. False: not known.
 */
bool prologue_caller(struct target *t, const struct stack_frame *frame, struct target_registers *ret);

#endif
