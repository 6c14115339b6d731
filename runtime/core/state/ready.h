/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of ready tasks: the deque of a member (task/deque.h), and the queue of a team (task/task_queue.h). */
#ifndef OMPDD_RUNTIME_CORE_STATE_READY_H
#define OMPDD_RUNTIME_CORE_STATE_READY_H

#include "core/state/lock_word.h"
#include "os/spin.h"

struct task;

struct deque_ring {
	uint64_t mask;		  /* slots - 1; a power of two */
	struct deque_ring *older; /* outgrown; freed with the deque */
	struct task *slots[];
};

struct deque {
	uint64_t top __attribute__((aligned(CACHE_LINE)));    /* next to be stolen */
	uint64_t bottom __attribute__((aligned(CACHE_LINE))); /* next to be pushed; written by the owner */
	struct deque_ring *ring;			      /* NULL: never used; thieves read it */
};

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

#endif
