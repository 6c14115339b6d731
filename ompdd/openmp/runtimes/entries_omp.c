/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP's own routines, which every runtime exports, as entry points. */
#include "openmp/runtimes/entries.h"

#include "openmp/runtimes/descriptor.h"

const struct descriptor_construct omp_constructs[] = {
	{"omp_", CONSTRUCT_API},
	{"omp_target_", CONSTRUCT_TARGET},
	{"omp_set_lock", CONSTRUCT_LOCK},
	{"omp_set_nest_lock", CONSTRUCT_LOCK},
	{"omp_unset_lock", CONSTRUCT_LOCK},
	{"omp_unset_nest_lock", CONSTRUCT_LOCK},
	{"omp_test_lock", CONSTRUCT_LOCK},
	{"omp_test_nest_lock", CONSTRUCT_LOCK},
	{NULL, CONSTRUCT_UNKNOWN},
};

/* OpenMP's own routines. Fortran appends _ to the names. */
#define LOCKS(suffix)                                                                                                  \
	{"omp_set_lock" suffix, CONSTRUCT_LOCK, true, 0}, {"omp_unset_lock" suffix, CONSTRUCT_LOCK, false, 0},         \
		{"omp_init_lock" suffix, CONSTRUCT_LOCK, false, 0},                                                    \
		{"omp_init_lock_with_hint" suffix, CONSTRUCT_LOCK, false, 0},                                          \
	{                                                                                                              \
		"omp_destroy_lock" suffix, CONSTRUCT_LOCK, false, 0                                                    \
	}
const struct descriptor_lock_call omp_lock_calls[] = {LOCKS(""), LOCKS("_"), {.symbol = NULL}};
