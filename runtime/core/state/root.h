/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The object from which every thread, team and task can be reached without thread-local storage. A debugger starts
 * here (layout/layout.def). Also the library's constructor.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_ROOT_H
#define OMPDD_RUNTIME_CORE_STATE_ROOT_H

#include <stdint.h>

#include "core/state/icv.h"

struct thread;

/* How often a thread has started a region of one function at one level (team/region_count.h). */
struct region_count {
	uint64_t fn; /* 0: a free entry; stored last */
	uint64_t n;
	uint32_t level;
};

/* Entries are found by their hash and linear search. At most three quarters are in use. */
struct region_counts {
	struct region_counts *next;    /* all tables */
	struct region_counts *smaller; /* the thread's former tables, which were full */
	uint32_t capacity;	       /* a power of two */
	uint32_t n_used;
	uint32_t is_owned; /* for the largest table of a thread: the thread has not ended; atomic */
	struct region_count entries[];
};

/* Belongs to no region: the first value of thread.counted. */
extern struct region_count region_count_none;

struct root {
	struct thread *threads; /* all known threads: initial, foreign and pool threads; by thread.next */
	uint32_t n_threads;
	uint64_t n_ever; /* number of threads since the start */
	const struct place_list *places;
	struct region_counts *region_counts; /* of all threads since the start (core/team/region_count.h) */
	uint64_t *tool_data;		     /* the tool's own word (tools/ompt.h); NULL: there is no tool */
};

extern struct root runtime_root;

#endif
