/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the functions that acquire and release locks, and the argument that is the lock. */
#include <stddef.h>

#include "openmp/runtimes/entries.h"

#define LAST                                                                                                           \
	{                                                                                                              \
		NULL, CONSTRUCT_UNKNOWN, false, -1                                                                     \
	}

/* libgomp.map */
const struct profile_lock_call gomp_lock_calls[] = {
	{"GOMP_critical_start", CONSTRUCT_CRITICAL, true, -1},
	{"GOMP_critical_end", CONSTRUCT_CRITICAL, false, -1},
	{"GOMP_critical_name_start", CONSTRUCT_CRITICAL, true, 0},
	{"GOMP_critical_name_end", CONSTRUCT_CRITICAL, false, 0},
	{"GOMP_atomic_start", CONSTRUCT_ATOMIC, true, -1},
	{"GOMP_atomic_end", CONSTRUCT_ATOMIC, false, -1},
	LAST,
};

/* kmp.h: the first two arguments are a place in the source and the thread. */
const struct profile_lock_call kmpc_lock_calls[] = {
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
	LAST,
};

/* OpenMP's own routines. Fortran appends _ to the names. */
#define LOCKS(suffix)                                                                                                  \
	{"omp_set_lock" suffix, CONSTRUCT_LOCK, true, 0}, {"omp_unset_lock" suffix, CONSTRUCT_LOCK, false, 0},         \
		{"omp_init_lock" suffix, CONSTRUCT_LOCK, false, 0},                                                    \
		{"omp_init_lock_with_hint" suffix, CONSTRUCT_LOCK, false, 0},                                          \
	{                                                                                                              \
		"omp_destroy_lock" suffix, CONSTRUCT_LOCK, false, 0                                                    \
	}
const struct profile_lock_call omp_lock_calls[] = {LOCKS(""), LOCKS("_"), LAST};
