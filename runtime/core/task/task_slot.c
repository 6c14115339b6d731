/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow parts of a member's free list of slots: refill, return of surplus slots, destruction. */
#include "core/task/task_slot.h"

#include <stdlib.h>

#include "core/sync/lock.h"
#include "os/memory.h"

_Static_assert(TASK_HEADER_SIZE + 128 <= TASK_SLOT_SIZE, "room for data");

static void slot_init(struct task *task)
{
	task->elsewhere = TASK_UNFINISHED;
	task->frame.exit_flags = TASK_FRAME_FLAGS;
	task->frame.enter_flags = TASK_FRAME_FLAGS;
}

/* The team's batches are linked by a field of their first slots that is otherwise unused there. */
static struct task **get_next_batch(struct task *batch)
{
	return &batch->scheduling;
}

static void give_batch(struct team *team, struct task *batch)
{
	lock_acquire(&team->spare_lock, ompt_state_overhead);
	*get_next_batch(batch) = team->spare_tasks;
	__atomic_store_n(&team->spare_tasks, batch, __ATOMIC_RELAXED);
	lock_release(&team->spare_lock);
}

/* NULL: none. */
static struct task *take_batch(struct team *team)
{
	struct task *batch;

	if (!__atomic_load_n(&team->spare_tasks, __ATOMIC_RELAXED))
		return NULL;
	lock_acquire(&team->spare_lock, ompt_state_overhead);
	batch = team->spare_tasks;
	if (batch)
		__atomic_store_n(&team->spare_tasks, *get_next_batch(batch), __ATOMIC_RELAXED);
	lock_release(&team->spare_lock);
	return batch;
}

static struct task *new_batch(struct member *m)
{
	struct task_slab *slab = memory_zalloc_line(CACHE_LINE + (size_t)TASK_SLAB_SLOTS * TASK_SLOT_SIZE);
	char *slots = (char *)slab + CACHE_LINE;
	struct task *batch = NULL;

	slab->next = m->slabs;
	m->slabs = slab;
	for (uint32_t i = 0; i < TASK_SLAB_SLOTS; i++) {
		struct task *task = (struct task *)(slots + (size_t)i * TASK_SLOT_SIZE);

		slot_init(task);
		task->next = batch;
		task->n_free = i + 1;
		batch = task;
	}
	return batch;
}

struct task *task_slot_refill(struct thread *t)
{
	struct member *m = t->member;
	struct task *batch = m->more_free_tasks;

	if (batch)
		m->more_free_tasks = NULL;
	else
		batch = take_batch(t->team);
	if (!batch)
		batch = new_batch(m);
	m->free_tasks = batch->next;
	return batch;
}

void task_slot_spill(struct thread *t)
{
	struct member *m = t->member;

	if (m->more_free_tasks)
		give_batch(t->team, m->more_free_tasks);
	m->more_free_tasks = m->free_tasks;
	m->free_tasks = NULL;
}
