/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The worker's sandbox: limits the worker's system calls from the moment it knows its target. All code that reads
 * foreign data runs in it: parsers of files, of a target's memory, and the OMPD library.
 *
 * A seccomp filter allows the calls in sandbox_calls.def: none of them writes a file, reaches a network, starts a
 * program, creates a process, or signals or traces another process. Other calls fail with EPERM and are counted. For a
 * core, a landlock domain refuses the same for files, and also reading other processes' memory; by landlock's own rule
 * a running process cannot be read from inside a domain. Root keeps only the capabilities that reading needs. Limits
 * become hard limits.
 *
 * Requests that the sandbox refuses to the worker itself go to the broker (target/sandbox/broker.h), a process. Only
 * target/stop/live's tracing thread has another filter. A foreign OMPD library is loaded only after that thread has
 * ended (target_quit_thread()).
 */
#ifndef OMPDD_TARGET_SANDBOX_H
#define OMPDD_TARGET_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum sandbox_kind {
	SANDBOX_LOOK,  /* any process, without stops: target.attach in mode observe, process.list */
	SANDBOX_TRACE, /* one process, which is stopped */
	SANDBOX_CORE,  /* a core: with landlock */
};

/*
 * Put the calling thread and its future threads into the sandbox, and start the broker. @pid: the target; 0: none.
 * @start_tracing starts the thread that traces (stopper_prepare()); NULL: none is needed.
 * Later calls do nothing. Features that the kernel lacks are left out and logged at level info; no_new_privs is always
 * set. Fails only if the broker or the thread that traces cannot be started.
 */
MUST_USE struct error *sandbox_enter(enum sandbox_kind kind, pid_t pid, struct error *(*start_tracing)(void));

/*
 * Set the filter of the tracing thread, which runs our own code only: the sandbox's filter, and the ptrace requests
 * that a stop needs. None of these changes memory, or registers other than the result of an interrupted call. Refused
 * calls fail with EPERM, uncounted.
 */
void sandbox_confine_tracing(void);

/* Set the filter of the broker and of a tracer that it starts. It refuses only calls that neither of them needs. */
void sandbox_confine_broker(void);

bool sandbox_is_entered(void);
/* Return whether every thread of this process has the sandbox's filter; true without a sandbox. */
bool sandbox_is_closed(void);

/*
 * Return the number of refused system calls since the last call of this function. *@name_ret is the last one's name, or
 * its number.
 */
uint64_t sandbox_take_refused(const char **name_ret);

#endif
