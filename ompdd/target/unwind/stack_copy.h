/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of stacks: the data that unwinding needs, copied within a view. */
#ifndef OMPDD_TARGET_STACK_COPY_H
#define OMPDD_TARGET_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/target.h"

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

/* Read the 8 bytes at @addr from @copy, or from the target while they cannot have changed. */
bool stack_copy_read(struct target *t, const struct stack_copy *copy, uint64_t addr, uint64_t *ret);

#endif
