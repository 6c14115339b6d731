/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for threads (5.2, 20.5.5). */
#include "callbacks.h"
#include "handles.h"

ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				      ompd_thread_handle_t **thread_handle)
{
	struct thread_ref thread;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (thread_num < 0 || !thread_handle)
		return ompd_rc_bad_input;
	struct process *process = parallel_handle->base.process;

	RC_TRY(process->backend->region_thread(process, &parallel_handle->ref, (uint32_t)thread_num, &thread));
	return handle_create_thread(process, &thread, thread_handle);
}

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t sizeof_thread_id, const void *thread_id,
				 ompd_thread_handle_t **thread_handle)
{
	struct thread_ref thread;

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(handle, HANDLE_ADDRESS_SPACE);
	if (!thread_id || !thread_handle)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;

	RC_TRY(process->backend->thread_find(process, kind, sizeof_thread_id, thread_id, &thread));
	return handle_create_thread(process, &thread, thread_handle);
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
	REQUIRE_CALLBACKS();
	return handle_release(thread_handle, HANDLE_THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1, ompd_thread_handle_t *thread_handle_2,
				     int *cmp_value)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle_1, HANDLE_THREAD);
	REQUIRE_HANDLE(thread_handle_2, HANDLE_THREAD);
	if (!cmp_value || thread_handle_1->base.process->context != thread_handle_2->base.process->context)
		return ompd_rc_bad_input;
	*cmp_value = handle_compare_addresses(thread_handle_1->ref.thread, thread_handle_2->ref.thread);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
			     void *thread_id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!thread_id)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	return process->backend->thread_id(process, &thread_handle->ref, kind, sizeof_thread_id, thread_id);
}

ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle, ompd_address_space_handle_t **device)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!device)
		return ompd_rc_bad_input;
	return handle_create_address_space(thread_handle->base.process, device);
}
