/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task that stands for several tasks of a taskloop, which its thread executes in sequence. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_RANGE_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_RANGE_H

#include "core/state/task.h"

/* The first `n_longer` tasks have `per_task` + 1 iterations, the others `per_task`. The last one may have fewer. */
struct taskloop_division {
	uint64_t n_tasks, n_longer, per_task;
};

/*
 * For a task with TASK_RANGE, behind its struct on the next cache line: the numbers of the loop's tasks that it stands
 * for. Once started, `next` is the one that is executed.
 */
struct task_range {
	uint64_t next, end;
};

/* In the slot of a task, before its data. */
struct taskloop_range {
	struct task_range tasks;
	struct taskloop_division division;
	uint64_t loop_start, loop_end, step;
	size_t size; /* of the data */
	uint64_t unused;
};

_Static_assert(sizeof(struct taskloop_range) % 16 == 0, "the data behind it is aligned");

static inline struct taskloop_range *task_range_of(struct task *task)
{
	return task_slot_room(task);
}

/* Makes @task stand for @r, with a copy of @data. */
void task_range_set(struct task *task, const struct taskloop_range *r, const void *data);

/*
 * Runs the current task, which has TASK_RANGE and stands for several, one after the other. While one is executed, the
 * rest is in the thread's deque for idle threads. Very short tasks stay, because they would be done before a thief
 * arrives. Returns the struct of the last task, which the caller completes.
 */
struct task *task_range_run(struct thread *t, struct task *task);

#endif
