/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ordered regions. */
#include "abi/abi.h"
#include "core/ordered.h"
#include "core/task.h"

ABI void GOMP_ordered_start(void)
{
	struct thread *t = thread_self();

	if (ordered_may_begin(t))
		return;
	task_enter_runtime(t->task, SITE_HERE());
	ordered_wait(t);
	task_leave_runtime(t->task);
}

ABI void GOMP_ordered_end(void)
{
	ordered_end(thread_self());
}
