/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory of explicit tasks: slots of one size, taken from and given back to the calling member's list. They return to the
 * system with the team only; core/task.h says who relies on that. Called by core/task*.c.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_SLOT_H
#define OMPDD_RUNTIME_CORE_TASK_SLOT_H

#include "core/task.h"
#include "core/team.h"

enum {
	TASK_SLOT_SIZE = 384,
	TASK_SLOT_KEPT = 256, /* slots a member keeps; of more than that, half go to its team */
};

#define TASK_HEADER_SIZE ((sizeof(struct task) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE)

/* Where a slot has room for data, and how much; aligned to a cache line. */
static inline void *task_slot_room(struct task *task)
{
	return (char *)task + TASK_HEADER_SIZE;
}

#define TASK_SLOT_ROOM (TASK_SLOT_SIZE - TASK_HEADER_SIZE)

/* From the team's spare ones, or new memory. */
struct task *task_slot_refill(struct thread *t) __attribute__((cold));
void task_slot_spill(struct thread *t) __attribute__((cold));

/* A task whose fields marked + are zero, and whose frame flags are set. */
static inline struct task *task_slot_get(struct thread *t)
{
	struct member *m = t->member;
	struct task *task = m->free_tasks;

	if (unlikely(!task))
		return task_slot_refill(t);
	m->free_tasks = task->next;
	m->n_free_tasks--;
	return task;
}

/*
 * The same for a task that is over before the entry point returns: the slot is still counted as free, and task_slot_return()
 * puts it back.
 */
static inline struct task *task_slot_borrow(struct thread *t)
{
	struct member *m = t->member;
	struct task *task = m->free_tasks;

	if (unlikely(!task)) {
		task = task_slot_refill(t);
		m->n_free_tasks++;
		return task;
	}
	m->free_tasks = task->next;
	return task;
}

static inline void task_slot_return(struct thread *t, struct task *task)
{
	struct member *m = t->member;

	task->sequence++;
	task->next = m->free_tasks;
	m->free_tasks = task;
}

/* The caller has made the fields marked + zero. */
static inline void task_slot_put(struct thread *t, struct task *task)
{
	struct member *m = t->member;

	task->sequence++;
	task->next = m->free_tasks;
	m->free_tasks = task;
	if (unlikely(++m->n_free_tasks > TASK_SLOT_KEPT))
		task_slot_spill(t);
}

#endif
