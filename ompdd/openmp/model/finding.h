/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One wait whose holders are being looked for: the parts of holders_find(), for its files alone. */
#ifndef OMPDD_OPENMP_MODEL_FINDING_H
#define OMPDD_OPENMP_MODEL_FINDING_H

#include "openmp/model/holder.h"

struct arena;
struct snapshot_thread;

struct finding {
	struct model *m; /* or NULL */
	const struct snapshot *s;
	struct arena *arena;
	struct holder_wait *wait;
	struct holder *holders, *candidates; /* of the arena */
	uint32_t cap_holders, cap_listed;
	bool no_memory;
};

/* openmp/model/holder.c */

/* Note what @thread does, who holds something. */
void finding_look_at(struct holder *h, const struct snapshot_thread *thread);
/* One more who holds it, a candidate if that is only inferred. @holder is copied. */
void finding_add(struct finding *f, const struct holder *holder);
/* The same of a thread of the snapshot, with the task that it executes. @evidence stays the caller's. */
void finding_add_thread(struct finding *f, uint32_t thread, enum holder_source source, const char *evidence);

/* openmp/model/holder_locks.c */

/* What the lock itself says; false: nothing. */
bool finding_owner(struct finding *f);
/*
 * What the code on the stacks proves; false: nothing. Two who hold the same prove that one of them does it in a way
 * that is not seen.
 */
bool finding_by_code(struct finding *f);
/* What a mutex of the C library says, which was believed before. */
void finding_mutex_owner(struct finding *f);

#endif
