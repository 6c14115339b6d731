/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of the control variables: the defaults, and the copies that tasks write. */
#include "core/icv.h"

#include <limits.h>
#include <stdlib.h>

#include "core/task.h"
#include "core/thread.h"
#include "os/memory.h"

/* The values that do not depend on the machine. env_read() fills in the rest. */
struct icv_process icv_process = {
	.initial =
		{
			.nthreads = 1,
			.thread_limit = UINT32_MAX,
			.run_sched = SCHEDULE_DYNAMIC,
			.run_sched_chunk = 1,
			.max_active_levels = 1,
			.def_allocator = ICV_DEFAULT_ALLOCATOR,
		},
	.num_procs = 1,
	.spin_count = ICV_SPIN_DEFAULT,
	.tool = 1,
};

void icv_free_chain(struct icv *icv)
{
	while (icv) {
		struct icv *older = icv->older;

		free(icv);
		icv = older;
	}
}

struct icv *icv_write(void)
{
	struct task *task = thread_self()->task;
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
