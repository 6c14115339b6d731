/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stopping all threads of a process with PTRACE_SEIZE + PTRACE_INTERRUPT and letting them go
 * with PTRACE_DETACH. Between stops nothing is traced, so that a debugger can come at any time. If this
 * process dies, the kernel detaches: nothing stays stopped.
 */
#ifndef OMPDD_TARGET_LIVE_H
#define OMPDD_TARGET_LIVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/stopper.h"

struct aside;
struct live;

/*
 * Start the thread that traces, for the first live_create() that comes. The sandbox refuses ptrace, so this is called
 * before it (sandbox_enter()). Does nothing if there is such a thread.
 */
MUST_USE struct error *live_prepare(void);
/*
 * Between stops: end that thread for good, if no target uses it. Returns whether there is none now; live_has_quit() is
 * true from then on, and a new thread could not trace.
 */
bool live_quit(void);
bool live_has_quit(void);

/* @taskfd is an open /proc/PID/task, borrowed. */
MUST_USE struct error *live_create(pid_t pid, int taskfd, struct live **ret);
/* Resumes what is stopped. NULL is fine. */
void live_destroy(struct live *l);

/* Its lengths of stops are from the first INTERRUPT to the last DETACH. Registers are as they were when first asked for
 * in a stop. NULL for NULL. */
struct stopper *live_stopper(struct live *l);
/* The thread that traces, for other requests to the kernel between stops. A stop waits for the end of such a request,
 * and may replace the thread. */
struct aside *const *live_aside(const struct live *l);
/* Between stops: detach all threads, so that another tracer may attach. */
void live_leave(struct live *l);

/*
 * Take note of threads that died while they were stopped (SIGKILL), so that the target's parent
 * sees its end. To be called on SIGCHLD. Returns whether a held stop ended so.
 */
bool live_poll(struct live *l);

#endif
