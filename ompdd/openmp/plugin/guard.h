/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Who is to blame when the worker dies: marks the time spent inside the hosted OMPD library, so that its
 * crash or hang ends the process with a status which the daemon can tell from our own failures.
 */
#ifndef OMPDD_OPENMP_GUARD_H
#define OMPDD_OPENMP_GUARD_H

#include <signal.h>

#include "base/error.h"

/* Not 0 while the library runs; set by plugin_call() only. */
extern volatile sig_atomic_t guard_in_plugin;

/*
 * Install the handlers (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT on a stack of their own, SIGRTMAX - 2 for
 * the time limit, atexit for a library that calls exit()). Once per process, before the first plugin_load();
 * a second call does nothing.
 */
MUST_USE struct error *guard_init(void);

/*
 * Bracket the use of the library in one request: from guard_enter() on it has @timeout_ms
 * milliseconds (0: no limit), then the process ends as soon as it is found inside. Nested pairs count
 * as part of the outermost.
 */
void guard_enter(unsigned timeout_ms);
void guard_leave(void);

#endif
