/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A helper thread that runs one function at a time for a caller that must not hang or die with it.
 *
 * Only the thread that attached to a traced thread may detach it. A read can hang: its page may have to come from the
 * stopped process itself (userfaultfd, FUSE). If the tracing thread made that read, the process would stay stopped for
 * ever. So the tracing thread is a helper that reads nothing (target/stop/live), and a stopped process is read through
 * another helper (target/memory/timed_reader).
 */
#ifndef OMPDD_BASE_HELPER_THREAD_H
#define OMPDD_BASE_HELPER_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct helper_thread;

/* Start a helper thread. @name: shown in /proc. The thread blocks all signals but @signo (0: all). */
MUST_USE struct error *helper_thread_create(const char *name, int signo, struct helper_thread **ret);
/* NULL is fine. A thread that never finishes its function is left running until the process exits. */
void helper_thread_destroy(struct helper_thread *a);

/* Run @fn(@arg) in the thread and wait for its end. One caller at a time. */
void helper_thread_run(struct helper_thread *a, void (*fn)(void *arg), void *arg);
/* The same in two parts. Between them the caller may use anything that @fn does not use. */
void helper_thread_begin(struct helper_thread *a, void (*fn)(void *arg), void *arg);
void helper_thread_await(struct helper_thread *a);
/* Return false if @fn has not finished within @ms. The caller must not use the data of @fn until this returns true. */
bool helper_thread_await_for(struct helper_thread *a, unsigned ms);

/* The kernel's id of the thread: for timers, and shown in /proc as the tracer. */
pid_t helper_thread_tid(const struct helper_thread *a);

/*
 * Raise the calling thread's scheduling priority, if the system permits it, until it passes @hurry false. For the time
 * that a target is stopped: its resuming threads would otherwise take the processor.
 */
void helper_thread_hurry(bool hurry);
/*
 * Do not raise the priority while a tracer other than @pid (such as strace) traces us: each system call then waits for
 * the tracer.
 */
void helper_thread_expect_tracer(pid_t pid);

#endif
