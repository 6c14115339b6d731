/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory of explicit tasks: slots of one size, from the calling member's free list. They return to the system only
 * with the team; core/state/task.h says which code relies on that.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_SLOT_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_SLOT_H

#include "core/state/task.h"
#include "core/state/team.h"
#include "os/spin.h"

/*
 * The free list is empty. Refills it from the member's other batch, the team's spare batches, or new memory, and
 * returns the first slot.
 */
struct task *task_slot_refill(struct thread *t) __attribute__((cold));
/* The free list is a full batch. It becomes the member's other batch, and that one becomes the team's. */
void task_slot_spill(struct thread *t) __attribute__((cold));

/* Returns a task whose fields marked + are zero and whose frame flags are set. */
static inline struct task *task_slot_get(struct thread *t)
{
	struct member *m = t->member;
	struct task *task = m->free_tasks;

	if (unlikely(!task))
		return task_slot_refill(t);
	m->free_tasks = task->next;
	return task;
}

/* The caller has cleared the fields marked +. */
static inline void task_slot_put(struct thread *t, struct task *task)
{
	struct member *m = t->member;
	struct task *first = m->free_tasks;

	task->sequence++;
	/* Each slot has the length of its list, so no separate count is needed. */
	task->next = first;
	task->n_free = first ? first->n_free + 1 : 1;
	m->free_tasks = task;
	if (unlikely(task->n_free == TASK_SLOT_BATCH))
		task_slot_spill(t);
}

#endif
