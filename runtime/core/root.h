/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The one place from which every thread, team and task can be reached without thread-local storage; a debugger begins
 * here (layout/layout.def). Also the library's constructor.
 */
#ifndef OMPDD_RUNTIME_CORE_ROOT_H
#define OMPDD_RUNTIME_CORE_ROOT_H

#include <stdint.h>

struct place_list;
struct region_counts;
struct thread;

struct root {
	struct thread *threads; /* all that the runtime knows: initial, foreign and pool threads; by thread.next */
	uint32_t n_threads;
	uint64_t n_ever; /* threads that there ever were */
	const struct place_list *places;
	struct region_counts *region_counts; /* of all threads there ever were (core/region_count.h) */
	uint64_t *tool_data;		     /* the tool's own word (tools/ompt.h); NULL: there is no tool */
};

extern struct root runtime_root;

/* Put a thread in, take it out; under the root's lock. A reader in another process sees a sound list at any moment. */
void root_add(struct thread *t);
void root_remove(struct thread *t);

/* For fork(): no other thread changes the list; and in the child, there is only @t. */
void root_lock_acquire(void);
void root_lock_release(void);
void root_keep_only(struct thread *t);

#endif
