/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops whose variable fits into a long, and those of unsigned long long. *_start enters the loop and returns the
 * first iterations, *_next returns more. Both return false if no iterations are left. Schedules without "nonmonotonic"
 * in their names are monotonic, except "maybe".
 */
#include "abi/gomp_loop.h"

#include "core/team/barrier.h"
#include "core/team/registration.h"
#include "tools/point.h"

static inline bool start_loop(const void *code, uint32_t schedule, bool ordered, long from, long end, long incr,
			      long chunk, long *istart, long *iend)
{
	struct thread *t = thread_self();
	struct workshare_setup s;

	setup_long(&s, from, end, incr);
	loop_setup_schedule(t, &s, schedule, chunk_long(chunk), ordered);
	POINT(work_begin, t, &s, (struct site){code, NULL});
	loop_begin(t, &s);
	return loop_next(t, (uint64_t *)istart, (uint64_t *)iend);
}

#define START(name, schedule, ordered)                                                                                 \
	ABI bool GOMP_loop_##name##_start(long from, long end, long incr, long chunk, long *istart, long *iend)        \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, schedule, ordered, from, end, incr, chunk, istart, iend);            \
	}

#define START_RUNTIME(name, schedule, ordered)                                                                         \
	ABI bool GOMP_loop_##name##_start(long from, long end, long incr, long *istart, long *iend)                    \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, schedule, ordered, from, end, incr, 0, istart, iend);                \
	}

#define NEXT(name, schedule, ordered)                                                                                  \
	ABI bool GOMP_loop_##name##_next(long *istart, long *iend)                                                     \
	{                                                                                                              \
		return loop_next(thread_peek(), (uint64_t *)istart, (uint64_t *)iend);                                 \
	}

LOOP_SCHEDULES(START, START_RUNTIME)
LOOP_SCHEDULES_ORDERED(START, START_RUNTIME)
LOOP_SCHEDULES(NEXT, NEXT)
LOOP_SCHEDULES_ORDERED(NEXT, NEXT)

/* With task reductions, or memory for all threads. @istart NULL: gcc's code distributes the iterations. */
static bool start_extras(const void *code, bool ordered, long from, long end, long incr, long sched, long chunk,
			 long *istart, long *iend, uintptr_t *reductions, void **mem)
{
	struct thread *t = thread_self();
	struct loop_extras extras = {.reductions = reductions, .memory = mem};
	struct workshare_setup s;

	setup_long(&s, from, end, incr);
	loop_setup_schedule(t, &s, loop_schedule(sched), chunk_long(chunk), ordered);
	POINT(work_begin, t, &s, (struct site){code, NULL});
	loop_begin_extras(t, &s, &extras);
	return !istart || loop_next(t, (uint64_t *)istart, (uint64_t *)iend);
}

ABI bool GOMP_loop_start(long from, long end, long incr, long sched, long chunk, long *istart, long *iend,
			 uintptr_t *reductions, void **mem)
{
	return start_extras(RETURN_ADDRESS, false, from, end, incr, sched, chunk, istart, iend, reductions, mem);
}

ABI bool GOMP_loop_ordered_start(long from, long end, long incr, long sched, long chunk, long *istart, long *iend,
				 uintptr_t *reductions, void **mem)
{
	return start_extras(RETURN_ADDRESS, true, from, end, incr, sched, chunk, istart, iend, reductions, mem);
}

/* The end of every loop, whatever its type. */
ABI void GOMP_loop_end(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
	loop_leave(t);
	barrier_wait(t, ompt_state_wait_barrier_implicit_workshare, SITE_HERE().frame);
}

ABI bool GOMP_loop_end_cancel(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
	loop_leave(t);
	return barrier_wait_cancellable(t, ompt_state_wait_barrier_implicit_workshare, SITE_HERE().frame);
}

ABI void GOMP_loop_end_nowait(void)
{
	struct thread *t = thread_self();

	if (loop_is_reported(t))
		point_work_end(t, SITE_HERE());
	loop_leave(t);
}

/* Loops of unsigned long long. */

static inline bool start_ull_loop(const void *code, uint32_t schedule, bool ordered, bool up, gomp_ull from,
				  gomp_ull end, gomp_ull incr, gomp_ull chunk, gomp_ull *istart, gomp_ull *iend)
{
	struct thread *t = thread_self();
	struct workshare_setup s = {
		.start = from,
		.incr = incr,
		.end = end,
		.n = loop_count_unsigned(up, from, end, incr),
	};

	loop_setup_schedule(t, &s, schedule, chunk, ordered);
	POINT(work_begin, t, &s, (struct site){code, NULL});
	loop_begin(t, &s);
	return loop_next(t, (uint64_t *)istart, (uint64_t *)iend);
}

#define ULL_START(name, schedule, ordered)                                                                             \
	ABI bool GOMP_loop_ull_##name##_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,     \
					      gomp_ull *istart, gomp_ull *iend)                                        \
	{                                                                                                              \
		return start_ull_loop(RETURN_ADDRESS, schedule, ordered, up, from, end, incr, chunk, istart, iend);    \
	}

#define ULL_START_RUNTIME(name, schedule, ordered)                                                                     \
	ABI bool GOMP_loop_ull_##name##_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull *istart,   \
					      gomp_ull *iend)                                                          \
	{                                                                                                              \
		return start_ull_loop(RETURN_ADDRESS, schedule, ordered, up, from, end, incr, 0, istart, iend);        \
	}

#define ULL_NEXT(name, schedule, ordered)                                                                              \
	ABI bool GOMP_loop_ull_##name##_next(gomp_ull *istart, gomp_ull *iend)                                         \
	{                                                                                                              \
		return loop_next(thread_peek(), (uint64_t *)istart, (uint64_t *)iend);                                 \
	}

LOOP_SCHEDULES(ULL_START, ULL_START_RUNTIME)
LOOP_SCHEDULES_ORDERED(ULL_START, ULL_START_RUNTIME)
LOOP_SCHEDULES(ULL_NEXT, ULL_NEXT)
LOOP_SCHEDULES_ORDERED(ULL_NEXT, ULL_NEXT)

static bool start_ull_extras(const void *code, bool ordered, bool up, gomp_ull from, gomp_ull end, gomp_ull incr,
			     long sched, gomp_ull chunk, gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions,
			     void **mem)
{
	struct thread *t = thread_self();
	struct loop_extras extras = {.reductions = reductions, .memory = mem};
	struct workshare_setup s = {
		.start = from,
		.incr = incr,
		.end = end,
		.n = loop_count_unsigned(up, from, end, incr),
	};

	loop_setup_schedule(t, &s, loop_schedule(sched), chunk, ordered);
	POINT(work_begin, t, &s, (struct site){code, NULL});
	loop_begin_extras(t, &s, &extras);
	return !istart || loop_next(t, (uint64_t *)istart, (uint64_t *)iend);
}

ABI bool GOMP_loop_ull_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, long sched, gomp_ull chunk,
			     gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions, void **mem)
{
	return start_ull_extras(RETURN_ADDRESS, false, up, from, end, incr, sched, chunk, istart, iend, reductions,
				mem);
}

ABI bool GOMP_loop_ull_ordered_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, long sched, gomp_ull chunk,
				     gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions, void **mem)
{
	return start_ull_extras(RETURN_ADDRESS, true, up, from, end, incr, sched, chunk, istart, iend, reductions, mem);
}
