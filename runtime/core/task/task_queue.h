/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ready tasks that are in no member's deque: their order matters (priorities), or the thread that made them ready is
 * not a member of the team or may not keep them (events fulfilled elsewhere). One queue per team, behind a lock. All
 * zero is an empty queue.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_QUEUE_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/ready.h"
#include "os/spin.h"

struct thread;
struct task;

/* Takes the highest priority first, then the oldest. The caller holds the lock. */
void task_queue_put(struct task_queue *q, struct task *task);
/*
 * Takes the first descendant of @ancestor (NULL: any task). NULL: none. Takes the lock only if the queue is not empty.
 */
struct task *task_queue_take_slow(struct task_queue *q, const struct task *ancestor) __attribute__((cold));
void task_queue_deinit(struct task_queue *q);

static inline struct task *task_queue_take(struct task_queue *q, const struct task *ancestor)
{
	if (likely(!__atomic_load_n(&q->n, __ATOMIC_RELAXED)))
		return NULL;
	return task_queue_take_slow(q, ancestor);
}

/* A deferred task without pending dependences: any member may run it. */
void task_ready(struct thread *t, struct task *task);
/*
 * As task_ready(), for a task that does not descend from the current one: it must not be in this thread's deque above
 * tasks that do.
 */
void task_ready_for_all(struct thread *t, struct task *task);

#endif
