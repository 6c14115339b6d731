/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constructs of explicit tasks: creation, dependences, and the choice between now and later. */
#include "core/task/task_construct.h"

#include <string.h>

#include "core/sync/cancel.h"
#include "core/task/depend.h"
#include "core/task/task_end.h"
#include "core/task/task_new.h"
#include "core/task/task_queue.h"
#include "core/task/task_run.h"
#include "core/task/task_wait.h"
#include "core/task/taskgroup.h"
#include "os/memory.h"
#include "tools/observer.h"
#include "tools/point.h"

/* With more unfinished children than this, a task with dependences is not deferred but waits. */
#define DEPEND_BACKLOG 4096

/* Creates a task for @c, with a copy of its data and, if it has dependences, a node for them. */
static struct task *create_task(struct thread *t, const struct task_construct *c)
{
	struct task *task = task_new(t, t->task, c->fn, c->data, c->flags);
	char *room = task_slot_room(task);
	size_t left = TASK_SLOT_ROOM;

	task->priority = c->priority;
	task->thread_num = t->thread_num;
	if (c->depend) {
		task->depend = (struct depend_node *)room;
		memset(task->depend, 0, sizeof(*task->depend));
		room += sizeof(*task->depend);
		left -= sizeof(*task->depend);
	}
	if (c->data && (c->copy || !(c->flags & TASK_UNDEFERRED))) {
		size_t align = c->align ? c->align : 1;
		size_t pad = -(uintptr_t)room & (align - 1);

		if (pad + c->size > left) {
			room = task->own_data = memory_alloc(c->size + align - 1);
			pad = -(uintptr_t)room & (align - 1);
		}
		task->data = room + pad;
		if (c->copy) {
			c->copy(task->data, c->data);
			task->flags |= TASK_COPIED;
		} else {
			memcpy(task->data, c->data, c->size);
		}
	}
	if (c->bounds)
		memcpy(task->data, c->bounds, 2 * sizeof(c->bounds[0]));
	if (c->detach) {
		/* The event is stored in the program's variable, and in the first word of the data. */
		*c->detach = task;
		*(void **)task->data = task;
	}
	return task;
}

/* Executes the task at once: it is undeferred, or enough tasks are ready. */
static void execute_now(struct thread *t, struct task *task, struct site site)
{
	struct task *parent = t->task;

	task->scheduling = parent;
	task->nest = parent->nest + 1;
	task->flags |= TASK_STARTED;
	task_enter_program(task, __builtin_dwarf_cfa());
	task_enter_runtime(parent, site);
	t->task = task;
	POINT(task_begin, task);
	task->fn(task->data);
	POINT(task_end, task);
	t->task = parent;
	task_leave_runtime(parent);
	if (task->depend)
		depend_release_successors(t, task);
	if (task->n_created)
		task_end_at_once(t, task);
	else
		task_release(t, task);
}

/* A detachable task: its event may be fulfilled after its block, by code that follows the construct. */
static __attribute__((cold)) void construct_detachable(struct thread *t, const struct task_construct *c)
{
	bool undeferred = c->flags & TASK_UNDEFERRED;
	struct task_construct deferred = *c;
	struct task *task;

	/* The taskgroup waits until the task is complete, not only its block. */
	if (undeferred)
		taskgroup_begin(t, c->site);
	deferred.flags &= ~(uint32_t)TASK_UNDEFERRED;
	task = create_task(t, &deferred);
	POINT(task_create, t, task, c);
	task_count_created(t, task);
	if (!c->depend || depend_register(t, task, c->depend)) {
		if (undeferred || t->team->n_threads == 1) {
			task_enter_runtime(t->task, c->site);
			task_execute(t, task);
			task_leave_runtime(t->task);
		} else {
			task_ready(t, task);
		}
	}
	if (undeferred)
		taskgroup_end(t, c->site);
}

/* Returns whether more than DEPEND_BACKLOG children are unfinished. */
static bool has_backlog(const struct task *task)
{
	uint64_t elsewhere = __atomic_load_n(&task->elsewhere, __ATOMIC_RELAXED);

	return (uint32_t)(task->n_created - task->n_completed_here - elsewhere) > DEPEND_BACKLOG;
}

/* The current task is cancelled, so no task is created. A tool sees one that is discarded. */
static __attribute__((cold, noinline)) void report_never(struct thread *t, const struct task_construct *c)
{
	struct task *task = task_new(t, t->task, c->fn, NULL, c->flags);

	task->thread_num = t->thread_num;
	point_task_create(t, task, c);
	point_task_discard(t, task);
	task_release(t, task);
}

void task_construct(struct thread *t, const struct task_construct *c)
{
	struct task *parent = t->task;
	struct task_construct now = *c;
	struct task *task;

	if (unlikely(cancel_is_on()) && cancel_discards(parent)) {
		if (point_has_tool())
			report_never(t, c);
		return;
	}
	if (unlikely(c->detach != NULL)) {
		construct_detachable(t, c);
		return;
	}
	/* A priority matters only among waiting tasks. */
	if ((c->flags & TASK_UNDEFERRED || (c->priority == 0 && task_wants_now(t, parent))) &&
	    (!c->depend || depend_is_satisfied(parent, c->depend))) {
		now.depend = NULL;
		task = create_task(t, &now);
		POINT(task_create, t, task, c);
		execute_now(t, task, c->site);
		return;
	}
	if (c->depend && has_backlog(parent))
		now.flags |= TASK_UNDEFERRED;
	task = create_task(t, &now);
	POINT(task_create, t, task, c);
	if (!(now.flags & TASK_UNDEFERRED)) {
		task_count_created(t, task);
		if (!c->depend || depend_register(t, task, c->depend))
			task_ready(t, task);
		return;
	}
	/*
	 * A thread that completes a predecessor reads the flags. They are set before it can see the task, and cleared
	 * after it has.
	 */
	task->flags |= TASK_IN_DEPEND_WAIT;
	if (!depend_register(t, task, c->depend))
		task_wait(t, (struct task_condition){.pending = &task->depend->n_pending}, ompt_state_wait_taskwait,
			  c->site);
	task->flags &= ~TASK_IN_DEPEND_WAIT;
	execute_now(t, task, c->site);
}

void task_wait_depend(struct thread *t, void *const *depend, struct site site)
{
	struct task_construct c = {.depend = (void **)depend, .flags = TASK_UNDEFERRED, .site = site};
	struct task *task;

	if (depend_is_satisfied(t->task, depend) && !point_has_tool())
		return;
	/* The construct acts like an undeferred task with an empty body. */
	task = create_task(t, &c);
	POINT(task_create, t, task, &c);
	if (!depend_register(t, task, depend))
		task_wait(t, (struct task_condition){.pending = &task->depend->n_pending}, ompt_state_wait_taskwait,
			  site);
	POINT(taskwait_end, task);
	depend_release_successors(t, task);
	task_release(t, task);
}
