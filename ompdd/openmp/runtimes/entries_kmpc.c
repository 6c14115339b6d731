/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps the calls that clang compiles OpenMP to (kmp.h and clang's CGOpenMPRuntime of LLVM 9 to 19) to events. */
#include "openmp/runtimes/entries.h"

#include <stddef.h>

/* The first argument points to an ident_t. Its flags give the purpose of a barrier (KMP_IDENT_BARRIER_*). */
#define FLAGS_AT 4
#define EXPLICIT 0x20
#define IMPLICIT 0x40
#define BARRIER(name, flag, symbol)                                                                                    \
	{EVENT_##name##_ENTER,                                                                                         \
	 symbol,                                                                                                       \
	 EVENT_AT_CALL,                                                                                                \
	 0,                                                                                                            \
	 EVENT_CALLER_NOT_RUNTIME,                                                                                     \
	 false,                                                                                                        \
	 true,                                                                                                         \
	 EVENT_ANY_RESULT,                                                                                             \
	 {FLAGS_AT, EXPLICIT | IMPLICIT, flag}},                                                                       \
	{                                                                                                              \
		EVENT_##name##_EXIT, symbol, EVENT_AT_RETURN, 0, EVENT_CALLER_NOT_RUNTIME, false, true,                \
			EVENT_ANY_RESULT,                                                                              \
		{                                                                                                      \
			FLAGS_AT, EXPLICIT | IMPLICIT, flag                                                            \
		}                                                                                                      \
	}
#define BARRIERS(symbol) BARRIER(BARRIER, EXPLICIT, symbol), BARRIER(IMPLICIT_BARRIER, IMPLICIT, symbol)
/*
 * The task may wait, and another thread may execute it. The call and return of its function, the sixth argument, show
 * when.
 */
#define TASK_FUNCTION 5

const struct profile_event kmpc_entries[] = {
	ENTRY_CALL(EVENT_PARALLEL_BEGIN, "__kmpc_fork_call"),
	ENTRY_CALL(EVENT_PARALLEL_BEGIN, "__kmpc_fork_call_if"),
	ENTRY_CALL(EVENT_PARALLEL_BEGIN, "__kmpc_serialized_parallel"),
	ENTRY_RETURN(EVENT_PARALLEL_END, "__kmpc_fork_call"),
	ENTRY_RETURN(EVENT_PARALLEL_END, "__kmpc_fork_call_if"),
	ENTRY_RETURN(EVENT_PARALLEL_END, "__kmpc_end_serialized_parallel"),
	{EVENT_TASK_BEGIN,
	 "__kmpc_omp_task_alloc",
	 EVENT_AT_ARGUMENT_CALL,
	 TASK_FUNCTION,
	 EVENT_CALLER_NOT_RUNTIME,
	 false,
	 true,
	 EVENT_ANY_RESULT,
	 {0}},
	{EVENT_TASK_END,
	 "__kmpc_omp_task_alloc",
	 EVENT_AT_ARGUMENT_RETURN,
	 TASK_FUNCTION,
	 EVENT_CALLER_NOT_RUNTIME,
	 false,
	 true,
	 EVENT_ANY_RESULT,
	 {0}},
	ENTRY_CALL(EVENT_TEAMS_BEGIN, "__kmpc_fork_teams"),
	ENTRY_RETURN(EVENT_TEAMS_END, "__kmpc_fork_teams"),
	BARRIERS("__kmpc_barrier"),
	BARRIERS("__kmpc_cancel_barrier"),
	ENTRY_WAIT(TASKWAIT, "__kmpc_omp_taskwait"),
	ENTRY_WAIT(TASKWAIT, "__kmpc_omp_taskwait_deps_51"),
	ENTRY_WAIT(TASKWAIT, "__kmpc_omp_wait_deps"),
	ENTRY_ACQUIRE(ORDERED, "__kmpc_ordered", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ORDERED, "__kmpc_end_ordered"),
	ENTRY_ACQUIRE(ORDERED, "__kmpc_doacross_wait", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ORDERED, "__kmpc_doacross_post"),
	ENTRY_ACQUIRE(CRITICAL, "__kmpc_critical", EVENT_ANY_RESULT),
	ENTRY_ACQUIRE(CRITICAL, "__kmpc_critical_with_hint", EVENT_ANY_RESULT),
	ENTRY_RELEASE(CRITICAL, "__kmpc_end_critical"),
	ENTRY_ACQUIRE(ATOMIC, "__kmpc_atomic_start", EVENT_ANY_RESULT),
	ENTRY_RELEASE(ATOMIC, "__kmpc_atomic_end"),
	ENTRY_LOCKS(""),
	ENTRY_LOCKS("_"),
	ENTRY_CALL(EVENT_SINGLE_ENTER, "__kmpc_single"),
	ENTRY_RESULT(EVENT_SINGLE_BEGIN, "__kmpc_single", EVENT_RESULT_INT),
	ENTRY_CALL(EVENT_TASK_CREATE, "__kmpc_omp_task_alloc"),
	{.symbol = NULL},
};

#define AT_REGION_END "the barrier at the end of a parallel region is within the runtime"
#define NO_CALL                                                                                                        \
	"an atomic construct that the compiler makes an instruction of calls nothing, and the functions of one "       \
	"operation "                                                                                                   \
	"each (__kmpc_atomic_fixed4_add(), …) are not looked at"

const struct profile_unseen kmpc_unseen[] = {
	{EVENT_BARRIER_ALL_ENTERED, "which thread comes last is found within the runtime, at no public function"},
	{EVENT_IMPLICIT_BARRIER_ENTER, AT_REGION_END},
	{EVENT_IMPLICIT_BARRIER_EXIT, AT_REGION_END},
	{EVENT_ATOMIC_ACQUIRE, NO_CALL},
	{EVENT_ATOMIC_ACQUIRED, NO_CALL},
	{EVENT_ATOMIC_RELEASE, NO_CALL},
	{.why = NULL},
};
