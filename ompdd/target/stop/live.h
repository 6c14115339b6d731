/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stops all threads of a process with PTRACE_SEIZE and PTRACE_INTERRUPT, and resumes them with PTRACE_DETACH. Nothing
 * is traced between stops, so a debugger can attach then. If this process dies, the kernel detaches: nothing stays
 * stopped.
 */
#ifndef OMPDD_TARGET_LIVE_H
#define OMPDD_TARGET_LIVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/stop/stop_backend.h"

struct helper_thread;
struct live;

/*
 * Start the tracing thread for the first live_create(). The sandbox refuses ptrace: call this before sandbox_enter().
 * Does nothing if the thread exists.
 */
MUST_USE struct error *live_prepare(void);
/*
 * End the tracing thread for good, between stops, if no target uses it. Return whether it has ended. Then
 * live_has_quit() is true, and a new thread could not trace.
 */
bool live_quit(void);
bool live_has_quit(void);

/* @taskfd is an open /proc/PID/task, borrowed. */
MUST_USE struct error *live_create(pid_t pid, int taskfd, struct live **ret);
/* Resume all stopped threads and free @l. NULL is fine. */
void live_destroy(struct live *l);

/*
 * Return the backend. A stop's length is measured from the first INTERRUPT to the last DETACH. Registers are read once
 * per stop, on first use. Return NULL for NULL.
 */
struct stop_backend *live_backend(struct live *l);
/*
 * Return the tracing thread, for other requests to the kernel between stops. A stop waits until such a request ends,
 * and may replace the thread.
 */
struct helper_thread *const *live_helper(const struct live *l);
/*
 * Check that this process may use ptrace at all: a container may forbid it. No request goes to the target.
 * ERR_PERMISSION_DENIED.
 */
MUST_USE struct error *live_check(struct live *l);
/* Between stops: detach all threads, so that another tracer may attach. */
void live_leave(struct live *l);

/*
 * Reap threads that were killed while they were stopped (SIGKILL), so that the target's parent sees it exit. Called on
 * SIGCHLD. Return whether this ended a held stop.
 */
bool live_poll(struct live *l);

#endif
