/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The copies of the control variables that tasks write, and those of a region. */
#include "core/icv/icv_copy.h"

#include <limits.h>
#include <stdlib.h>

#include "core/state/task.h"
#include "os/memory.h"

void icv_free_chain(struct icv *icv)
{
	while (icv) {
		struct icv *older = icv->older;

		free(icv);
		icv = older;
	}
}

struct icv *icv_write(struct thread *t)
{
	struct task *task = t->task;
	struct icv *old = task->own_icv;
	bool shared = task_has_children(task); /* its children may read them */

	if (old && task->icv == old && !shared)
		return old;

	struct icv *icv = memory_alloc(sizeof(*icv));
	*icv = *task->icv;
	icv->older = shared ? old : NULL;
	task->own_icv = icv;
	/* A debugger sees one complete set or the other. */
	__atomic_store_n(&task->icv, icv, __ATOMIC_RELEASE);
	if (!shared)
		icv_free_chain(old);
	return icv;
}

const struct icv *icv_for_region_slow(const struct icv *parent, uint32_t level, uint32_t bind, struct icv *room)
{
	uint32_t nthreads = parent->nthreads;

	if (level < icv_process.n_nthreads_list)
		nthreads = icv_process.nthreads_list[level];
	/*
	 * Unbound threads stay unbound. An entry of OMP_PROC_BIND's list overrides a proc_bind clause, which is for
	 * this region only.
	 */
	if (!bind || !parent->bind)
		bind = parent->bind;
	if (level < icv_process.n_bind_list)
		bind = icv_process.bind_list[level];
	if (nthreads == parent->nthreads && bind == parent->bind)
		return parent;
	*room = *parent;
	room->older = NULL;
	room->nthreads = nthreads;
	room->bind = (uint8_t)bind;
	return room;
}
