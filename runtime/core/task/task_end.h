/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counts of unfinished tasks, the completion of a task, and the release of its memory. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_END_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_END_H

struct task;
struct thread;

/*
 * Counts a new deferred task with its parent (the current task, or the current task's parent), its taskgroup and its
 * team.
 */
void task_count_created(struct thread *t, struct task *task);
/* A deferred task is done: releases the tasks that wait for it. Afterwards it is freed, or belongs to its children. */
void task_complete(struct thread *t, struct task *task);
/* Ends a task that was executed at once and has children or ICVs. */
void task_end_at_once(struct thread *t, struct task *task) __attribute__((cold));
/* Frees a slot: all children are gone. */
void task_release(struct thread *t, struct task *task);

#endif
