/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The queue of ready tasks that all members share, by priority. */
#include "core/task/task_queue.h"

#include <stdlib.h>

#include "core/state/task.h"
#include "core/sync/lock.h"
#include "core/sync/wake.h"
#include "core/task/deque.h"
#include "core/task/task_tree.h"
#include "omp-tools.h"
#include "os/memory.h"

static struct task_bucket *get_bucket(struct task_queue *q, int32_t priority)
{
	struct task_bucket **at = &q->buckets;

	while (*at && (*at)->priority > priority)
		at = &(*at)->next;
	if (*at && (*at)->priority == priority)
		return *at;

	struct task_bucket *b = memory_alloc(sizeof(*b));

	*b = (struct task_bucket){.next = *at, .priority = priority};
	b->last = &b->first;
	*at = b;
	return b;
}

void task_queue_put(struct task_queue *q, struct task *task)
{
	struct task_bucket *b = get_bucket(q, task->priority);

	task->next = NULL;
	*b->last = task;
	b->last = &task->next;
	__atomic_store_n(&q->n, q->n + 1, __ATOMIC_RELAXED);
}

static struct task *take_task(struct task_bucket *b, const struct task *ancestor)
{
	for (struct task **at = &b->first; *at; at = &(*at)->next) {
		struct task *task = *at;

		/* A task whose body has ended runs no user code any more, so any thread may complete it. */
		if (ancestor && !(task->flags & TASK_ENDED) && !task_descends(task, ancestor))
			continue;
		*at = task->next;
		if (b->last == &task->next)
			b->last = at;
		return task;
	}
	return NULL;
}

struct task *task_queue_take_slow(struct task_queue *q, const struct task *ancestor)
{
	struct task *task = NULL;

	lock_acquire(&q->lock, ompt_state_overhead);
	for (struct task_bucket *b = q->buckets; b && !task; b = b->next)
		task = take_task(b, ancestor);
	if (task)
		__atomic_store_n(&q->n, q->n - 1, __ATOMIC_RELAXED);
	lock_release(&q->lock);
	return task;
}

void task_queue_deinit(struct task_queue *q)
{
	while (q->buckets) {
		struct task_bucket *next = q->buckets->next;

		free(q->buckets);
		q->buckets = next;
	}
}

/* A deque or the queue has a new task: wake sleepers. */
static inline void wake_for_task(struct team *team)
{
	task_wake_sleepers(team);
	barrier_wake(team, false);
}

void task_ready_for_all(struct thread *t, struct task *task)
{
	struct team *team = t->team;

	lock_acquire(&team->queue.lock, ompt_state_overhead);
	task_queue_put(&team->queue, task);
	lock_release(&team->queue.lock);
	if (team->n_threads > 1)
		wake_for_task(team);
}

void task_ready(struct thread *t, struct task *task)
{
	struct team *team = t->team;

	if (unlikely(task->priority > 0)) {
		task_ready_for_all(t, task);
		return;
	}
	deque_push(&t->member->deque, task);
	if (team->n_threads > 1)
		wake_for_task(team);
}
