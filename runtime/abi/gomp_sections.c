/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sections: the program requests the number of the next section, from 1. 0: no section is left. */
#include "abi/gomp_sections.h"

#include "abi/abi.h"
#include "core/barrier.h"
#include "core/task.h"
#include "tools/point.h"

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

	team_begin(t, fn, data, team_size(t, num_threads, count), flags, SITE_HERE(), &s, NULL);
	fn(data);
	team_end(t);
}

ABI void GOMP_parallel_sections_start(gomp_fn fn, void *data, unsigned num_threads, unsigned count)
{
	struct thread *t = thread_self();
	struct workshare_setup s = sections_setup(count);

	team_begin(t, fn, data, team_size(t, num_threads, count), 0, SITE_HERE(), &s, NULL);
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
