/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ready tasks that are in no member's deque: their order matters (priorities), or the thread that made them ready is
 * not a member of the team or may not keep them (events fulfilled elsewhere). One queue per team, behind a lock. All
 * zero is an empty queue.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_QUEUE_H
#define OMPDD_RUNTIME_CORE_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lock.h"
#include "os/spin.h"

struct task;

/* Tasks of one priority, in order of arrival. */
struct task_bucket {
	struct task_bucket *next; /* lower priority */
	int32_t priority;
	struct task *first, **last;
};

struct task_queue {
	struct lock lock;
	uint32_t n;		     /* number of tasks; atomic, for a test before locking */
	struct task_bucket *buckets; /* highest priority first; they stay until the end */
};

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

#endif
