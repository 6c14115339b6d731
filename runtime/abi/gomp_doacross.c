/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Doacross loops. @counts has the number of iterations of each of @ncounts loops. An iteration is named by one number
 * per loop, from 0. The threads share the iterations of the first loop, and continue with GOMP_loop_*_next.
 */
#include "abi/gomp_loop.h"

#include <stdarg.h>
#include <stdlib.h>

#include "core/loop/doacross.h"
#include "core/team/registration.h"
#include "os/memory.h"
#include "tools/observer.h"
#include "tools/point.h"

static bool start_loop(const void *code, unsigned ncounts, const uint64_t *counts, long sched, uint64_t chunk,
		       uint64_t *istart, uint64_t *iend, uintptr_t *reductions, void **mem)
{
	struct thread *t = thread_self();
	struct workshare_setup s = {.incr = 1, .end = counts[0], .n = counts[0]};
	struct loop_extras extras = {.reductions = reductions, .memory = mem, .n_counts = ncounts, .counts = counts};

	/* Chunks must come in order to each thread, and, except with a static schedule, to all threads. */
	loop_setup_schedule(t, &s, loop_schedule(sched) | SCHEDULE_MONOTONIC, chunk, false);
	POINT(work_begin, t, &s, (struct site){code, NULL});
	loop_begin_extras(t, &s, &extras);
	return !istart || loop_next(t, istart, iend);
}

#define START(name, schedule)                                                                                          \
	ABI bool GOMP_loop_doacross_##name##_start(unsigned ncounts, long *counts, long chunk, long *istart,           \
						   long *iend)                                                         \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, schedule, chunk_long(chunk),            \
				  (uint64_t *)istart, (uint64_t *)iend, NULL, NULL);                                   \
	}                                                                                                              \
	ABI bool GOMP_loop_ull_doacross_##name##_start(unsigned ncounts, gomp_ull *counts, gomp_ull chunk,             \
						       gomp_ull *istart, gomp_ull *iend)                               \
	{                                                                                                              \
		return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, schedule, chunk, (uint64_t *)istart,    \
				  (uint64_t *)iend, NULL, NULL);                                                       \
	}

START(static, SCHEDULE_STATIC)
START(dynamic, SCHEDULE_DYNAMIC)
START(guided, SCHEDULE_GUIDED)

ABI bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long *counts, long *istart, long *iend)
{
	return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, SCHEDULE_RUNTIME, 0, (uint64_t *)istart,
			  (uint64_t *)iend, NULL, NULL);
}

ABI bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, gomp_ull *counts, gomp_ull *istart, gomp_ull *iend)
{
	return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, SCHEDULE_RUNTIME, 0, (uint64_t *)istart,
			  (uint64_t *)iend, NULL, NULL);
}

ABI bool GOMP_loop_doacross_start(unsigned ncounts, long *counts, long sched, long chunk, long *istart, long *iend,
				  uintptr_t *reductions, void **mem)
{
	return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, sched, chunk_long(chunk), (uint64_t *)istart,
			  (uint64_t *)iend, reductions, mem);
}

ABI bool GOMP_loop_ull_doacross_start(unsigned ncounts, gomp_ull *counts, long sched, gomp_ull chunk, gomp_ull *istart,
				      gomp_ull *iend, uintptr_t *reductions, void **mem)
{
	return start_loop(RETURN_ADDRESS, ncounts, (uint64_t *)counts, sched, chunk, (uint64_t *)istart,
			  (uint64_t *)iend, reductions, mem);
}

static inline void post_iteration(const uint64_t *counts)
{
	struct thread *t = thread_self();

	POINT(doacross, t, true, counts, doacross_count_loops(t));
	doacross_post(t, counts);
}

ABI void GOMP_doacross_post(long *counts)
{
	post_iteration((const uint64_t *)counts);
}

ABI void GOMP_doacross_ull_post(gomp_ull *counts)
{
	post_iteration((const uint64_t *)counts);
}

/* A tool gets the whole vector. */
static __attribute__((cold)) void report_wait(struct thread *t, uint64_t first, va_list args)
{
	uint32_t n = doacross_count_loops(t);
	uint64_t *vector = memory_alloc(n * sizeof(*vector));

	vector[0] = first;
	for (uint32_t i = 1; i < n; i++)
		vector[i] = va_arg(args, uint64_t);
	point_doacross(t, false, vector, n);
	free(vector);
}

/* The arguments name the iteration. long and unsigned long long are passed alike. */
#define WAIT(first, type)                                                                                              \
	do {                                                                                                           \
		struct thread *t = thread_self();                                                                      \
		const struct doacross *d = doacross_of(t);                                                             \
		uint64_t outer = (uint64_t)(first), number;                                                            \
		va_list args;                                                                                          \
                                                                                                                       \
		if (point_has_tool()) {                                                                                \
			va_start(args, first);                                                                         \
			report_wait(t, outer, args);                                                                   \
			va_end(args);                                                                                  \
		}                                                                                                      \
		if (!d)                                                                                                \
			return;                                                                                        \
		number = outer * d->stride[0];                                                                         \
		va_start(args, first);                                                                                 \
		for (uint32_t i = 1; i < d->n_counts; i++)                                                             \
			number += (uint64_t)va_arg(args, type) * d->stride[i];                                         \
		va_end(args);                                                                                          \
		if (doacross_is_done(t, outer, number))                                                                \
			return;                                                                                        \
		task_enter_runtime(t->task, SITE_HERE());                                                              \
		doacross_wait(t, outer, number);                                                                       \
		task_leave_runtime(t->task);                                                                           \
	} while (0)

ABI void GOMP_doacross_wait(long first, ...)
{
	WAIT(first, long);
}

ABI void GOMP_doacross_ull_wait(gomp_ull first, ...)
{
	WAIT(first, gomp_ull);
}
