/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Task groups: creation, reuse, wait, destruction. */
#include "core/task/taskgroup.h"

#include <stdlib.h>

#include "core/task/task_wait.h"
#include "os/memory.h"

struct taskgroup *taskgroup_new(struct thread *t)
{
	(void)t;
	return memory_zalloc_line(sizeof(struct taskgroup));
}

void taskgroup_wait(struct thread *t, struct site site)
{
	task_wait(t, (struct task_condition){.group = t->task->taskgroup}, ompt_state_wait_taskgroup, site);
}
