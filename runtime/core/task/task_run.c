/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for a ready task, and its execution. */
#include "core/task/task_run.h"

#include <stdlib.h>

#include "core/sync/cancel.h"
#include "core/task/deque.h"
#include "core/task/detach.h"
#include "core/task/task_end.h"
#include "core/task/task_queue.h"
#include "core/task/task_range.h"
#include "core/task/task_tree.h"
#include "os/clock.h"
#include "tools/point.h"

void task_execute(struct thread *t, struct task *task)
{
	struct task *before = t->task;
	uint32_t state = t->state;
	uint64_t wait_id = t->wait_id;

	if (unlikely(task->flags & TASK_ENDED)) {
		task_complete(t, task);
		return;
	}
	task->thread_num = t->thread_num;
	if (unlikely(cancel_is_on()) && !(task->flags & TASK_COPIED) && cancel_discards(task)) {
		task->flags |= TASK_CANCELLED;
		POINT(task_discard, t, task);
		if (!(task->flags & TASK_DETACHABLE) || detach_discard(task))
			task_complete(t, task);
		return;
	}
	task->scheduling = before;
	task->flags |= TASK_STARTED;
	task_enter_program(task, __builtin_dwarf_cfa());
	t->task = task;
	state_restore(t, likely(t->team->level) ? ompt_state_work_parallel : ompt_state_work_serial);
	if (unlikely(task->flags & TASK_RANGE)) {
		task = task_range_run(t, task);
	} else {
		POINT(task_begin, task);
		task->fn(task->data);
		POINT(task_end, task);
	}
	t->task = before;
	state_wait(t, state, (void *)(uintptr_t)wait_id);
	if (unlikely(task->flags & TASK_DETACHABLE) && !detach_block_ended(task)) {
		/* The task is completed when its event is fulfilled. */
		return;
	}
	task_complete(t, task);
}

static inline uint64_t draw_random(struct member *m)
{
	uint64_t x = m->random + 0x9e3779b97f4a7c15ull;

	m->random = x;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	return x ^ (x >> 31);
}

enum {
	SHORT = 1300
}; /* ticks between two thefts, below which a theft costs the owner more than the thief does for it */

/*
 * A thief that is back soon has stolen a short task. It then leaves the owner alone: the time goes into cache lines
 * that move with each task, while the owner has enough tasks in its deque. The shorter the task, the longer the pause;
 * it ends soon enough for longer tasks.
 */
static void pause_theft(struct member *m)
{
	uint64_t now = clock_now(), took = now - m->stole;

	m->stole = 0;
	if (took < SHORT)
		while (clock_now() - now < 4 * (SHORT - took))
			spin_pause();
}

static struct task *steal_task(struct thread *t, const struct task *ancestor)
{
	struct team *team = t->team;
	uint32_t n = team->n_threads;

	if (n == 1)
		return NULL;
	if (t->member->stole)
		pause_theft(t->member);
	/* Starts with a random victim, and goes round. */
	uint32_t victim = (uint32_t)(draw_random(t->member) % n);

	for (uint32_t i = 0; i < n; i++, victim = victim + 1 < n ? victim + 1 : 0) {
		struct deque *d = &team->members[victim].deque;
		uint64_t place;
		struct task *task;

		if (victim == t->thread_num)
			continue;
		while ((task = deque_peek_top(d, &place)) != NULL) {
			if (ancestor && !task_descends(task, ancestor))
				break;
			if (deque_take(d, place)) {
				t->member->stole = clock_now();
				return task;
			}
		}
	}
	return NULL;
}

struct task *task_find(struct thread *t, const struct task *ancestor)
{
	struct deque *d = &t->member->deque;
	struct task *task = task_queue_take(&t->team->queue, ancestor);

	if (unlikely(task))
		return task;
	task = deque_peek_bottom(d);
	/*
	 * Tasks pushed since the current task started descend from it, and are below older ones in the deque. Others
	 * go to the queue: task_ready_for_all().
	 */
	if (task && (!ancestor || task_descends(task, ancestor))) {
		task = deque_pop(d);
		if (task)
			return task;
	}
	return steal_task(t, ancestor);
}

bool task_run_one(struct thread *t)
{
	struct task *task = task_find(t, NULL);

	if (!task)
		return false;
	task_execute(t, task);
	return true;
}

bool task_team_is_done(struct team *team)
{
	uint64_t completed = 0, created = 0;

	/*
	 * Pairs with the other members' fences: of two threads that complete the last tasks, at least one sees both
	 * counts.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/*
	 * First all completed counts, then all created counts; none decreases. If the sums are equal, they were equal
	 * in between: no task existed then, and no thread could create one. This includes all former members: a thread
	 * may help a smaller team.
	 */
	for (uint32_t i = 0; i < team->capacity; i++)
		completed += __atomic_load_n(&team->members[i].tasks_completed, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < team->capacity; i++)
		created += __atomic_load_n(&team->members[i].tasks_created, __ATOMIC_RELAXED);
	return completed == created;
}

void task_yield(struct thread *t, struct site site)
{
	struct task *cur = t->task;
	struct task *task = task_find(t, cur);

	if (!task)
		return;
	task_enter_runtime(cur, site);
	t->yields = true;
	task_execute(t, task);
	task_leave_runtime(cur);
}
