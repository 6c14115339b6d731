/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopped threads, or those stopped when a copy was taken, with their registers. For process.c. */
#ifndef OMPDD_TARGET_STANDING_H
#define OMPDD_TARGET_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "target/arch.h"

/* Called for each thread; @registers is NULL if unknown. */
typedef void (*standing_fn)(pid_t tid, const struct arch_registers *registers, void *arg);

struct standing_thread {
	pid_t tid;
	bool has_registers;
	struct arch_registers registers;
};

/* All zeroes is a valid empty list. */
struct standing {
	struct standing_thread *threads; /* sorted by tid after standing_sort() */
	size_t n, cap;
	bool unsorted;
	bool failed; /* an entry could not be allocated */
};

void standing_deinit(struct standing *s);
void standing_clear(struct standing *s);
/* A standing_fn that adds a thread; @arg is a struct standing. */
void standing_add(pid_t tid, const struct arch_registers *registers, void *arg);
void standing_sort(struct standing *s);
/* Return the entry of @tid, or NULL. */
const struct standing_thread *standing_find(const struct standing *s, pid_t tid);

#endif
