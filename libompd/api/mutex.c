/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The holder of a lock (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

ompd_rc_t ompd_get_mutex_owner(ompd_address_space_handle_t *handle, ompd_wait_id_t wait_id, ompd_word_t kind,
			       ompd_word_t *state, ompd_thread_handle_t **thread_handle,
			       ompd_task_handle_t **task_handle)
{
	struct mutex_owner owner = {0};
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(handle, HANDLE_ADDRESS_SPACE);
	if (!wait_id || !state || !thread_handle || !task_handle)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	if (!process->backend->mutex_owner)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->mutex_owner(process, wait_id, kind, &owner));
	if (owner.has_thread)
		RC_TRY(handle_create_thread(process, &owner.thread, &thread));
	if (owner.has_task) {
		ompd_rc_t rc = handle_create_task(process, &owner.task, &task);

		if (rc != ompd_rc_ok) {
			if (thread)
				handle_release(thread, HANDLE_THREAD);
			return rc;
		}
	}
	*state = owner.state;
	*thread_handle = thread;
	*task_handle = task;
	return ompd_rc_ok;
}
