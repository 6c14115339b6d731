/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that stand, or stood when a copy was taken, with their registers. For process.c. */
#ifndef OMPDD_TARGET_STANDING_H
#define OMPDD_TARGET_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "target/arch.h"

/* Told of each thread; @registers is NULL when they are not known. */
typedef void (*standing_fn)(pid_t tid, const struct arch_registers *registers, void *arg);

struct standing_thread {
	pid_t tid;
	bool has_registers;
	struct arch_registers registers;
};

/* All zeroes is a valid empty list. */
struct standing {
	struct standing_thread *threads; /* by tid, once standing_sort() was called */
	size_t n, cap;
	bool unsorted;
	bool failed; /* there was no memory for one */
};

void standing_deinit(struct standing *s);
void standing_clear(struct standing *s);
/* A standing_fn; @arg is a struct standing. */
void standing_add(pid_t tid, const struct arch_registers *registers, void *arg);
void standing_sort(struct standing *s);
/* NULL when it is not there. */
const struct standing_thread *standing_find(const struct standing *s, pid_t tid);

#endif
