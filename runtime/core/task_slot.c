/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See task_slot.h. */
#include "core/task_slot.h"

#include <stdlib.h>

#include "core/icv.h"
#include "core/taskgroup.h"
#include "os/memory.h"

enum { SLAB_SLOTS = 32 };

struct task_slab {
	struct task_slab *next;
};

_Static_assert(TASK_HEADER_SIZE + 128 <= TASK_SLOT_SIZE, "room for data");

static void slot_init(struct task *task)
{
	task->elsewhere = TASK_UNFINISHED;
	task->frame.exit_flags = TASK_FRAME_FLAGS;
	task->frame.enter_flags = TASK_FRAME_FLAGS;
}

static uint32_t count(const struct task *list)
{
	uint32_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

struct task *task_slot_refill(struct thread *t)
{
	struct member *m = t->member;
	/* Takes all: nobody pops single ones, so a slot cannot come back between a look and a swap. Acquire: as put there. */
	struct task *task = __atomic_load_n(&t->team->spare_tasks, __ATOMIC_RELAXED)
				    ? __atomic_exchange_n(&t->team->spare_tasks, NULL, __ATOMIC_ACQUIRE)
				    : NULL;

	if (task) {
		m->free_tasks = task->next;
		m->n_free_tasks += count(task->next); /* to those that are borrowed */
		return task;
	}

	struct task_slab *slab = memory_zalloc_line(CACHE_LINE + (size_t)SLAB_SLOTS * TASK_SLOT_SIZE);
	char *slots = (char *)slab + CACHE_LINE;

	slab->next = m->slabs;
	m->slabs = slab;
	for (int i = 0; i < SLAB_SLOTS; i++) {
		task = (struct task *)(slots + (size_t)i * TASK_SLOT_SIZE);
		slot_init(task);
		if (i == SLAB_SLOTS - 1)
			break;
		task->next = m->free_tasks;
		m->free_tasks = task;
		m->n_free_tasks++;
	}
	return task;
}

void task_slot_spill(struct thread *t)
{
	struct member *m = t->member;
	struct task *first = m->free_tasks, *last = first;
	struct task *spare = __atomic_load_n(&t->team->spare_tasks, __ATOMIC_RELAXED);
	uint32_t n = 1;

	/* Fewer than it counts, if many are borrowed. */
	for (; n < TASK_SLOT_KEPT / 2 && last->next; n++)
		last = last->next;
	m->free_tasks = last->next;
	m->n_free_tasks -= n;
	do
		last->next = spare;
	while (!__atomic_compare_exchange_n(&t->team->spare_tasks, &spare, first, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

void task_member_deinit(struct member *member)
{
	while (member->slabs) {
		struct task_slab *next = member->slabs->next;

		free(member->slabs);
		member->slabs = next;
	}
	member->free_tasks = NULL;
	member->n_free_tasks = 0;
	taskgroup_free_list(member->free_groups);
	member->free_groups = NULL;
	deque_deinit(&member->deque);
	icv_free_chain(member->implicit.own_icv);
	member->implicit.own_icv = NULL;
}

void task_team_deinit(struct team *team)
{
	team->spare_tasks = NULL;
	task_queue_deinit(&team->queue);
}
