/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explains why the kernel refuses access to a process. */
#ifndef OMPDD_TARGET_ACCESS_H
#define OMPDD_TARGET_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Return the error for @errnum (EPERM, EACCES, ESRCH) of an attempt to @what ("read", "trace") process @pid. Errors:
 * ERR_ALREADY_TRACED (only for "trace"; names the tracer), ERR_TARGET_EXITING, ERR_PERMISSION_DENIED. The latter has a
 * hint for the first reason that applies: other user namespace, other user, not dumpable, capabilities, ptrace_scope,
 * container.
 */
struct error *access_explain(pid_t pid, int errnum, const char *what);

/* Return ERR_ALREADY_TRACED when another process traces thread @tid of process @pid; NULL when it has no tracer. */
struct error *access_tracer(pid_t pid, pid_t tid);

/*
 * Return whether @tid has no tracer any more. An ompdd-tracer whose worker has exited is about to detach: wait for it,
 * for two seconds at most.
 */
bool access_wait_tracer_left(pid_t tid);

#endif
