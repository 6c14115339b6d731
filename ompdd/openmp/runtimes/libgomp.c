/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * GNU's libgomp. It has no OMPD library: our own library reads it from outside, and stacks and the kernel supply the
 * rest. It sleeps directly in futex(2), and the expected value identifies the word (config/linux of gcc 4.4 to 15). -1
 * is a mutex that has waiters. The sign bit is a semaphore without credit. A generation (a multiple of 8, plus flags)
 * is a barrier.
 */
#include <stddef.h>

#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/entries.h"

#define MUTEX_WAITERS	0xffffffffu
#define SEMAPHORE_WAITS 0x80000000u

static const char *const file_names[] = {"libgomp", NULL};

/* Events */

#define REGION(symbol) {symbol, 0, false},
#define START(symbol)  {symbol, 0, true},

static const struct descriptor_region regions[] = {GOMP_WHOLE_REGIONS(REGION)
							   GOMP_REGION_STARTS(START){NULL, 0, false}};

static const struct descriptor_event *const events[] = {gomp_entries, NULL};

/* Constructs */

/* libgomp.map */
static const struct descriptor_construct constructs[] = {
	{"GOMP_parallel", CONSTRUCT_PARALLEL},
	{"GOMP_parallel_end", CONSTRUCT_PARALLEL},
	{"GOMP_teams", CONSTRUCT_TEAMS},
	{"GOMP_barrier", CONSTRUCT_BARRIER},
	{"GOMP_critical_", CONSTRUCT_CRITICAL},
	{"GOMP_atomic_", CONSTRUCT_ATOMIC},
	{"GOMP_ordered_", CONSTRUCT_ORDERED},
	{"GOMP_doacross_", CONSTRUCT_ORDERED},
	{"GOMP_single_", CONSTRUCT_SINGLE},
	{"GOMP_sections", CONSTRUCT_SECTIONS},
	{"GOMP_loop_", CONSTRUCT_LOOP},
	{"GOMP_scope_", CONSTRUCT_SCOPE},
	{"GOMP_task", CONSTRUCT_TASK},
	{"GOMP_taskloop", CONSTRUCT_TASKLOOP},
	{"GOMP_taskwait", CONSTRUCT_TASKWAIT},
	{"GOMP_taskgroup_", CONSTRUCT_TASKGROUP},
	{"GOMP_taskgroup_reduction_", CONSTRUCT_REDUCTION},
	{"GOMP_taskyield", CONSTRUCT_TASKYIELD},
	{"GOMP_workshare_task_reduction_", CONSTRUCT_REDUCTION},
	{"GOMP_target", CONSTRUCT_TARGET},
	{"GOMP_interop", CONSTRUCT_TARGET},
	{NULL, CONSTRUCT_UNKNOWN},
};

static const char *const own_prefixes[] = {"GOMP_", "gomp_", "GOACC_", "goacc_", NULL};

/* States */

static enum descriptor_word classify_word(uint32_t expected)
{
	if (expected == MUTEX_WAITERS)
		return WORD_MUTEX;
	return expected & SEMAPHORE_WAITS ? WORD_SEMAPHORE : WORD_BARRIER;
}

static const struct descriptor_construct locks[] = {
	{"GOMP_critical_start", CONSTRUCT_CRITICAL},
	{"GOMP_atomic_start", CONSTRUCT_ATOMIC},
	{NULL, CONSTRUCT_UNKNOWN},
};
static const struct descriptor_lock_call *const lock_calls[] = {gomp_lock_calls, omp_lock_calls, NULL};
static const char *const ordered_waits[] = {"GOMP_doacross_wait", "GOMP_doacross_ull_wait", NULL};
static const char *const code_prefixes[] = {"GOMP_", "gomp_", NULL};

static const struct descriptor_proofs proofs = {
	.word_of = classify_word,
	.critical_lock = ".gomp_critical_user_",
	.locks = locks,
	.lock_calls = lock_calls,
	.ordered_waits = ordered_waits,
	.barrier = "GOMP_barrier",
	.code_prefixes = code_prefixes,
};

/* target.c: gomp_target_fallback() */
static const char *const target_entries[] = {"GOMP_target_ext", "GOMP_target", NULL};

const struct runtime_descriptor descriptor_libgomp = {
	.name = "libgomp",
	.file_names = file_names,
	.symbol = "GOMP_parallel",
	.version_mark = "GCC ", /* our own library's */
	.is_read_by_own = true,
	.events = events,
	.unseen = gomp_unseen,
	.regions = regions,
	.constructs = constructs,
	.own_prefixes = own_prefixes,
	.proofs = &proofs,
	.has_no_frames = true,
	.forgets_region_functions = true,
	.calls_program_only = true,
	.clears_record_in = target_entries,
	.sleeps_if_passive = true,
	.devices = DEVICES_GOMP,
};
