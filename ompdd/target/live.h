/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stopping all threads of a process with PTRACE_SEIZE + PTRACE_INTERRUPT and letting them go
 * with PTRACE_DETACH. Between stops nothing is traced, so that a debugger can come at any time. If this
 * process dies, the kernel detaches: nothing stays stopped.
 */
#ifndef OMPDD_TARGET_LIVE_H
#define OMPDD_TARGET_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/standing.h"

struct live;

/* @taskfd is an open /proc/PID/task, borrowed. */
MUST_USE struct error *live_create(pid_t pid, int taskfd, struct live **ret);
/* Resumes what is stopped. */
void live_destroy(struct live *l);

/*
 * Stop the threads @tids and those that appear meanwhile, or only @tids when @only_these. The stop must be reached
 * within @limit_ms; then it is kept for at most @budget_ms from the beginning (0: until live_resume()).
 * ERR_STOP_TIMEOUT, ERR_ALREADY_TRACED, ERR_PERMISSION_DENIED, ERR_TARGET_EXITED, ERR_TARGET_EXEC: nothing is stopped
 * then. With @with_registers live_for_each() has them at hand.
 */
MUST_USE struct error *live_stop(struct live *l, const pid_t *tids, size_t n, bool only_these, bool with_registers,
				 unsigned budget_ms, unsigned limit_ms);

/* *@stopped_us_ret: from the first INTERRUPT to the last DETACH. ERR_STOP_TIMEOUT: the timer did it earlier. */
MUST_USE struct error *live_resume(struct live *l, int64_t *stopped_us_ret);
/*
 * Between stops, for who will trace the process otherwise: wait up to @limit_ms for threads that the last stop could
 * not let go yet, as it ended before they came to it.
 */
void live_leave(struct live *l, unsigned limit_ms);

bool live_is_stopped(const struct live *l);
/* Stopped until live_resume(), whenever that is. */
bool live_is_held(const struct live *l);
/* Whether the timer ended the present stop. */
bool live_is_expired(const struct live *l);
/* How long the present stop lasts. */
int64_t live_stopped_us(const struct live *l);

/* The stopped threads, in no particular order: calls @fn for each. Registers are as they were when first asked for in
 * this stop. */
void live_for_each(struct live *l, bool with_registers, standing_fn fn, void *arg);

/*
 * Take note of threads that died while they were stopped (SIGKILL), so that the target's parent
 * sees its end. To be called on SIGCHLD. Returns whether a held stop ended so.
 */
bool live_poll(struct live *l);

#endif
