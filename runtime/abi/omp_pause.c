/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resource relinquishing routines (OpenMP 5.2, 18.6). */
#include "abi/omp_abi.h"
#include "core/pool.h"
#include "core/target.h"

/*
 * Ends the threads that wait for the caller's next region. Both kinds are alike: threadprivate variables belong to the
 * compiler and stay.
 */
static int pause_host(void)
{
	struct thread *t = thread_get_introduced();

	if (!t->team)
		return 0;
	/* Inside a region, the other threads may be working. */
	if (t->team->level > 0 || t->task->kind != TASK_INITIAL)
		return -1;
	pool_destroy(t->pool);
	t->pool = NULL;
	return 0;
}

ABI int omp_pause_resource(omp_pause_resource_t kind, int device)
{
	(void)kind;
	return target_device_is_there(device) ? pause_host() : -1;
}

ABI int omp_pause_resource_all(omp_pause_resource_t kind)
{
	(void)kind;
	return pause_host();
}

int32_t omp_pause_resource_(const int32_t *kind, const int32_t *device);
int32_t omp_pause_resource_all_(const int32_t *kind);

ABI int32_t omp_pause_resource_(const int32_t *kind, const int32_t *device)
{
	return omp_pause_resource((omp_pause_resource_t)*kind, *device);
}

ABI int32_t omp_pause_resource_all_(const int32_t *kind)
{
	return omp_pause_resource_all((omp_pause_resource_t)*kind);
}
