/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks of stock libgomp: only nestable locks record their holder; in backend_gomp. */
#include "callbacks.h"
#include "gomp/gomp.h"
#include "ompd-more.h"

/* The nestable lock of <omp.h>: the lock, its nesting count and its holder. */
struct nest_lock {
	int32_t lock; /* 0: free; 1: held; -1: held, a thread sleeps */
	int32_t count;
	ompd_addr_t owner; /* address of the ICVs in the task's record */
};

ompd_rc_t gomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	struct mutex_owner owner = {.state = ompd_mutex_free};
	struct nest_lock nest;
	struct gomp_task task;

	if (kind != ompt_mutex_nest_lock)
		return ompd_rc_unsupported;
	RC_TRY(cb_read(process->context, lock, sizeof(nest), &nest));
	if (nest.lock != 0) {
		/* libgomp sets the lock word before the owner: in between, the holder is unknown. */
		if ((nest.lock != 1 && nest.lock != -1) || nest.count < 1 || !offset_known(l->task_nthreads) ||
		    nest.owner <= l->task_nthreads)
			return ompd_rc_unavailable;
		owner.task.task = nest.owner - l->task_nthreads;
		if (gomp_task_read(process, owner.task.task, &task) != ompd_rc_ok)
			return ompd_rc_unavailable;
		owner.has_task = true;
		owner.state = ompd_mutex_held;
	}
	*ret = owner;
	return ompd_rc_ok;
}
