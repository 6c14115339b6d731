/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call stacks: what is needed of them is copied within a view, so that the target may run again, and unwound later. */
#ifndef OMPDD_TARGET_STACK_H
#define OMPDD_TARGET_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/target.h"

/* Frames of one stack, however many a client asks for. */
#define STACK_MAX_FRAMES 4096
/* Of one stack among many, and of one alone, so much is copied from its stack pointer on. */
#define STACK_COPY_MANY (64u << 10)
#define STACK_COPY_ONE	(1u << 20)
/* Of all stacks together; each gets its share, but a page. */
#define STACK_COPY_TOTAL (64u << 20)

/* Registers and used part of a thread's stack at one moment. */
struct stack_copy {
	pid_t tid;
	struct target_registers registers; /* .known is 0: the thread runs, or is gone */
	uint64_t start;			   /* address of bytes[0] */
	size_t len;
	unsigned char *bytes;
	bool moved; /* observe mode: the thread went on while it was copied */
	bool racy;  /* what was not copied may be read from the target as it runs */
};

struct stack_copies {
	struct stack_copy *copies;
	size_t n;
	unsigned char *bytes; /* of all */
};

/* Why a stack ends where it does. */
enum stack_end {
	STACK_OUTERMOST,     /* all of it is there */
	STACK_CUT,	     /* there are more frames than were asked for */
	STACK_NO_REGISTERS,  /* the thread was running, or is gone: there are no frames */
	STACK_FEW_REGISTERS, /* only pc and sp are known, and the next frame needs others */
	STACK_MOVED,	     /* the thread went on while its stack was read */
	STACK_NOT_COPIED,    /* it is deeper than what was copied of it */
	STACK_BROKEN,	     /* no unwind information for the next frame, or it is wrong */
};

enum stack_base {
	STACK_BY_POINTER,	/* the stack pointer alone */
	STACK_BY_FRAME_POINTER, /* that alone */
	STACK_BY_MORE,		/* other registers or memory, or it is not known */
};

struct stack_frame {
	uint64_t pc;
	uint64_t sp; /* on return into this frame; 0: not known. It is the CFA of the frame that this one called */
	uint64_t kept[ARCH_N_KEPT]; /* what the registers hold that a function preserves for its caller, in the order of
				       arch->kept */
	uint16_t kept_known;	    /* bit n: kept[n] is known */
	bool is_exact; /* pc is the next instruction (innermost, or interrupted by a signal), not behind a call */
};

_Static_assert(ARCH_N_KEPT <= 16, "a bit for each");

/* What unwinding has read: the same words, with the same registers, give the same frames. */
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
 * Copy what unwinding @tids will need, and bring the list of modules up to date; within a view. A thread of which
 * nothing is known gets an empty copy. @max_bytes: of each stack. ERR_TARGET_EXITED, ERR_STOP_TIMEOUT.
 */
MUST_USE struct error *stack_copies_take(struct target *t, const pid_t *tids, size_t n, size_t max_bytes,
					 struct stack_copies *ret);
/*
 * The copy of one thread that sleeps as @activity says; in a view. Nothing holds it: the caller finds out whether it
 * has slept on.
 */
MUST_USE struct error *stack_copies_take_asleep(struct target *t, pid_t tid, const struct target_activity *activity,
						size_t max_bytes, struct stack_copies *ret);
/* All zeroes is a valid empty value. */
void stack_copies_deinit(struct stack_copies *c);

/*
 * Unwind @copy; the target may run again, but modules are those of the view in which it was taken. Never fails: what
 * cannot be had is said in `end`. The caller calls stack_deinit().
 */
void stack_unwind(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret);
/* The same, and what was read for it, into @words if that is not NULL. */
void stack_unwind_noting(struct target *t, const struct stack_copy *copy, size_t max_frames, struct stack *ret,
			 struct stack_words *words);
/* What the frame of the function at @pc, and with it its caller's, is found by; *@offset_ret: by the frame pointer, how
 * far behind that the stack pointer is on return to the caller. */
enum stack_base stack_base(struct target *t, uint64_t pc, bool is_exact, uint64_t *offset_ret);
void stack_deinit(struct stack *s);

/* What register number @reg (DWARF's) held at @frame->pc, if it is known: one of those that are kept, or the stack
 * pointer. */
bool stack_frame_register(const struct stack_frame *frame, unsigned reg, uint64_t *ret);

/* The 8 bytes at @addr: from @copy, else from the target while that cannot have changed. */
bool stack_copy_read(struct target *t, const struct stack_copy *copy, uint64_t addr, uint64_t *ret);

#endif
