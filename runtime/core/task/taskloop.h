/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* taskloop constructs (OpenMP 5.2, 12.6): the division of iterations into tasks. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASKLOOP_H
#define OMPDD_RUNTIME_CORE_TASK_TASKLOOP_H

#include "core/state/task.h"

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

void taskloop_construct(struct thread *t, struct taskloop *loop);

#endif
