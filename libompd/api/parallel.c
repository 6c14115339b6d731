/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for parallel regions (5.2, 20.5.6; ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t **parallel_handle)
{
	struct region_ref region;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!parallel_handle)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	RC_TRY(process->backend->thread_region(process, &thread_handle->ref, &region));
	return handle_create_parallel(process, &region, parallel_handle);
}

ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	struct region_ref region;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (!enclosing_parallel_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_enclosing(process, &parallel_handle->ref, &region));
	return handle_create_parallel(process, &region, enclosing_parallel_handle);
}

ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle, ompd_parallel_handle_t **task_parallel_handle)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!task_parallel_handle)
		return ompd_rc_bad_input;
	return handle_create_parallel(task_handle->base.process, &task_handle->ref.region, task_parallel_handle);
}

ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel_handle, ompd_word_t *num_arrived)
{
	uint32_t n;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (!num_arrived)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	if (!process->backend->region_arrived)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->region_arrived(process, &parallel_handle->ref, &n));
	*num_arrived = n;
	return ompd_rc_ok;
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	REQUIRE_CALLBACKS();
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle_1, HANDLE_PARALLEL);
	REQUIRE_HANDLE(parallel_handle_2, HANDLE_PARALLEL);
	if (!cmp_value || parallel_handle_1->base.process->context != parallel_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_regions(&parallel_handle_1->ref, &parallel_handle_2->ref);
	return ompd_rc_ok;
}
