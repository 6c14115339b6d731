/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that clang compiles OpenMP to (kmp.h and clang's CGOpenMPRuntime of LLVM 9 to 19): events and locks. */
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

/* Target regions: libomptarget's functions of LLVM 14 to 22. clang calls __tgt_target_kernel() since 15. */
#define TARGET(symbol)                                                                                                 \
	ENTRY_DEVICE(EVENT_TARGET_BEGIN, symbol, EVENT_AT_CALL, EVENT_CALLER_NOT_RUNTIME),                             \
		ENTRY_DEVICE(EVENT_TARGET_END, symbol, EVENT_AT_RETURN, EVENT_CALLER_NOT_RUNTIME)
#define TARGETS(symbol)                                                                                                \
	TARGET(symbol), TARGET(symbol "_mapper"), TARGET(symbol "_nowait"), TARGET(symbol "_nowait_mapper")
#define DATA(symbol)                                                                                                   \
	ENTRY_DATA(symbol), ENTRY_DATA(symbol "_mapper"), ENTRY_DATA(symbol "_nowait"),                                \
		ENTRY_DATA(symbol "_nowait_mapper")

const struct descriptor_event kmpc_entries[] = {
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
	TARGETS("__tgt_target_kernel"),
	TARGETS("__tgt_target"),
	TARGETS("__tgt_target_teams"),
	DATA("__tgt_target_data_begin"),
	DATA("__tgt_target_data_end"),
	DATA("__tgt_target_data_update"),
	ENTRY_COPIES,
	ENTRY_SUBMIT("__tgt_rtl_run_target_region"),
	ENTRY_SUBMIT("__tgt_rtl_run_target_region_async"),
	ENTRY_SUBMIT("__tgt_rtl_run_target_team_region"),
	ENTRY_SUBMIT("__tgt_rtl_run_target_team_region_async"),
	ENTRY_SUBMIT("__tgt_rtl_launch_kernel"),
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

#define AT_REGION_END "the barrier at the end of a parallel region has no public function"
#define NO_DEVICE_CODE                                                                                                 \
	"clang calls the code of a target region directly if the program was compiled without -fopenmp-targets"
#define NO_PLUGIN                                                                                                      \
	"the functions of the devices' plugins show it: libomptarget loads plugins at the program's start, and since " \
	"LLVM 19 it contains them without names"
#define NO_CALL                                                                                                        \
	"an atomic construct that becomes an instruction has no call, and functions for one operation "                \
	"(__kmpc_atomic_fixed4_add(), …) are not observed"

const struct descriptor_unseen kmpc_unseen[] = {
	{EVENT_BARRIER_ALL_ENTERED, "the runtime finds the last thread in an internal function"},
	{EVENT_IMPLICIT_BARRIER_ENTER, AT_REGION_END},
	{EVENT_IMPLICIT_BARRIER_EXIT, AT_REGION_END},
	{EVENT_TARGET_BEGIN, NO_DEVICE_CODE},
	{EVENT_TARGET_END, NO_DEVICE_CODE},
	{EVENT_TARGET_DATA, NO_DEVICE_CODE},
	{EVENT_TARGET_DATA_END, NO_DEVICE_CODE},
	{EVENT_TARGET_SUBMIT, NO_PLUGIN},
	{EVENT_ATOMIC_ACQUIRE, NO_CALL},
	{EVENT_ATOMIC_ACQUIRED, NO_CALL},
	{EVENT_ATOMIC_RELEASE, NO_CALL},
	{.why = NULL},
};

/* kmp.h: the first two arguments are a place in the source and the thread. */
const struct descriptor_lock_call kmpc_lock_calls[] = {
	{"__kmpc_critical", CONSTRUCT_CRITICAL, true, 2},
	{"__kmpc_critical_with_hint", CONSTRUCT_CRITICAL, true, 2},
	{"__kmpc_end_critical", CONSTRUCT_CRITICAL, false, 2},
	{"__kmpc_atomic_start", CONSTRUCT_ATOMIC, true, -1},
	{"__kmpc_atomic_end", CONSTRUCT_ATOMIC, false, -1},
	{"__kmpc_set_lock", CONSTRUCT_LOCK, true, 2},
	{"__kmpc_unset_lock", CONSTRUCT_LOCK, false, 2},
	{"__kmpc_init_lock", CONSTRUCT_LOCK, false, 2},
	{"__kmpc_init_lock_with_hint", CONSTRUCT_LOCK, false, 2},
	{"__kmpc_destroy_lock", CONSTRUCT_LOCK, false, 2},
	{.symbol = NULL},
};
