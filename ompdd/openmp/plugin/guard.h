/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Marks the time spent inside the hosted OMPD library. A crash or hang there ends the process with a status of its own,
 * so the daemon can separate it from our own failures.
 */
#ifndef OMPDD_OPENMP_GUARD_H
#define OMPDD_OPENMP_GUARD_H

#include <signal.h>

#include "base/error.h"

/* Not 0 while the library runs. Only plugin_call() sets it. */
extern volatile sig_atomic_t guard_in_plugin;

/*
 * Installs the handlers. SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT run on a stack of their own. SIGRTMAX - 2 serves
 * the time limit, atexit a library that calls exit(). Call it once per process, before the first plugin_load(). A
 * second call does nothing.
 */
MUST_USE struct error *guard_init(void);

/*
 * Brackets the use of the library in one request. After @timeout_ms milliseconds (0: no limit) the process ends as soon
 * as it is found inside the library. Nested pairs count as part of the outermost pair.
 */
void guard_enter(unsigned timeout_ms);
void guard_leave(void);

#endif
