/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers of threads that another debugger holds, as reported by that debugger: without ptrace the kernel shows only
 * the program counter and the stack pointer. They are valid until the thread runs again.
 */
#ifndef OMPDD_TARGET_REPORTED_REGISTERS_H
#define OMPDD_TARGET_REPORTED_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/arch/thread.h"

struct reported_thread;

struct reported_registers {
	struct reported_thread *threads; /* sorted by tid */
	size_t n, cap;
};

/*
 * Keep @registers, all known, of thread @tid below @taskfd (/proc/PID/task). *@ret_taken: the thread is stopped by a
 * tracer, and the kernel shows the same program counter and stack pointer. Otherwise nothing is kept.
 */
MUST_USE struct error *reported_registers_set(struct reported_registers *t, int taskfd, pid_t tid,
					      const struct target_registers *registers, bool *ret_taken);
/* Store the reported registers of @tid if they are still valid; else leave @ret unchanged. */
void reported_registers_get(const struct reported_registers *t, int taskfd, pid_t tid, struct target_registers *ret);
/* All zeroes is a valid empty value. */
void reported_registers_deinit(struct reported_registers *t);

#endif
