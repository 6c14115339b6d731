/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ready tasks that lie in no member's deque, because order matters (priorities) or because whoever made them ready is
 * no member of the team or may not keep them (events fulfilled elsewhere). One per team, behind a lock. All zero is an
 * empty one.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_QUEUE_H
#define OMPDD_RUNTIME_CORE_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lock.h"
#include "os/spin.h"

struct task;

/* Tasks of one priority, in the order in which they came. */
struct task_bucket {
	struct task_bucket *next; /* lower */
	int32_t priority;
	struct task *first, **last;
};

struct task_queue {
	struct lock lock;
	uint32_t n;		     /* tasks in it; atomic, to look before locking */
	struct task_bucket *buckets; /* highest priority first; stay until the end */
};

/* The highest priority first, then the oldest. The caller holds the lock. */
void task_queue_put(struct task_queue *q, struct task *task);
/* The first that is a descendant of @ancestor, NULL: any. NULL: none. Takes the lock, but only if there are tasks. */
struct task *task_queue_take_slow(struct task_queue *q, const struct task *ancestor) __attribute__((cold));
void task_queue_deinit(struct task_queue *q);

static inline struct task *task_queue_take(struct task_queue *q, const struct task *ancestor)
{
	if (likely(!__atomic_load_n(&q->n, __ATOMIC_RELAXED)))
		return NULL;
	return task_queue_take_slow(q, ancestor);
}

#endif
