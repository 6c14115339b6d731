/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Detachable tasks (OpenMP 5.2, 12.5.2). A task is complete when its block has ended and its event is fulfilled, in
 * either order. The event's handle is the task's address.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_DETACH_H
#define OMPDD_RUNTIME_CORE_TASK_DETACH_H

#include <stdbool.h>

struct task;

/* Fulfills the event of @task. May be called by any thread, also outside of all teams. */
void detach_fulfill(struct task *task);
/* The structured block has ended. Returns true if the event is fulfilled: the caller completes the task. */
bool detach_block_ended(struct task *task);
/* @task was cancelled before it started. Returns true if the caller completes it. */
bool detach_discard(struct task *task);

#endif
