/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps the names of entry points of OpenMP runtimes to constructs: the functions that compiled programs call
 * (GOMP_barrier, __kmpc_barrier), and the library routines that wait. Used by openmp/stacks/stacks and the modules on
 * top of it.
 */
#ifndef OMPDD_OPENMP_CONSTRUCTS_H
#define OMPDD_OPENMP_CONSTRUCTS_H

#include <stdbool.h>
#include <stddef.h>

/* The number that compilers pass for the default device (GOMP_DEVICE_ICV, OFFLOAD_DEVICE_DEFAULT). */
#define CONSTRUCT_DEVICE_DEFAULT (-1)

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

/* Purposes of the entry points of CONSTRUCT_TARGET. */
enum construct_target {
	CONSTRUCT_TARGET_REGION,
	CONSTRUCT_TARGET_DATA,	   /* the start of a target data region */
	CONSTRUCT_TARGET_END_DATA, /* its end */
	CONSTRUCT_TARGET_ENTER_EXIT_DATA,
	CONSTRUCT_TARGET_UPDATE,
	CONSTRUCT_TARGET_COPY, /* omp_target_memcpy() and its relatives */
	CONSTRUCT_TARGET_FILL, /* omp_target_memset() */
	CONSTRUCT_TARGET_INTEROP,
	CONSTRUCT_TARGET_OPERATION, /* another routine */
};

/* Whether the encountering task goes on while a target task executes a construct. */
enum construct_nowait { CONSTRUCT_NOWAIT_UNKNOWN, CONSTRUCT_NOWAIT_NO, CONSTRUCT_NOWAIT_YES };

/* Returns the construct of the entry point @name; CONSTRUCT_UNKNOWN for NULL and other names. */
enum construct construct_of(const char *name);
/* Returns the name of @construct, for example "barrier": a literal. Returns NULL for CONSTRUCT_UNKNOWN. */
const char *construct_name(enum construct construct);
/* Returns whether the routine @name works on nestable locks. */
bool construct_is_of_nestable_lock(const char *name);
/* Returns whether the routine @name waits until it has acquired a lock. */
bool construct_is_of_lock_acquire(const char *name);
/* Returns whether the routine @name ends a construct: threads wait for each other there, or release the construct. */
bool construct_is_of_end(const char *name);
/* Returns whether the routine @name belongs to an ordered construct with dependences (a doacross loop). */
bool construct_is_of_doacross(const char *name);
/*
 * Returns the name of a critical construct if the variable @symbol is its lock, else NULL. *@len_ret: its length in
 * bytes; 0: the construct has no name.
 */
const char *construct_critical_name(const char *symbol, size_t *len_ret);
/*
 * Returns whether an OpenMP runtime exports @name or uses it inside. In a static program only the names identify the
 * runtime's functions.
 */
bool construct_is_runtime_name(const char *name);

/* Calls @add with each prefix of the names of a runtime's own functions, and with "omp_". */
void construct_each_runtime_prefix(void (*add)(void *arg, const char *prefix), void *arg);
/* Calls @add with each prefix of the names of entry points that start parallel regions or leagues. */
void construct_each_region_prefix(void (*add)(void *arg, const char *prefix), void *arg);

/* Returns the purpose of @callee, an entry point of CONSTRUCT_TARGET. */
enum construct_target construct_target_of(const char *callee);
/* Returns the name of @kind in the protocol: "target_update", a literal. */
const char *construct_target_name(enum construct_target kind);
/* Returns what the name of @callee, an entry point of CONSTRUCT_TARGET, shows of its construct. */
enum construct_nowait construct_nowait_of(const char *callee);
/* Returns what a program waits for in @callee, an entry point of CONSTRUCT_TARGET: "the target region", a literal. */
const char *construct_target_noun(const char *callee);
/*
 * Returns the index, from 0, of the argument of @callee that is a device's number, or -1: @callee has none, or it is
 * not in a register. Of a copy it is the destination's device.
 */
int construct_device_argument(const char *callee);
/* Returns the index, from 0, of the argument of @callee that is the function of a target region; -1: it has none. */
int construct_region_argument(const char *callee);
/* Returns whether @callee copies between two devices. The host may be one. */
bool construct_is_of_device_copy(const char *callee);
/* Returns whether @callee takes CONSTRUCT_DEVICE_DEFAULT: the calls for constructs do, OpenMP's routines do not. */
bool construct_has_default_device(const char *callee);

#endif
