/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start and the end of implicit tasks, and the end of a member. */
#include "core/task/task_member.h"

#include <stdlib.h>

#include "core/icv/icv_copy.h"
#include "core/state/team.h"
#include "core/task/depend.h"
#include "core/task/deque.h"
#include "core/task/task_queue.h"

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

static void free_groups(struct taskgroup *list)
{
	while (list) {
		struct taskgroup *next = list->outer;

		free(list);
		list = next;
	}
}

void task_member_deinit(struct member *member)
{
	while (member->slabs) {
		struct task_slab *next = member->slabs->next;

		free(member->slabs);
		member->slabs = next;
	}
	member->free_tasks = NULL;
	member->more_free_tasks = NULL;
	free_groups(member->free_groups);
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
