/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call stacks: copies the data that unwinding needs within a view, and unwinds later, when the target may run again. */
#ifndef OMPDD_TARGET_STACK_H
#define OMPDD_TARGET_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/target.h"

/* Limit for the frames of one stack, whatever a client requests. */
#define STACK_MAX_FRAMES 4096
/* Bytes copied from the stack pointer on: of one stack among many, and of a single stack. */
#define STACK_COPY_MANY (64u << 10)
#define STACK_COPY_ONE	(1u << 20)
/* Bytes copied of all stacks together; each stack gets an equal share, a page at least. */
#define STACK_COPY_TOTAL (64u << 20)

/* Registers and used part of a thread's stack at one moment. */
struct stack_copy {
	pid_t tid;
	struct target_registers registers; /* .known is 0: the thread runs, or is gone */
	uint64_t start;			   /* address of bytes[0] */
	size_t len;
	unsigned char *bytes;
	bool moved; /* observe mode: the thread continued while it was copied */
	bool racy;  /* data outside the copy may be read from the running target */
};

struct stack_copies {
	struct stack_copy *copies;
	size_t n;
	unsigned char *bytes; /* of all */
};

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

enum stack_base {
	STACK_BY_POINTER,	/* the stack pointer only */
	STACK_BY_FRAME_POINTER, /* the frame pointer only */
	STACK_BY_MORE,		/* other registers or memory, or unknown */
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

/* A word that unwinding has read: the same words with the same registers give the same frames. */
struct stack_word {
	uint64_t address, value;
};

#define STACK_MAX_WORDS 512

struct stack_words {
	struct stack_word words[STACK_MAX_WORDS];
	size_t n;
	bool truncated;
};

struct stack {
	pid_t tid;
	struct stack_frame *frames; /* innermost first */
	size_t n;
	enum stack_end end;
};

/*
 * Copy the data that unwinding @tids needs, and update the list of modules; within a view. A thread without known
 * registers gets an empty copy. @max_bytes: of each stack. ERR_TARGET_EXITED, ERR_STOP_TIMEOUT.
 */
MUST_USE struct error *stack_copies_take(struct target *t, const pid_t *tids, size_t n, size_t max_bytes,
					 struct stack_copies *ret);
/*
 * Copy the stack of a thread that sleeps as described by @activity; in a view. The thread is not stopped: the caller
 * checks whether it has slept all the time.
 */
MUST_USE struct error *stack_copies_take_asleep(struct target *t, pid_t tid, const struct target_activity *activity,
						size_t max_bytes, struct stack_copies *ret);
/* All zeroes is a valid empty value. */
void stack_copies_deinit(struct stack_copies *c);

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

/*
 * Store the value of register number @reg (DWARF's) at @frame->pc, if known: a preserved register or the stack pointer.
 */
bool stack_frame_register(const struct stack_frame *frame, unsigned reg, uint64_t *ret);

/* Read the 8 bytes at @addr from @copy, or from the target while they cannot have changed. */
bool stack_copy_read(struct target *t, const struct stack_copy *copy, uint64_t addr, uint64_t *ret);

#endif
