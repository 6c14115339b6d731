/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of the control variables: those that a task writes, and those of a region. */
#ifndef OMPDD_RUNTIME_CORE_ICV_ICV_COPY_H
#define OMPDD_RUNTIME_CORE_ICV_ICV_COPY_H

#include "core/state/icv.h"

struct thread;

/* Returns the own copy of @t's current task for writing, which no other task sees. */
struct icv *icv_write(struct thread *t);
/* Frees the copies of a task (task.own_icv) at its end. */
void icv_free_chain(struct icv *icv);

const struct icv *icv_for_region_slow(const struct icv *parent, uint32_t level, uint32_t bind, struct icv *room);

/*
 * Returns the ICVs of the implicit tasks of a new region at @level (1: the outermost): @parent, or *@room. *@room is
 * filled in if a list in the environment (OMP_NUM_THREADS=4,2) has an entry for that level, or the construct has a
 * proc_bind clause (@bind; 0: none). @room lives as long as the region.
 */
static inline const struct icv *icv_for_region(const struct icv *parent, uint32_t level, uint32_t bind,
					       struct icv *room)
{
	if (level >= icv_process.n_nthreads_list && level >= icv_process.n_bind_list && !bind)
		return parent;
	return icv_for_region_slow(parent, level, bind, room);
}

#endif
