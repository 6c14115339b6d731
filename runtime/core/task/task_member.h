/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of a member that concerns tasks: its implicit task, and the memory of the tasks that it creates. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_MEMBER_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_MEMBER_H

#include "core/state/task.h"

/*
 * Initializes @task as an implicit or initial task of @team, whose epoch is @epoch, for member @thread_num. It
 * inherits @icv.
 */
void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team, uint32_t epoch,
	       uint32_t thread_num, const struct icv *icv);
/* Frees what @task made (ICVs, dependences) at its end. All children are complete. */
void task_deinit(struct task *task);

/* Frees slots, deques and queue of a team that ends, or of an unused member. No thread is in it. */
void task_member_deinit(struct member *member);
void task_team_deinit(struct team *team);

#endif
