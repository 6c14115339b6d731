/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entry points that compiled programs call, and the event of each call or return, for the profiles. One list is for
 * GNU's ABI, which libgomp, our runtime and LLVM's runtime have. The other list is for LLVM's ABI.
 */
#ifndef OMPDD_OPENMP_ENTRIES_H
#define OMPDD_OPENMP_ENTRIES_H

#include "openmp/runtimes/descriptor.h"

/*
 * GNU's ABI: entry points that run a whole region, and older ones that only start it. The first argument of each is the
 * region's function.
 */
#define GOMP_WHOLE_REGIONS(X)                                                                                          \
	X("GOMP_parallel")                                                                                             \
	X("GOMP_parallel_reductions")                                                                                  \
	X("GOMP_parallel_sections")                                                                                    \
	X("GOMP_parallel_loop_static")                                                                                 \
	X("GOMP_parallel_loop_dynamic")                                                                                \
	X("GOMP_parallel_loop_guided")                                                                                 \
	X("GOMP_parallel_loop_runtime")                                                                                \
	X("GOMP_parallel_loop_nonmonotonic_dynamic")                                                                   \
	X("GOMP_parallel_loop_nonmonotonic_guided")                                                                    \
	X("GOMP_parallel_loop_nonmonotonic_runtime")                                                                   \
	X("GOMP_parallel_loop_maybe_nonmonotonic_runtime")
#define GOMP_REGION_STARTS(X)                                                                                          \
	X("GOMP_parallel_start")                                                                                       \
	X("GOMP_parallel_sections_start")                                                                              \
	X("GOMP_parallel_loop_static_start")                                                                           \
	X("GOMP_parallel_loop_dynamic_start")                                                                          \
	X("GOMP_parallel_loop_guided_start")                                                                           \
	X("GOMP_parallel_loop_runtime_start")

/* Calls by the runtime itself do not count: the runtime calls some of its public functions. */
#define ENTRY_CALL(kind, symbol)                                                                                       \
	{                                                                                                              \
		kind, symbol, EVENT_AT_CALL, 0, EVENT_CALLER_NOT_RUNTIME, false, true, EVENT_ANY_RESULT,               \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}
#define ENTRY_RETURN(kind, symbol) ENTRY_RESULT(kind, symbol, EVENT_ANY_RESULT)
#define ENTRY_RESULT(kind, symbol, result)                                                                             \
	{                                                                                                              \
		kind, symbol, EVENT_AT_RETURN, 0, EVENT_CALLER_NOT_RUNTIME, false, true, result,                       \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}
/*
 * A construct with an end of its own. A lock or construct is held from one function's return to another function's
 * call.
 */
#define ENTRY_WAIT(name, symbol) ENTRY_CALL(EVENT_##name##_ENTER, symbol), ENTRY_RETURN(EVENT_##name##_EXIT, symbol)
#define ENTRY_ACQUIRE(name, symbol, result)                                                                            \
	ENTRY_CALL(EVENT_##name##_ACQUIRE, symbol), ENTRY_RESULT(EVENT_##name##_ACQUIRED, symbol, result)
#define ENTRY_RELEASE(name, symbol) ENTRY_CALL(EVENT_##name##_RELEASE, symbol)
/* OpenMP's own routines, with the names for Fortran. */
#define ENTRY_LOCKS(suffix)                                                                                            \
	ENTRY_ACQUIRE(LOCK, "omp_set_lock" suffix, EVENT_ANY_RESULT),                                                  \
		ENTRY_ACQUIRE(LOCK, "omp_set_nest_lock" suffix, EVENT_ANY_RESULT),                                     \
		ENTRY_ACQUIRE(LOCK, "omp_test_lock" suffix, EVENT_RESULT_INT),                                         \
		ENTRY_ACQUIRE(LOCK, "omp_test_nest_lock" suffix, EVENT_RESULT_INT),                                    \
		ENTRY_RELEASE(LOCK, "omp_unset_lock" suffix), ENTRY_RELEASE(LOCK, "omp_unset_nest_lock" suffix)

/* A function of another file of the runtime: of libomptarget, or of a plugin, which only the runtime calls. */
#define ENTRY_DEVICE(kind, symbol, point, caller)                                                                      \
	{                                                                                                              \
		kind, symbol, point, 0, caller, false, false, EVENT_ANY_RESULT,                                        \
		{                                                                                                      \
			0                                                                                              \
		}                                                                                                      \
	}
#define ENTRY_DATA(symbol)                                                                                             \
	ENTRY_DEVICE(EVENT_TARGET_DATA, symbol, EVENT_AT_CALL, EVENT_CALLER_NOT_RUNTIME),                              \
		ENTRY_DEVICE(EVENT_TARGET_DATA_END, symbol, EVENT_AT_RETURN, EVENT_CALLER_NOT_RUNTIME)
/* OpenMP's own routines that copy or fill memory of a device. */
#define ENTRY_COPIES                                                                                                   \
	ENTRY_DATA("omp_target_memcpy"), ENTRY_DATA("omp_target_memcpy_rect"), ENTRY_DATA("omp_target_memcpy_async"),  \
		ENTRY_DATA("omp_target_memcpy_rect_async"), ENTRY_DATA("omp_target_memset"),                           \
		ENTRY_DATA("omp_target_memset_async")
#define ENTRY_SUBMIT(symbol) ENTRY_DEVICE(EVENT_TARGET_SUBMIT, symbol, EVENT_AT_CALL, EVENT_ANY_CALLER)

extern const struct descriptor_event gomp_entries[], kmpc_entries[];
extern const struct descriptor_unseen gomp_unseen[], kmpc_unseen[], omprt_unseen[];
/* The routines of OpenMP itself, by the prefixes of their names. */
extern const struct descriptor_construct omp_constructs[];
/* The routines of each ABI, and of OpenMP itself, that acquire and release locks. */
extern const struct descriptor_lock_call gomp_lock_calls[], kmpc_lock_calls[], omp_lock_calls[];

#endif
