/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* single. Its barrier, if it has one, is a call of GOMP_barrier; after a copyprivate there is always one. */
#include "abi/abi.h"
#include "core/single.h"
#include "core/task.h"

ABI bool GOMP_single_start(void)
{
	return single_begin(thread_self());
}

/* NULL: execute the region, then GOMP_single_copy_end(); else what the one who did gives. */
ABI void *GOMP_single_copy_start(void)
{
	struct thread *t = thread_self();

	if (single_copy_begin(t))
		return NULL;
	task_enter_runtime(t->task, SITE_HERE());
	void *data = single_copy_get(t);
	task_leave_runtime(t->task);
	return data;
}

ABI void GOMP_single_copy_end(void *data)
{
	single_copy_give(thread_self(), data);
}
