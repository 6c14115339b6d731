/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the entry points of OpenMP runtimes are for, by their names: those that compiled programs call (GOMP_barrier,
 * __kmpc_barrier), and the library routines that wait. Used by openmp/stacks/stacks and what follows from it.
 */
#ifndef OMPDD_OPENMP_CONSTRUCTS_H
#define OMPDD_OPENMP_CONSTRUCTS_H

#include <stdbool.h>

enum construct {
	CONSTRUCT_UNKNOWN,
	CONSTRUCT_PARALLEL,
	CONSTRUCT_TEAMS,
	CONSTRUCT_BARRIER,
	CONSTRUCT_CRITICAL,
	CONSTRUCT_ATOMIC,
	CONSTRUCT_LOCK,
	CONSTRUCT_ORDERED,
	CONSTRUCT_SINGLE,
	CONSTRUCT_SECTIONS,
	CONSTRUCT_LOOP,
	CONSTRUCT_SCOPE,
	CONSTRUCT_TASK,
	CONSTRUCT_TASKLOOP,
	CONSTRUCT_TASKWAIT,
	CONSTRUCT_TASKGROUP,
	CONSTRUCT_TASKYIELD,
	CONSTRUCT_REDUCTION,
	CONSTRUCT_TARGET,
	CONSTRUCT_API, /* another omp_* routine */
	N_CONSTRUCTS
};

/* Of an entry point called @name. NULL and other names are CONSTRUCT_UNKNOWN. */
enum construct construct_of(const char *name);
/* "barrier"; NULL for CONSTRUCT_UNKNOWN. A literal. */
const char *construct_name(enum construct construct);
/* Whether the routine called @name is for nestable locks. */
bool construct_is_of_nestable_lock(const char *name);
/* Of an ordered construct with dependences (a doacross loop). */
bool construct_is_of_doacross(const char *name);
/* Whether the name is one that an OpenMP runtime exports or uses inside: in static programs nothing else tells. */
bool construct_is_runtime_name(const char *name);

#endif
