/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start and the end of tasks: implicit ones, and constructs of explicit ones. */
#include "core/task.h"

#include <string.h>

#include "core/depend.h"
#include "core/task_run.h"
#include "core/task_wait.h"
#include "core/taskgroup.h"
#include "os/memory.h"

/* With more unfinished children than this, a task with dependences is not deferred but waits. */
#define DEPEND_BACKLOG 4096

void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team, uint32_t epoch,
	       uint32_t thread_num, const struct icv *icv)
{
	/* Left from the last region: see task_deinit(). */
	if (unlikely(task->own_icv))
		icv_free_chain(task->own_icv);
	/*
	 * Reads nothing of the parent: the primary thread writes there while the others start, and they would wait for
	 * its cache line. So depth counts from the region's implicit tasks.
	 */
	/* Member by member: for a whole struct, gcc emits a repeating instruction, which is slower to start. */
	task->parent = parent;
	task->scheduling = NULL;
	task->team = team;
	task->icv = icv;
	task->fn = NULL;
	task->data = NULL;
	task->taskgroup = NULL;
	task->kind = (uint8_t)kind;
	task->nest = 0;
	task->flags = 0;
	task->depth = 0;
	task->thread_num = thread_num;
	task->priority = 0;
	task->frame = (struct task_frame){.exit_flags = TASK_FRAME_FLAGS, .enter_flags = TASK_FRAME_FLAGS};
	task->own_icv = NULL;
	task->n_created = 0;
	task->n_completed_here = 0;
	task->n_freed_here = 0;
	task->elsewhere = TASK_UNFINISHED;
	task->depends = NULL;
	task->depend = NULL;
	task->own_data = NULL;
	task->next = NULL;
	task->detach = 0;
	__atomic_store_n(&task->sequence, epoch, __ATOMIC_RELEASE);
}

void task_deinit(struct task *task)
{
	if (unlikely(task->depends))
		depend_table_destroy(thread_peek(), task);
	/* Unfinished children may still use them. Then they are freed at the next task_init(), or with the member. */
	if (unlikely(task->own_icv) && !task_has_children(task)) {
		icv_free_chain(task->own_icv);
		task->own_icv = NULL;
	}
}

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

void task_construct(struct thread *t, const struct task_construct *c)
{
	struct task *parent = t->task;
	struct task_construct now = *c;
	struct task *task;

	if (unlikely(cancel_is_on()) && cancel_discards(parent)) {
		POINT(task_never, t, c);
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
