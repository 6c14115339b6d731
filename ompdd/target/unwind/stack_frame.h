/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames of a stack, as unwinding gives them. */
#ifndef OMPDD_TARGET_STACK_FRAME_H
#define OMPDD_TARGET_STACK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/target.h"

/* Why a stack has no more frames. */
enum stack_end {
	STACK_OUTERMOST,     /* the stack is complete */
	STACK_CUT,	     /* there are more frames than requested */
	STACK_NO_REGISTERS,  /* the thread was running, or is gone: no frames */
	STACK_FEW_REGISTERS, /* only pc and sp are known, and the next frame needs other registers */
	STACK_MOVED,	     /* the thread continued while its stack was read */
	STACK_NOT_COPIED,    /* the stack is deeper than its copy */
	STACK_BROKEN,	     /* the next frame has no unwind information, or a wrong one */
};

struct stack_frame {
	uint64_t pc;
	uint64_t sp; /* after the return to this frame; 0: unknown. Equals the CFA of the frame that this one called */
	uint64_t kept[ARCH_N_KEPT]; /* values of the registers that a function preserves for its caller, in the order
				     * of arch->kept */
	uint16_t kept_known;	    /* bit n: kept[n] is known */
	bool is_exact; /* pc is the next instruction (innermost, or interrupted by a signal), not a return address */
};

_Static_assert(ARCH_N_KEPT <= 16, "a bit for each");

struct stack {
	pid_t tid;
	struct stack_frame *frames; /* innermost first */
	size_t n;
	enum stack_end end;
};

/*
 * Store the value of register number @reg (DWARF's) at @frame->pc, if known: a preserved register or the stack pointer.
 */
static inline bool stack_frame_register(const struct stack_frame *frame, unsigned reg, uint64_t *ret)
{
	if (reg == TARGET_REGISTER_SP) {
		*ret = frame->sp;
		return frame->sp != 0;
	}
	for (unsigned i = 0; i < arch->n_kept; i++) {
		if (arch->kept[i] == reg && frame->kept_known >> i & 1) {
			*ret = frame->kept[i];
			return true;
		}
	}
	return false;
}

#endif
