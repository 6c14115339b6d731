/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers of threads that another debugger holds, as that debugger tells them: without ptrace the kernel tells no
 * more than the program counter and the stack pointer. They hold while the thread has not run since.
 */
#ifndef OMPDD_TARGET_TOLD_H
#define OMPDD_TARGET_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/target.h"

struct told_thread;

struct told {
	struct told_thread *threads; /* by tid */
	size_t n, cap;
};

/*
 * Keep @registers, all of them known, of thread @tid below @taskfd, /proc/PID/task. *@ret_taken: whether it is stopped
 * by a tracer, and the kernel tells the same program counter and stack pointer; if not, nothing is kept of it.
 */
MUST_USE struct error *told_set(struct told *t, int taskfd, pid_t tid, const struct target_registers *registers,
				bool *ret_taken);
/* What was told of @tid, if it still holds; else @ret is left as it is. */
void told_get(const struct told *t, int taskfd, pid_t tid, struct target_registers *ret);
/* All zeroes is a valid empty value. */
void told_deinit(struct told *t);

#endif
