/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for tasks (5.2, 20.5.7; ompd-more.h). */
#include "handles.h"
#include "ompd-more.h"

/* Limit on max_handles. */
#define MAX_HANDLES (1 << 20)

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle, ompd_task_handle_t **task_handle)
{
	struct task_ref task;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!task_handle)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	RC_TRY(process->backend->thread_task(process, &thread_handle->ref, &task));
	return handle_create_task(process, &task, task_handle);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle, ompd_task_handle_t **generating_task_handle)
{
	struct task_ref task;

	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!generating_task_handle)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	RC_TRY(process->backend->task_generating(process, &task_handle->ref, &task));
	return handle_create_task(process, &task, generating_task_handle);
}

ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle, ompd_task_handle_t **scheduling_task_handle)
{
	struct task_ref task;

	RC_TRY(handle_require(task_handle, HANDLE_TASK));
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

	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (thread_num < 0 || !task_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_task(process, &parallel_handle->ref, (uint32_t)thread_num, &task));
	return handle_create_task(process, &task, task_handle);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
	return handle_release(task_handle, HANDLE_TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1, ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	RC_TRY(handle_require(task_handle_1, HANDLE_TASK));
	RC_TRY(handle_require(task_handle_2, HANDLE_TASK));
	if (!cmp_value || task_handle_1->base.process->context != task_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_tasks(&task_handle_1->ref, &task_handle_2->ref);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	ompd_addr_t function;

	RC_TRY(handle_require(task_handle, HANDLE_TASK));
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
	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!exit_frame || !enter_frame)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	return process->backend->task_frame(process, &task_handle->ref, exit_frame, enter_frame);
}

/* Create all handles, or none. */
static ompd_rc_t create_handles(struct process *process, const struct task_ref *refs, size_t n,
				ompd_task_handle_t ***ret)
{
	void *memory;

	if (!n) {
		*ret = NULL;
		return ompd_rc_ok;
	}
	RC_TRY(cb_alloc(n * sizeof(**ret), &memory));
	ompd_task_handle_t **handles = memory;
	for (size_t i = 0; i < n; i++) {
		ompd_rc_t rc = handle_create_task(process, &refs[i], &handles[i]);

		if (rc != ompd_rc_ok) {
			handle_release_list(handles, i);
			return rc;
		}
	}
	*ret = handles;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_queued_tasks(ompd_parallel_handle_t *parallel_handle, ompd_word_t max_handles,
				ompd_task_handle_t ***task_handles, ompd_word_t *num_handles, ompd_word_t *num_queued)
{
	struct queued_tasks queued = {.max = (size_t)max_handles};

	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (max_handles < 0 || max_handles > MAX_HANDLES || !task_handles || !num_handles || !num_queued)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	if (!process->backend->region_queued)
		return ompd_rc_unsupported;
	ompd_rc_t rc = process->backend->region_queued(process, &parallel_handle->ref, &queued);
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
		ompd_rc_t created = create_handles(process, queued.tasks, queued.n, task_handles);

		if (created != ompd_rc_ok)
			rc = created;
	}
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
		*num_handles = (ompd_word_t)queued.n;
		*num_queued = (ompd_word_t)queued.total;
	}
	cb_free(queued.tasks);
	return rc;
}

ompd_rc_t ompd_get_task_predecessors(ompd_task_handle_t *task_handle, ompd_word_t *num_predecessors)
{
	uint32_t n;

	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!num_predecessors)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	if (!process->backend->task_predecessors)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->task_predecessors(process, &task_handle->ref, &n));
	*num_predecessors = n;
	return ompd_rc_ok;
}

ompd_rc_t ompd_is_target_task(ompd_task_handle_t *task_handle, ompd_word_t *is_target)
{
	bool is_one;

	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!is_target)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	if (!process->backend->task_is_target)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->task_is_target(process, &task_handle->ref, &is_one));
	*is_target = is_one;
	return ompd_rc_ok;
}
