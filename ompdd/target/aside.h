/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A helper thread that runs one function at a time for a caller that must not hang or die with it.
 *
 * Only the thread that attached to a traced thread may detach it. A read can hang: its page may have to come from the
 * stopped process itself (userfaultfd, FUSE). If the tracing thread made that read, the process would stay stopped for
 * ever. So the tracing thread is a helper that reads nothing (target/live), and a stopped process is read through
 * another helper (target/reach).
 */
#ifndef OMPDD_TARGET_ASIDE_H
#define OMPDD_TARGET_ASIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct aside;

/* Start a helper thread. @name: shown in /proc. The thread blocks all signals but @signo (0: all). */
MUST_USE struct error *aside_create(const char *name, int signo, struct aside **ret);
/* NULL is fine. A thread that never finishes its function is left running until the process exits. */
void aside_destroy(struct aside *a);

/* Run @fn(@arg) in the thread and wait for its end. One caller at a time. */
void aside_run(struct aside *a, void (*fn)(void *arg), void *arg);
/* The same in two parts. Between them the caller may use anything that @fn does not use. */
void aside_begin(struct aside *a, void (*fn)(void *arg), void *arg);
void aside_await(struct aside *a);
/* Return false if @fn has not finished within @ms. The caller must not use the data of @fn until this returns true. */
bool aside_await_for(struct aside *a, unsigned ms);

/* The kernel's id of the thread: for timers, and shown in /proc as the tracer. */
pid_t aside_tid(const struct aside *a);

/*
 * Raise the calling thread's scheduling priority, if the system permits it, until it passes @hurry false. For the time
 * that a target is stopped: its resuming threads would otherwise take the processor.
 */
void aside_hurry(bool hurry);
/*
 * Do not raise the priority while a tracer other than @pid (such as strace) traces us: each system call then waits for
 * the tracer.
 */
void aside_expect_tracer(pid_t pid);

#endif
