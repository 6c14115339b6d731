/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for parallel regions (5.2, 20.5.6; ompd-more.h). */
#include "handles.h"
#include "ompd-more.h"

ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t **parallel_handle)
{
	struct region_ref region;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
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

	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (!enclosing_parallel_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_enclosing(process, &parallel_handle->ref, &region));
	return handle_create_parallel(process, &region, enclosing_parallel_handle);
}

ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle, ompd_parallel_handle_t **task_parallel_handle)
{
	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!task_parallel_handle)
		return ompd_rc_bad_input;
	return handle_create_parallel(task_handle->base.process, &task_handle->ref.region, task_parallel_handle);
}

ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel_handle, ompd_word_t *num_arrived)
{
	uint32_t n;

	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
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
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	RC_TRY(handle_require(parallel_handle_1, HANDLE_PARALLEL));
	RC_TRY(handle_require(parallel_handle_2, HANDLE_PARALLEL));
	if (!cmp_value || parallel_handle_1->base.process->context != parallel_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_regions(&parallel_handle_1->ref, &parallel_handle_2->ref);
	return ompd_rc_ok;
}

static ompd_rc_t copy_rows(const struct region_calls *calls, ompd_region_calls_t **ret)
{
	void *memory = NULL;

	if (calls->n)
		RC_TRY(cb_alloc(calls->n * sizeof(**ret), &memory));
	ompd_region_calls_t *rows = memory;
	for (size_t i = 0; i < calls->n; i++)
		rows[i] = (ompd_region_calls_t){
			.function = calls->rows[i].function,
			.level = (ompd_word_t)calls->rows[i].level,
			.calls = calls->rows[i].calls,
		};
	*ret = rows;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_region_calls(ompd_address_space_handle_t *handle, ompd_region_calls_t **regions,
				ompd_word_t *num_regions)
{
	struct region_calls calls = {0};

	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!regions || !num_regions)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	if (!process->backend->region_calls)
		return ompd_rc_unsupported;
	ompd_rc_t rc = process->backend->region_calls(process, &calls);
	if (rc == ompd_rc_ok)
		rc = copy_rows(&calls, regions);
	if (rc == ompd_rc_ok)
		*num_regions = (ompd_word_t)calls.n;
	cb_free(calls.rows);
	return rc;
}
