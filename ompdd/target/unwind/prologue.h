/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Derives a function's frame from its first instructions, for code with impossible unwinding information: it says that
 * a function saved nothing before it called another, and so would return to itself. Example: the function of
 * LLVM's runtime that calls a region, on processors that keep return addresses in a register. It is on the stack of
 * each thread of a team.
 */
#ifndef OMPDD_TARGET_PROLOGUE_H
#define OMPDD_TARGET_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/unwind/stack_frame.h"

struct prologue {
	struct prologue_save {
		unsigned reg;	/* its DWARF number */
		uint64_t below; /* distance below the CFA */
	} saves[ARCH_N_KEPT + 1];
	size_t n_saves;
	uint64_t pointer_below; /* distance of the frame pointer below the CFA after the prologue */
};

/*
 * Decode @code, the first @len bytes of a function. Return false unless it saves its caller's frame pointer and its
 * return address and sets its own frame pointer. Return false too if the processor keeps return addresses on the stack
 * anyway.
 */
bool prologue_read(const unsigned char *code, size_t len, struct prologue *ret);

/*
 * Store the registers in the caller of @frame, with the address of the call's last byte as the program counter. Uses
 * the frame pointer, and accepts the return address only if it follows a call of this function. Call it after
 * dwarf_get(), during an unwinding, whose words it reads. Return false if unknown.
 */
bool prologue_caller(struct target *t, const struct stack_frame *frame, struct target_registers *ret);

#endif
