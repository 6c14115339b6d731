/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops whose variable needs an unsigned long long. As gomp_loop.c, but @up gives the direction: a step down is 2^64 -
 * step.
 */
#include "abi/gomp_loop.h"

static inline bool start_loop(const void *code, uint32_t schedule, bool ordered, bool up, gomp_ull from, gomp_ull end,
			      gomp_ull incr, gomp_ull chunk, gomp_ull *istart, gomp_ull *iend)
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

#define START(name, schedule, ordered)                                                                                 \
	ABI bool GOMP_loop_ull_##name##_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,     \
					      gomp_ull *istart, gomp_ull *iend)                                        \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, schedule, ordered, up, from, end, incr, chunk, istart, iend);        \
	}

#define START_RUNTIME(name, schedule, ordered)                                                                         \
	ABI bool GOMP_loop_ull_##name##_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull *istart,   \
					      gomp_ull *iend)                                                          \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, schedule, ordered, up, from, end, incr, 0, istart, iend);            \
	}

#define NEXT(name, schedule, ordered)                                                                                  \
	ABI bool GOMP_loop_ull_##name##_next(gomp_ull *istart, gomp_ull *iend)                                         \
	{                                                                                                              \
		return loop_next(thread_peek(), (uint64_t *)istart, (uint64_t *)iend);                                 \
	}

LOOP_SCHEDULES(START, START_RUNTIME)
LOOP_SCHEDULES_ORDERED(START, START_RUNTIME)
LOOP_SCHEDULES(NEXT, NEXT)
LOOP_SCHEDULES_ORDERED(NEXT, NEXT)

static bool start_extras(const void *code, bool ordered, bool up, gomp_ull from, gomp_ull end, gomp_ull incr,
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
	return start_extras(RETURN_ADDRESS, false, up, from, end, incr, sched, chunk, istart, iend, reductions, mem);
}

ABI bool GOMP_loop_ull_ordered_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, long sched, gomp_ull chunk,
				     gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions, void **mem)
{
	return start_extras(RETURN_ADDRESS, true, up, from, end, incr, sched, chunk, istart, iend, reductions, mem);
}
