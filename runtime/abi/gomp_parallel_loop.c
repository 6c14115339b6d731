/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Combined parallel for and parallel sections. The region starts in its loop; all threads continue with
 * GOMP_loop_*_next or GOMP_sections_next. gcc up to 4.8 used the *_start functions and called the region's function
 * itself.
 */
#include "abi/gomp_loop.h"

static void setup_loop(struct thread *t, struct workshare_setup *s, uint32_t schedule, long from, long end, long incr,
		       long chunk)
{
	setup_long(s, from, end, incr);
	loop_setup_schedule(t, s, schedule, chunk_long(chunk), false);
}

#define PARALLEL_LOOP(name, schedule, ordered)                                                                         \
	ABI void GOMP_parallel_loop_##name(gomp_fn fn, void *data, unsigned num_threads, long from, long end,          \
					   long incr, long chunk, unsigned flags)                                      \
	{                                                                                                              \
		struct thread *t = thread_self();                                                                      \
		struct workshare_setup s;                                                                              \
                                                                                                                       \
		setup_loop(t, &s, schedule, from, end, incr, chunk);                                                   \
		team_begin(t, fn, data, team_size(t, num_threads, 0), flags, SITE_HERE(), &s, NULL);                   \
		fn(data);                                                                                              \
		team_end(t);                                                                                           \
	}

#define PARALLEL_LOOP_RUNTIME(name, schedule, ordered)                                                                 \
	ABI void GOMP_parallel_loop_##name(gomp_fn fn, void *data, unsigned num_threads, long from, long end,          \
					   long incr, unsigned flags)                                                  \
	{                                                                                                              \
		struct thread *t = thread_self();                                                                      \
		struct workshare_setup s;                                                                              \
                                                                                                                       \
		setup_loop(t, &s, schedule, from, end, incr, 0);                                                       \
		team_begin(t, fn, data, team_size(t, num_threads, 0), flags, SITE_HERE(), &s, NULL);                   \
		fn(data);                                                                                              \
		team_end(t);                                                                                           \
	}

LOOP_SCHEDULES(PARALLEL_LOOP, PARALLEL_LOOP_RUNTIME)

#define PARALLEL_LOOP_START(name, schedule)                                                                            \
	ABI void GOMP_parallel_loop_##name##_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end,  \
						   long incr, long chunk)                                              \
	{                                                                                                              \
		struct thread *t = thread_self();                                                                      \
		struct workshare_setup s;                                                                              \
                                                                                                                       \
		setup_loop(t, &s, schedule, from, end, incr, chunk);                                                   \
		team_begin(t, fn, data, team_size(t, num_threads, 0), 0, SITE_HERE(), &s, NULL);                       \
	}

PARALLEL_LOOP_START(static, SCHEDULE_STATIC)
PARALLEL_LOOP_START(dynamic, SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC)
PARALLEL_LOOP_START(guided, SCHEDULE_GUIDED | SCHEDULE_MONOTONIC)

ABI void GOMP_parallel_loop_runtime_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr)
{
	struct thread *t = thread_self();
	struct workshare_setup s;

	setup_loop(t, &s, SCHEDULE_RUNTIME | SCHEDULE_MONOTONIC, from, end, incr, 0);
	team_begin(t, fn, data, team_size(t, num_threads, 0), 0, SITE_HERE(), &s, NULL);
}
