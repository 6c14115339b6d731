/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The object from which every thread, team and task can be reached without thread-local storage. A debugger starts
 * here (layout/layout.def). Also the library's constructor.
 */
#ifndef OMPDD_RUNTIME_CORE_ROOT_H
#define OMPDD_RUNTIME_CORE_ROOT_H

#include <stdint.h>

struct place_list;
struct region_counts;
struct thread;

struct root {
	struct thread *threads; /* all known threads: initial, foreign and pool threads; by thread.next */
	uint32_t n_threads;
	uint64_t n_ever; /* number of threads since the start */
	const struct place_list *places;
	struct region_counts *region_counts; /* of all threads since the start (core/region_count.h) */
	uint64_t *tool_data;		     /* the tool's own word (tools/ompt.h); NULL: there is no tool */
};

extern struct root runtime_root;

/* Adds or removes a thread, under the root's lock. A reader in another process sees a consistent list at any moment. */
void root_add(struct thread *t);
void root_remove(struct thread *t);

/* For fork(): no other thread changes the list; in the child, only @t remains. */
void root_lock_acquire(void);
void root_lock_release(void);
void root_keep_only(struct thread *t);

#endif
