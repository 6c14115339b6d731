/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for tasks (5.2, 20.5.7). */
#include "callbacks.h"
#include "handles.h"

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle, ompd_task_handle_t **task_handle)
{
	struct task_ref task;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!task_handle)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	RC_TRY(process->backend->thread_task(process, &thread_handle->ref, &task));
	return handle_create_task(process, &task, task_handle);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle, ompd_task_handle_t **generating_task_handle)
{
	struct task_ref task;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!generating_task_handle)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	RC_TRY(process->backend->task_generating(process, &task_handle->ref, &task));
	return handle_create_task(process, &task, generating_task_handle);
}

ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle, ompd_task_handle_t **scheduling_task_handle)
{
	struct task_ref task;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!scheduling_task_handle)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	RC_TRY(process->backend->task_scheduling(process, &task_handle->ref, &task));
	return handle_create_task(process, &task, scheduling_task_handle);
}

ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				    ompd_task_handle_t **task_handle)
{
	struct task_ref task;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (thread_num < 0 || !task_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_task(process, &parallel_handle->ref, (uint32_t)thread_num, &task));
	return handle_create_task(process, &task, task_handle);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
	REQUIRE_CALLBACKS();
	return handle_release(task_handle, HANDLE_TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1, ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle_1, HANDLE_TASK);
	REQUIRE_HANDLE(task_handle_2, HANDLE_TASK);
	if (!cmp_value || task_handle_1->base.process->context != task_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_tasks(&task_handle_1->ref, &task_handle_2->ref);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	ompd_addr_t function;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!entry_point)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	RC_TRY(process->backend->task_function(process, &task_handle->ref, &function));
	entry_point->segment = ompd_segment_none;
	entry_point->address = function;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!exit_frame || !enter_frame)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	return process->backend->task_frame(process, &task_handle->ref, exit_frame, enter_frame);
}
