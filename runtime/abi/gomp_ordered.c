/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ordered regions. */
#include "abi/abi.h"
#include "core/ordered.h"
#include "core/task.h"
#include "core/team.h"
#include "tools/point.h"

/* What the thread waits for; alone it waits for nothing. */
static const void *turn_of(const struct thread *t)
{
	const struct share *share = &t->member->share;

	return t->n_threads > 1 && share->ws ? (const void *)&share->ws->turn
					     : (const void *)&share->loop;
}

static __attribute__((cold)) void start_and_report(struct thread *t, struct site site)
{
	const void *turn = turn_of(t);

	task_enter_runtime(t->task, site);
	point_mutex_acquire(ompt_mutex_ordered, turn, site);
	if (!ordered_may_begin(t))
		ordered_wait(t);
	point_mutex_acquired(ompt_mutex_ordered, turn, site);
	task_leave_runtime(t->task);
}

ABI void GOMP_ordered_start(void)
{
	struct thread *t = thread_self();

	if (point_has_tool()) {
		start_and_report(t, SITE_HERE());
		return;
	}
	if (ordered_may_begin(t))
		return;
	task_enter_runtime(t->task, SITE_HERE());
	ordered_wait(t);
	task_leave_runtime(t->task);
}

ABI void GOMP_ordered_end(void)
{
	struct thread *t = thread_self();

	ordered_end(t);
	if (point_has_tool())
		point_mutex_released(ompt_mutex_ordered, turn_of(t), SITE_HERE());
}
