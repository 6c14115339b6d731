/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* single. Its barrier, if any, is a separate call of GOMP_barrier. copyprivate always has one. */
#include "abi/abi.h"
#include "core/single.h"
#include "core/task.h"
#include "tools/point.h"

ABI bool GOMP_single_start(void)
{
	struct thread *t = thread_self();
	bool begun = single_begin(t);

	/* gcc's code does not call the runtime at the end of the block, so only the other threads' part is reported. */
	if (point_has_tool() && !begun) {
		point_single_begin(t, ompt_work_single_other, SITE_HERE());
		point_single_end(t, ompt_work_single_other, SITE_HERE());
	}
	return begun;
}

/*
 * Returns NULL in the thread that executes the region and then calls GOMP_single_copy_end(). Other threads get its
 * data.
 */
ABI void *GOMP_single_copy_start(void)
{
	struct thread *t = thread_self();

	if (single_copy_begin(t)) {
		POINT(single_begin, t, ompt_work_single_executor, SITE_HERE());
		return NULL;
	}
	POINT(single_begin, t, ompt_work_single_other, SITE_HERE());
	task_enter_runtime(t->task, SITE_HERE());
	POINT(copyprivate_begin, t, SITE_HERE());
	void *data = single_copy_get(t);
	POINT(copyprivate_end, t, SITE_HERE());
	task_leave_runtime(t->task);
	POINT(single_end, t, ompt_work_single_other, SITE_HERE());
	return data;
}

ABI void GOMP_single_copy_end(void *data)
{
	struct thread *t = thread_self();

	POINT(single_end, t, ompt_work_single_executor, SITE_HERE());
	POINT(copyprivate_begin, t, SITE_HERE());
	single_copy_give(t, data);
	POINT(copyprivate_end, t, SITE_HERE());
}
