/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopped threads, or those stopped when a copy was taken, with their registers. For process.c. */
#ifndef OMPDD_TARGET_STOPPED_THREADS_H
#define OMPDD_TARGET_STOPPED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "target/arch/arch.h"

/* Called for each thread; @registers is NULL if unknown. */
typedef void (*stopped_thread_fn)(pid_t tid, const struct arch_registers *registers, void *arg);

struct stopped_thread {
	pid_t tid;
	bool has_registers;
	struct arch_registers registers;
};

/* All zeroes is a valid empty list. */
struct stopped_threads {
	struct stopped_thread *threads; /* sorted by tid after stopped_threads_sort() */
	size_t n, cap;
	bool unsorted;
	bool failed; /* an entry could not be allocated */
};

void stopped_threads_deinit(struct stopped_threads *s);
void stopped_threads_clear(struct stopped_threads *s);
/* A stopped_thread_fn that adds a thread; @arg is a struct stopped_threads. */
void stopped_threads_add(pid_t tid, const struct arch_registers *registers, void *arg);
void stopped_threads_sort(struct stopped_threads *s);
/* Return the entry of @tid, or NULL. */
const struct stopped_thread *stopped_threads_find(const struct stopped_threads *s, pid_t tid);

#endif
