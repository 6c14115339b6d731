/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of a traced target: hits of breakpoints, threads that start and exit, the end of the process. */
#ifndef OMPDD_WORKER_CONTROL_H
#define OMPDD_WORKER_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

struct target_event;
struct worker;

/* Handle the pending events of the target; emits notifications. */
void worker_target_events(struct worker *w);
/* Handle one event that another caller got from target_next_event(). */
void worker_take_event(struct worker *w, const struct target_event *e);

/* Record that a step of @client has finished and that @tid is stopped. Emits the event. */
void worker_stopped_by_step(struct worker *w, int64_t client, pid_t tid);

/*
 * Get the wait status of the exited process, if it is traced or launched. Waits a moment for the tracer, which may
 * notice the exit later.
 */
void worker_await_status(struct worker *w);
/* Get the wait status as worker_await_status() does, and emit the exit event. */
void worker_target_exited(struct worker *w);

#endif
