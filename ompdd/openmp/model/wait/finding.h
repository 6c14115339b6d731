/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for the holders of one wait: the parts of holders_find(), for its files alone. */
#ifndef OMPDD_OPENMP_MODEL_FINDING_H
#define OMPDD_OPENMP_MODEL_FINDING_H

#include "openmp/model/wait/holder.h"

struct arena;
struct snapshot_thread;

struct finding {
	struct model *m; /* or NULL */
	const struct snapshot *s;
	struct arena *arena;
	struct holder_wait *wait;
	struct holder *holders, *candidates; /* in the arena */
	uint32_t cap_holders, cap_listed;
	bool no_memory;
};

/* openmp/model/wait/holder.c */

/* Notes in @h the activity of @thread, a holder. */
void finding_note_activity(struct holder *h, const struct snapshot_thread *thread);
/* Adds a copy of @holder, as a candidate if it is only inferred. */
void finding_add(struct finding *f, const struct holder *holder);
/* Adds thread number @thread of the snapshot, with the task that it executes. @evidence stays the caller's. */
void finding_add_thread(struct finding *f, uint32_t thread, enum holder_source source, const char *evidence);

/* openmp/model/wait/holder_tasks.c */

/* Adds the threads and tasks that the library names for this wait. Returns false if it gives no answer. */
bool finding_awaited(struct finding *f);
/* Adds the tasks of the snapshot that the thread waits for, or may wait for, in taskwait or taskgroup. */
void finding_tasks(struct finding *f);

/* openmp/model/wait/holder_locks.c */

/* Adds the owner that the lock itself names. Returns false if it names none. */
bool finding_owner(struct finding *f);
/*
 * Adds the holder that the code on the stacks proves. Returns false without such a proof. If two threads appear to hold
 * it, one of them does so in a way that the stacks do not show: returns false.
 */
bool finding_by_code(struct finding *f);
/* Adds the owner that a mutex of the C library names. openmp/stacks/stack_mutex has proven the wait for the mutex. */
void finding_mutex_owner(struct finding *f);
/* Adds the thread that Python's GIL names. openmp/python/python_gil has proven the wait for the GIL. */
void finding_gil_holder(struct finding *f);
/* Adds the holder of an object of the C library. openmp/stacks/stack_outside has proven the wait and the holder. */
void finding_outside_holder(struct finding *f);

#endif
