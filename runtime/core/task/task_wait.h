/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A task waits for others: taskwait, the end of a taskgroup, dependences of an undeferred task. Meanwhile its thread
 * runs descendants of the waiting task.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_WAIT_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_WAIT_H

#include "core/state/task.h"
#include "omp-tools.h"

/* The object of a wait: the first field that is set, otherwise the current task's children. */
struct task_condition {
	const struct taskgroup *group;
	const int32_t *pending; /* waits until it is zero: depend_node.n_pending */
};

void task_wait(struct thread *t, struct task_condition until, ompt_state_t state, struct site site);

/* taskwait (12.10.5). task_wait_children() is for unfinished children; otherwise one test is enough. */
void task_wait_children(struct thread *t, struct site site) __attribute__((cold));

#endif
