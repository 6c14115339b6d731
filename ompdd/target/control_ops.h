/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who traces a process: what control.c does for process.c. Included by these two and launch.c. */
#ifndef OMPDD_TARGET_CONTROL_OPS_H
#define OMPDD_TARGET_CONTROL_OPS_H

#include <stdbool.h>

#include "target/process.h"

extern const struct target_control_ops process_control_ops;

/*
 * Stop @p by a tracer of its own, for @budget_ms (0: without a limit). ERR_TRACER_FAILED: none can be started; @p is
 * not stopped.
 */
MUST_USE struct error *control_begin_stop(struct process *p, unsigned budget_ms);

/* End a tracer that traces nothing any more, unless it has a child. */
void control_end(struct process *p);

/* The last of attach.c: make a target of the process @pid, which @tracer (taken, also on error) has launched and
 * stopped. */
MUST_USE struct error *control_adopt(pid_t pid, struct tracer *tracer TAKES, unsigned max_stop_ms, struct target **ret);

#endif
