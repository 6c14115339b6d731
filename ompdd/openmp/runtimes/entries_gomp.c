/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that gcc compiles OpenMP to (libgomp.map, omp-low and omp-expand of gcc 4.9 to 15): events and locks. */
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

const struct descriptor_event gomp_entries[] = {
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
	ENTRY_DATA("GOMP_target_data"),
	ENTRY_DATA("GOMP_target_data_ext"),
	ENTRY_DATA("GOMP_target_end_data"),
	ENTRY_DATA("GOMP_target_enter_exit_data"),
	ENTRY_DATA("GOMP_target_update"),
	ENTRY_DATA("GOMP_target_update_ext"),
	ENTRY_COPIES,
	ENTRY_SUBMIT("GOMP_OFFLOAD_run"),
	ENTRY_SUBMIT("GOMP_OFFLOAD_async_run"),
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
	"gcc also calls GOMP_barrier() for the implicit barriers after single and after loops with a static "          \
	"schedule: they "                                                                                              \
	"count here, because they cannot be distinguished"
#define NOT_IMPLICIT                                                                                                   \
	"gcc calls GOMP_barrier() for the barriers after single and after loops with a static schedule: they count "   \
	"as "                                                                                                          \
	"barrier_enter and barrier_exit. The barrier at the end of a parallel region has no public function"
#define NO_CALL "an atomic construct that gcc compiles to an instruction has no call"

#define NO_PLUGIN                                                                                                      \
	"the functions of the devices' plugins show it, and libgomp loads plugins at the first target construct"

#define UNSEEN(all_entered)                                                                                            \
	{EVENT_BARRIER_ENTER, BEHIND_DIRECTIVE}, {EVENT_BARRIER_EXIT, BEHIND_DIRECTIVE},                               \
		{EVENT_BARRIER_ALL_ENTERED, all_entered}, {EVENT_IMPLICIT_BARRIER_ENTER, NOT_IMPLICIT},                \
		{EVENT_IMPLICIT_BARRIER_EXIT, NOT_IMPLICIT}, {EVENT_ATOMIC_ACQUIRE, NO_CALL},                          \
		{EVENT_ATOMIC_ACQUIRED, NO_CALL}, {EVENT_ATOMIC_RELEASE, NO_CALL}, {EVENT_TARGET_SUBMIT, NO_PLUGIN},   \
	{                                                                                                              \
		.why = NULL                                                                                            \
	}

const struct descriptor_unseen gomp_unseen[] = {
	UNSEEN("the runtime finds the last thread in an internal function"),
};
const struct descriptor_unseen omprt_unseen[] = {
	UNSEEN("it is not reported at the end of a parallel region, nor for threads that a cancelled region releases"),
};

/* libgomp.map */
const struct descriptor_lock_call gomp_lock_calls[] = {
	{"GOMP_critical_start", CONSTRUCT_CRITICAL, true, -1},
	{"GOMP_critical_end", CONSTRUCT_CRITICAL, false, -1},
	{"GOMP_critical_name_start", CONSTRUCT_CRITICAL, true, 0},
	{"GOMP_critical_name_end", CONSTRUCT_CRITICAL, false, 0},
	{"GOMP_atomic_start", CONSTRUCT_ATOMIC, true, -1},
	{"GOMP_atomic_end", CONSTRUCT_ATOMIC, false, -1},
	{.symbol = NULL},
};
