/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Detachable tasks (OpenMP 5.2, 12.5.2): they are complete when their block has ended and their event was fulfilled,
 * whichever comes last. The event's handle is the task's address.
 */
#ifndef OMPDD_RUNTIME_CORE_DETACH_H
#define OMPDD_RUNTIME_CORE_DETACH_H

#include "core/task.h"

/* task.detach */
enum {
	DETACH_FULFILLED = 1,
	DETACH_BLOCK_ENDED = 2,
};

/* The event of @task, from any thread, also one that is in no team. */
void detach_fulfill(struct task *task);
/* The structured block is over. True: the event was fulfilled before, the caller completes the task. */
bool detach_block_ended(struct task *task);
/* It was cancelled before it began. True: the caller completes it. */
bool detach_discard(struct task *task);

#endif
