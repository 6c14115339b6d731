/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling thread's own view of itself through omp_get_*(): ompdd must agree with it. */
#ifndef OMPDD_PROGRAMS_ORACLE_H
#define OMPDD_PROGRAMS_ORACLE_H

#include "park.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the thread will wait from now on; tests wait for it in /proc before they query. */
#define BY_PAUSE "pause" /* in pause(2) */
#define BY_FUTEX "futex" /* asleep inside the runtime */
#define BY_RUN	 "run"	 /* never sleeps */

/*
 * Print all answers of the calling thread's omp_get_*() as one line.
 * @by: one of the above. @extra: further JSON members (`"chain":["explicit"]`) or "".
 */
void oracle_say(const char *by, const char *extra, ...) __attribute__((format(printf, 2, 3)));

/* oracle_say(BY_PAUSE, ""), then park(). */
void oracle_park(void) __attribute__((noreturn));

/* The data of the same line, from another language's own functions. */
struct oracle {
	int level, active_level, thread_num, num_threads, max_threads, dynamic, max_active_levels;
	int in_final, in_parallel, schedule, chunk, proc_bind, thread_limit, cancellation;
	int default_device, max_task_priority, num_procs;
	int ancestors[32], team_sizes[32]; /* [0 .. level] */
};
void oracle_say_values(const struct oracle *o, const char *by, const char *extra);

#ifdef __cplusplus
}
#endif
#endif
