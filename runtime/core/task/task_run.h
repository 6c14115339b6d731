/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for a ready task, and its execution. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_RUN_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_RUN_H

#include "core/state/task.h"

/* Runs a deferred task. */
void task_execute(struct thread *t, struct task *task);
/*
 * Returns a ready task that a thread of @t's team may run within a descendant of @ancestor (NULL: any). NULL: none
 * found. Never blocks.
 */
struct task *task_find(struct thread *t, const struct task *ancestor);

/*
 * Threads at a barrier run tasks of their team. Runs a task that @t may run there (task scheduling constraints, OpenMP
 * 5.2, 12.9). Returns false if it finds none. Never blocks.
 */
bool task_run_one(struct thread *t);
/* Returns whether no task bound to @team is left. Only true is certain, and only while all members are at a barrier. */
bool task_team_is_done(struct team *team);
/* taskyield. */
void task_yield(struct thread *t, struct site site);

#endif
