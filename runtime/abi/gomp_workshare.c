/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * sections, single and scope. The barrier of single, if any, is a separate call of GOMP_barrier; copyprivate always
 * has one. scope calls a function only for task reductions.
 */
#include "abi/abi.h"

#include "core/loop/loop.h"
#include "core/loop/single.h"
#include "core/loop/workshare.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/task/reduction.h"
#include "core/team/barrier.h"
#include "core/team/region.h"
#include "core/team/registration.h"
#include "core/team/team_size.h"
#include "omp-tools.h"
#include "tools/observer.h"
#include "tools/point.h"

static struct workshare_setup sections_setup(unsigned count)
{
	return (struct workshare_setup){
		.work = ompt_work_sections,
		.schedule = SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC,
		.start = 1,
		.incr = 1,
		.end = (uint64_t)count + 1,
		.n = count,
		.chunk = 1,
	};
}

/* The program executes one section at a time. A team of one gets all of them at once. */
static inline unsigned take_section(struct thread *t)
{
	struct loop *l = &t->member->share.loop;

	if (l->next == l->stop && !loop_refill(t, l))
		return 0;
	if (unlikely(l->work))
		point_section(t, l);
	return (unsigned)++l->next;
}

ABI unsigned GOMP_sections_start(unsigned count)
{
	struct thread *t = thread_self();
	struct workshare_setup s = sections_setup(count);

	POINT(work_begin, t, &s, SITE_HERE());
	loop_begin(t, &s);
	return take_section(t);
}

ABI unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
	struct thread *t = thread_self();
	struct workshare_setup s = sections_setup(count);
	struct loop_extras extras = {.reductions = reductions, .memory = mem};

	POINT(work_begin, t, &s, SITE_HERE());
	loop_begin_extras(t, &s, &extras);
	return take_section(t);
}

ABI unsigned GOMP_sections_next(void)
{
	return take_section(thread_peek());
}

ABI void GOMP_parallel_sections(gomp_fn fn, void *data, unsigned num_threads, unsigned count, unsigned flags)
{
	struct thread *t = thread_self();
	struct workshare_setup s = sections_setup(count);

	team_begin(t, fn, data, team_choose_size(t, num_threads, count), flags, SITE_HERE(), &s, NULL);
	fn(data);
	team_end(t);
}

ABI void GOMP_parallel_sections_start(gomp_fn fn, void *data, unsigned num_threads, unsigned count)
{
	struct thread *t = thread_self();
	struct workshare_setup s = sections_setup(count);

	team_begin(t, fn, data, team_choose_size(t, num_threads, count), 0, SITE_HERE(), &s, NULL);
}

ABI void GOMP_sections_end(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
	barrier_wait(t, ompt_state_wait_barrier_implicit_workshare, SITE_HERE().frame);
}

ABI bool GOMP_sections_end_cancel(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
	return barrier_wait_cancellable(t, ompt_state_wait_barrier_implicit_workshare, SITE_HERE().frame);
}

ABI void GOMP_sections_end_nowait(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
}

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

ABI void GOMP_scope_start(uintptr_t *reductions)
{
	struct thread *t = thread_self();
	bool first;

	if (!reductions)
		return;
	first = workshare_enter(t);
	reduction_workshare_begin(t, t->member->share.ws, reductions, first);
	if (first)
		workshare_publish(t);
}
