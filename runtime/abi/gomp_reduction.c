/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions in which tasks participate. */
#include "abi/abi.h"

#include "core/state/task.h"
#include "core/state/team.h"
#include "core/task/reduction.h"
#include "core/team/barrier.h"
#include "core/team/region.h"
#include "core/team/registration.h"
#include "core/team/team_size.h"
#include "omp-tools.h"

ABI void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
	reduction_register(thread_self(), data);
}

ABI void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
	reduction_free(data);
}

ABI void GOMP_task_reduction_remap(size_t n, size_t n_original, void **pointers)
{
	reduction_remap(thread_self(), n, n_original, pointers);
}

ABI unsigned GOMP_parallel_reductions(gomp_fn fn, void *data, unsigned num_threads, unsigned flags)
{
	struct thread *t = thread_self();
	uint32_t n = team_choose_size(t, num_threads, 0);
	/* The data starts with the address of the array. */
	struct reduction reduction = {.data = *(uint64_t **)data};

	reduction_alloc(reduction.data, n);
	team_begin(t, fn, data, n, flags, SITE_HERE(), NULL, &reduction);
	fn(data);
	team_end(t);
	return n;
}

/* The primary thread has combined the threads' copies before this call. All threads wait here until then. */
ABI void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	struct thread *t = thread_self();

	task_enter_runtime(t->task, SITE_HERE());
	if (!cancelled && t->member->reduction)
		barrier_wait(t, ompt_state_wait_barrier_implicit_workshare, NULL);
	reduction_workshare_end(t, cancelled);
	task_leave_runtime(t->task);
}
