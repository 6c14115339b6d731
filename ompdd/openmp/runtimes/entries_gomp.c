/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps the calls that gcc compiles OpenMP to (libgomp.map, omp-low and omp-expand of gcc 4.9 to 15) to events. */
#include "openmp/runtimes/entries.h"

#include <stddef.h>

#define WHOLE(symbol) ENTRY_CALL(EVENT_PARALLEL_BEGIN, symbol), ENTRY_RETURN(EVENT_PARALLEL_END, symbol),
#define START(symbol) ENTRY_CALL(EVENT_PARALLEL_BEGIN, symbol),
/* The task may wait, and another thread may execute it. The call and return of its function show when. */
#define TASK(symbol)                                                                                                   \
	{EVENT_TASK_BEGIN, symbol, EVENT_AT_ARGUMENT_CALL, 0, EVENT_CALLER_NOT_RUNTIME, false, true,                   \
	 EVENT_ANY_RESULT, {0}},                                                                                       \
	{                                                                                                              \
		EVENT_TASK_END, symbol, EVENT_AT_ARGUMENT_RETURN, 0, EVENT_CALLER_NOT_RUNTIME, false, true,            \
			EVENT_ANY_RESULT,                                                                              \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}

const struct profile_event gomp_entries[] = {
	GOMP_WHOLE_REGIONS(WHOLE) GOMP_REGION_STARTS(START) ENTRY_RETURN(EVENT_PARALLEL_END, "GOMP_parallel_end"),
	TASK("GOMP_task"),
	TASK("GOMP_taskloop"),
	TASK("GOMP_taskloop_ull"),
	/* The function of a new thread belongs to libgomp and has no name. */
	{EVENT_THREAD_BEGIN,
	 "pthread_create",
	 EVENT_AT_ARGUMENT_CALL,
	 2,
	 EVENT_CALLER_RUNTIME,
	 true,
	 false,
	 EVENT_ANY_RESULT,
	 {0}},
	{EVENT_THREAD_END,
	 "pthread_create",
	 EVENT_AT_ARGUMENT_RETURN,
	 2,
	 EVENT_CALLER_RUNTIME,
	 true,
	 false,
	 EVENT_ANY_RESULT,
	 {0}},
	{EVENT_THREAD_END, "pthread_exit", EVENT_AT_CALL, 0, EVENT_CALLER_RUNTIME, false, false, EVENT_ANY_RESULT, {0}},
	/* In a target region no return of a call shows the end of a league. */
	ENTRY_CALL(EVENT_TEAMS_BEGIN, "GOMP_teams_reg"),
	ENTRY_RETURN(EVENT_TEAMS_END, "GOMP_teams_reg"),
	ENTRY_CALL(EVENT_TARGET_BEGIN, "GOMP_target_ext"),
	ENTRY_CALL(EVENT_TARGET_BEGIN, "GOMP_target"),
	ENTRY_RETURN(EVENT_TARGET_END, "GOMP_target_ext"),
	ENTRY_RETURN(EVENT_TARGET_END, "GOMP_target"),
	ENTRY_WAIT(BARRIER, "GOMP_barrier"),
	ENTRY_WAIT(BARRIER, "GOMP_barrier_cancel"),
	ENTRY_WAIT(IMPLICIT_BARRIER, "GOMP_loop_end"),
	ENTRY_WAIT(IMPLICIT_BARRIER, "GOMP_loop_end_cancel"),
	ENTRY_WAIT(IMPLICIT_BARRIER, "GOMP_sections_end"),
	ENTRY_WAIT(IMPLICIT_BARRIER, "GOMP_sections_end_cancel"),
	ENTRY_WAIT(TASKWAIT, "GOMP_taskwait"),
	ENTRY_WAIT(TASKWAIT, "GOMP_taskwait_depend"),
	ENTRY_ACQUIRE(ORDERED, "GOMP_ordered_start", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ORDERED, "GOMP_ordered_end"),
	ENTRY_ACQUIRE(ORDERED, "GOMP_doacross_wait", EVENT_ANY_RESULT),
	ENTRY_ACQUIRE(ORDERED, "GOMP_doacross_ull_wait", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ORDERED, "GOMP_doacross_post"),
	ENTRY_RELEASE(ORDERED, "GOMP_doacross_ull_post"),
	ENTRY_ACQUIRE(CRITICAL, "GOMP_critical_start", EVENT_ANY_RESULT),
	ENTRY_ACQUIRE(CRITICAL, "GOMP_critical_name_start", EVENT_ANY_RESULT),
	ENTRY_RELEASE(CRITICAL, "GOMP_critical_end"),
	ENTRY_RELEASE(CRITICAL, "GOMP_critical_name_end"),
	ENTRY_ACQUIRE(ATOMIC, "GOMP_atomic_start", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ATOMIC, "GOMP_atomic_end"),
	ENTRY_LOCKS(""),
	ENTRY_LOCKS("_"),
	ENTRY_CALL(EVENT_SINGLE_ENTER, "GOMP_single_start"),
	ENTRY_CALL(EVENT_SINGLE_ENTER, "GOMP_single_copy_start"),
	ENTRY_RESULT(EVENT_SINGLE_BEGIN, "GOMP_single_start", EVENT_RESULT_BOOL),
	ENTRY_RESULT(EVENT_SINGLE_BEGIN, "GOMP_single_copy_start", EVENT_RESULT_NULL),
	ENTRY_CALL(EVENT_TASK_CREATE, "GOMP_task"),
	ENTRY_CALL(EVENT_TASK_CREATE, "GOMP_taskloop"),
	ENTRY_CALL(EVENT_TASK_CREATE, "GOMP_taskloop_ull"),
	{.symbol = NULL},
};

#define BEHIND_DIRECTIVE                                                                                               \
	"gcc calls GOMP_barrier() for the implicit barriers behind single and behind loops with a static schedule, "   \
	"too, "                                                                                                        \
	"and nothing tells those apart: they count here"
#define NOT_IMPLICIT                                                                                                   \
	"those behind single and behind loops with a static schedule are calls of GOMP_barrier() like a directive's "  \
	"(barrier_enter, barrier_exit), and the one at the end of a parallel region is within the runtime"
#define NO_CALL "an atomic construct that gcc makes an instruction of calls nothing"

#define UNSEEN(all_entered)                                                                                            \
	{EVENT_BARRIER_ENTER, BEHIND_DIRECTIVE}, {EVENT_BARRIER_EXIT, BEHIND_DIRECTIVE},                               \
		{EVENT_BARRIER_ALL_ENTERED, all_entered}, {EVENT_IMPLICIT_BARRIER_ENTER, NOT_IMPLICIT},                \
		{EVENT_IMPLICIT_BARRIER_EXIT, NOT_IMPLICIT}, {EVENT_ATOMIC_ACQUIRE, NO_CALL},                          \
		{EVENT_ATOMIC_ACQUIRED, NO_CALL}, {EVENT_ATOMIC_RELEASE, NO_CALL},                                     \
	{                                                                                                              \
		.why = NULL                                                                                            \
	}

const struct profile_unseen gomp_unseen[] = {
	UNSEEN("which thread comes last is found within the runtime, at no public function"),
};
const struct profile_unseen omprt_unseen[] = {
	UNSEEN("at the end of a parallel region, and of threads that are let go with a cancelled one, it is not said"),
};
