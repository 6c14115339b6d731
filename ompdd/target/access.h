/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why the kernel refuses access to a process, in words that help. */
#ifndef OMPDD_TARGET_ACCESS_H
#define OMPDD_TARGET_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * The error for @errnum (EPERM, EACCES, ESRCH) of an attempt to @what ("read", "trace") process @pid:
 * ERR_ALREADY_TRACED (only for "trace"; names the tracer), ERR_TARGET_EXITING, ERR_PERMISSION_DENIED with a hint for
 * the first reason that applies: other user namespace, other user, not dumpable, capabilities, ptrace_scope, container.
 */
struct error *access_explain(pid_t pid, int errnum, const char *what);

/* ERR_ALREADY_TRACED when someone traces thread @tid of process @pid; NULL when nobody does. */
struct error *access_tracer(pid_t pid, pid_t tid);

/*
 * Whether nobody traces @tid any more. An ompdd-tracer whose worker is gone is about to let go: it is waited for, for
 * two seconds at most.
 */
bool access_wait_tracer_left(pid_t tid);

#endif
