/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * parallel, and combined parallel for. Newer programs pass the region's function in one call; gcc up to 4.8 uses two
 * calls, and calls the function itself. A combined region starts in its loop; all threads continue with
 * GOMP_loop_*_next or GOMP_sections_next.
 */
#include "abi/gomp_loop.h"

#include "core/state/task.h"
#include "core/team/region.h"
#include "core/team/registration.h"
#include "core/team/team_size.h"

ABI void GOMP_parallel(gomp_fn fn, void *data, unsigned num_threads, unsigned flags)
{
	struct thread *t = thread_self();

	team_begin(t, fn, data, team_choose_size(t, num_threads, 0), flags, SITE_HERE(), NULL, NULL);
	fn(data);
	team_end(t);
}

/* The program calls the region's function between the two calls. */
ABI void GOMP_parallel_start(gomp_fn fn, void *data, unsigned num_threads)
{
	struct thread *t = thread_self();

	team_begin(t, fn, data, team_choose_size(t, num_threads, 0), 0, SITE_HERE(), NULL, NULL);
}

ABI void GOMP_parallel_end(void)
{
	team_end(thread_self());
}

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
		team_begin(t, fn, data, team_choose_size(t, num_threads, 0), flags, SITE_HERE(), &s, NULL);            \
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
		team_begin(t, fn, data, team_choose_size(t, num_threads, 0), flags, SITE_HERE(), &s, NULL);            \
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
		team_begin(t, fn, data, team_choose_size(t, num_threads, 0), 0, SITE_HERE(), &s, NULL);                \
	}

PARALLEL_LOOP_START(static, SCHEDULE_STATIC)
PARALLEL_LOOP_START(dynamic, SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC)
PARALLEL_LOOP_START(guided, SCHEDULE_GUIDED | SCHEDULE_MONOTONIC)

ABI void GOMP_parallel_loop_runtime_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr)
{
	struct thread *t = thread_self();
	struct workshare_setup s;

	setup_loop(t, &s, SCHEDULE_RUNTIME | SCHEDULE_MONOTONIC, from, end, incr, 0);
	team_begin(t, fn, data, team_choose_size(t, num_threads, 0), 0, SITE_HERE(), &s, NULL);
}
