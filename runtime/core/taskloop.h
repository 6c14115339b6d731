/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* taskloop constructs (OpenMP 5.2, 12.6): the division of iterations into tasks. */
#ifndef OMPDD_RUNTIME_CORE_TASKLOOP_H
#define OMPDD_RUNTIME_CORE_TASKLOOP_H

#include "core/task.h"

struct taskloop {
	struct task_construct tasks; /* of each task; the first two words of the data are its bounds */
	uint64_t start, end, step;   /* the value of iteration i is start + i * step, modulo 2^64 */
	uint64_t n;		     /* iterations; not 0 */
	uint64_t grainsize;	     /* 0: not given; then num_tasks counts */
	uint64_t num_tasks;	     /* 0: not given */
	bool strict;
	bool group;	      /* in a taskgroup of its own */
	uint64_t *reductions; /* registered with that; NULL: none */
	uint64_t bounds[2];   /* of the task that is being created */
};

/*
 * For a task with TASK_RANGE, behind its struct on the next cache line: the numbers of the loop's tasks that it stands
 * for. Once started, `next` is the one that is executed.
 */
struct task_range {
	uint64_t next, end;
};

void taskloop_construct(struct thread *t, struct taskloop *loop);

/*
 * Runs the current task, which has TASK_RANGE and stands for several, one after the other. While one is executed, the
 * rest is in the thread's deque for idle threads. Very short tasks stay, because they would be done before a thief
 * arrives. Returns the struct of the last task, which the caller completes.
 */
struct task *taskloop_run(struct thread *t, struct task *task);

#endif
