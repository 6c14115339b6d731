/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weak: what core/task and core/workshare do not define yet. This file goes when they do. */
#include "core/task.h"
#include "core/team.h"

#define WEAK __attribute__((weak))

WEAK void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team, uint32_t thread_num,
		    const struct icv *icv)
{
	*task = (struct task){.kind = (uint8_t)kind, .parent = parent, .team = team, .thread_num = thread_num, .icv = icv};
	task->depth = parent ? parent->depth + 1 : 0;
}

WEAK void task_deinit(struct task *task)
{
	icv_free_chain(task->own_icv);
	task->own_icv = NULL;
}

WEAK void task_member_deinit(struct member *member)
{
	(void)member;
}

WEAK void task_team_deinit(struct team *team)
{
	(void)team;
}

WEAK bool task_run_one(struct thread *t)
{
	(void)t;
	return false;
}

WEAK bool task_team_is_done(struct team *team)
{
	(void)team;
	return true;
}


WEAK void workshares_init(struct workshares *shares, uint32_t capacity)
{
	shares->capacity = capacity;
}

WEAK void workshares_deinit(struct workshares *shares)
{
	(void)shares;
}

WEAK void workshares_begin(struct thread *primary, const struct workshare_setup *setup)
{
	(void)primary;
	(void)setup;
}

WEAK void workshares_end_slow(struct team *team)
{
	(void)team;
}

WEAK void workshare_join(struct thread *t)
{
	(void)t;
}
