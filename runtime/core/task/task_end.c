/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts unfinished tasks, and frees the structs that no other task needs. */
#include "core/task/task_end.h"

#include <stdlib.h>

#include "core/icv/icv_copy.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/sync/wake.h"
#include "core/task/depend.h"
#include "core/task/task_slot.h"
#include "os/spin.h"

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
	if (unlikely(task->depend) && !depend_node_release(task))
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
