/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call stacks: unwinds copies when the target may run again. */
#ifndef OMPDD_TARGET_STACK_H
#define OMPDD_TARGET_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/target.h"
#include "target/unwind/stack_copy.h"
#include "target/unwind/stack_frame.h"

/* Limit for the frames of one stack, whatever a client requests. */
#define STACK_MAX_FRAMES 4096

enum stack_base {
	STACK_BY_POINTER,	/* the stack pointer only */
	STACK_BY_FRAME_POINTER, /* the frame pointer only */
	STACK_BY_MORE,		/* other registers or memory, or unknown */
};

/*
 * Unwind @copy. The target may run again, but the modules must be those of the view of the copy. Never fails: `end`
 * reports missing data. The caller calls stack_deinit().
 */
void stack_unwind(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret);
/* The same; records the words read in @words unless that is NULL. */
void stack_unwind_noting(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret,
			 struct stack_words *words);
/*
 * Return how the frame of the function at @pc, and its caller's, is found. With the frame pointer, *@offset_ret is the
 * distance from it to the stack pointer after the return to the caller.
 */
enum stack_base stack_base(struct target *t, uint64_t pc, bool is_exact, uint64_t *offset_ret);
void stack_deinit(struct stack *s);

#endif
