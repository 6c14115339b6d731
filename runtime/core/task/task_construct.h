/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* task constructs (OpenMP 5.2, 12.5), and taskwait with dependences. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_CONSTRUCT_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_CONSTRUCT_H

#include "core/state/task.h"

/*
 * The current task encounters a task construct (OpenMP 5.2, 12.5). For simple ones task_at_once() in
 * core/task/task_new.h is faster.
 */
void task_construct(struct thread *t, const struct task_construct *c);
/* taskwait depend: waits for the children that a task with @depend would have to wait for. */
void task_wait_depend(struct thread *t, void *const *depend, struct site site);

#endif
