/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracing operations of control.c for process.c. Only these two files and launch.c include it. */
#ifndef OMPDD_TARGET_CONTROL_OPS_H
#define OMPDD_TARGET_CONTROL_OPS_H

#include <stdbool.h>

#include "target/process.h"

extern const struct target_control_ops process_control_ops;

/*
 * Stop @p by its own tracer for @budget_ms milliseconds (0: without a limit). ERR_TRACER_FAILED: no tracer can be
 * started, and @p is not stopped.
 */
MUST_USE struct error *control_begin_stop(struct process *p, unsigned budget_ms);

/* End a tracer that traces nothing any more, unless it has a child. */
void control_end(struct process *p);

/*
 * The last step of attach.c: create a target for the process @pid, launched and stopped by @tracer (taken, also on
 * error).
 */
MUST_USE struct error *control_adopt(pid_t pid, struct tracer *tracer TAKES, unsigned max_stop_ms, struct target **ret);

#endif
