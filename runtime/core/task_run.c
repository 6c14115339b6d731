/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The life of a deferred task once it is ready. */
#include "core/task_run.h"

#include <stdlib.h>

#include "core/depend.h"
#include "core/detach.h"
#include "core/task_tree.h"
#include "core/task_wait.h"
#include "core/taskloop.h"
#include "os/clock.h"

/* Returns whether the calling thread uses the fields of @task that belong to the executing thread. */
static inline bool is_mine(const struct thread *t, const struct task *task)
{
	/* `thread_num` was set before its first child, and no other thread writes the flags of this thread's task. */
	return task->thread_num == t->thread_num && !(task->flags & TASK_FINISHED);
}

/* Counts a new child of @parent, which may belong to another thread. */
static void count_new_child(struct thread *t, struct task *parent)
{
	if (is_mine(t, parent))
		parent->n_created++;
	else
		/*
		 * The sibling that creates this task is not complete, so the number of remaining tasks cannot pass
		 * zero here.
		 */
		__atomic_sub_fetch(&parent->elsewhere, 1 + (1ull << 32), __ATOMIC_RELAXED);
}

void task_count_created(struct thread *t, struct task *task)
{
	struct taskgroup *g = task->taskgroup;
	struct member *m = t->member;

	count_new_child(t, task->parent);
	if (g && g->thread_num == t->thread_num)
		g->here++;
	else if (g)
		/*
		 * Comes before the completion of the current task, which is in the group: the sum cannot be zero in
		 * between.
		 */
		__atomic_add_fetch(&g->elsewhere, 1, __ATOMIC_RELAXED);
	/* A thread that sees the task completed sees this first: the task's transfer to another thread is a release. */
	__atomic_store_n(&m->tasks_created, m->tasks_created + 1, __ATOMIC_RELAXED);
	team_set_has_tasks(t->team);
}

void task_release(struct thread *t, struct task *task)
{
	task->elsewhere = TASK_UNFINISHED;
	task->priority = 0;
	if (unlikely(task->own_icv)) {
		icv_free_chain(task->own_icv);
		task->own_icv = NULL;
	}
	if (unlikely(task->own_data)) {
		free(task->own_data);
		task->own_data = NULL;
	}
	if (unlikely(task->depend) && !depend_node_let_go(task))
		return; /* its siblings' table still has it, and frees it when it forgets it */
	task_slot_put(t, task);
}

/*
 * The structured block of @task has ended, and its counters belong to the others. Returns true if no child is left:
 * the caller owns its struct. Otherwise the last child owns it.
 */
static bool task_leave(struct thread *t, struct task *task)
{
	uint64_t due;

	if (task->depends)
		depend_table_destroy(t, task);
	if (!task->n_created)
		return true;
	task->flags |= TASK_FINISHED;
	due = (task->n_created - task->n_completed_here) + ((task->n_created - task->n_freed_here) << 32);
	task->n_created = task->n_completed_here = task->n_freed_here = 0;
	/* Release: the zeros. Acquire: what the children did here. */
	return __atomic_sub_fetch(&task->elsewhere, due + TASK_UNFINISHED, __ATOMIC_ACQ_REL) == 0;
}

/* A child of @parent is completed, or freed, or both. @parent may then be freed as well, and so on upward. */
static void count_gone_child(struct thread *t, struct task *parent, bool completed, bool freed)
{
	for (;;) {
		if (is_mine(t, parent)) {
			parent->n_completed_here += completed;
			parent->n_freed_here += freed;
			return;
		}

		/*
		 * The member that may wait for the task. It is read before the addition: afterwards @parent may be
		 * freed.
		 */
		struct member *waiting = &t->team->members[parent->thread_num];
		uint64_t done = (uint64_t)completed + ((uint64_t)freed << 32);
		bool last = __atomic_add_fetch(&parent->elsewhere, done, __ATOMIC_ACQ_REL) == 0;

		if (completed)
			task_wake(waiting);
		if (!last)
			return;

		struct task *gone = parent;

		parent = gone->parent;
		completed = false;
		task_release(t, gone);
	}
}

static void leave_group(struct thread *t, struct taskgroup *g)
{
	if (g->thread_num == t->thread_num) {
		g->here--;
		return;
	}

	struct member *waiting = &t->team->members[g->thread_num];

	__atomic_sub_fetch(&g->elsewhere, 1, __ATOMIC_RELEASE);
	task_wake(waiting);
}

void task_complete(struct thread *t, struct task *task)
{
	struct task *parent = task->parent;
	struct taskgroup *g = task->taskgroup;
	struct member *m = t->member;
	bool freed;

	if (task->depend)
		depend_release_successors(t, task);
	freed = task_leave(t, task);
	if (freed)
		task_release(t, task);
	if (g)
		leave_group(t, g);
	count_gone_child(t, parent, true, freed);
	/* Last: from here on the region may end. Release: all that the task did, or others did for it. */
	__atomic_store_n(&m->tasks_completed, m->tasks_completed + 1, __ATOMIC_RELEASE);
}

void task_end_at_once(struct thread *t, struct task *task)
{
	struct task *parent = task->parent;
	bool freed;

	/* Children hold a reference to the task, and the task holds one to its parent. */
	count_new_child(t, parent);
	freed = task_leave(t, task);
	if (freed)
		task_release(t, task);
	count_gone_child(t, parent, true, freed);
}

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
		task = taskloop_run(t, task);
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
