/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making, checking, comparing and releasing handles; called by the api_*.c files. */
#include "handles.h"

#include "callbacks.h"

bool handle_is(const void *handle, enum handle_kind kind)
{
	return handle && ((const struct handle *)handle)->kind == kind;
}

static ompd_rc_t handle_create(struct process *process, enum handle_kind kind, size_t size,
			       struct handle **ret)
{
	void *memory;

	RC_TRY(cb_alloc(size, &memory));
	*ret = memory;
	(*ret)->kind = kind;
	(*ret)->process = process_ref(process);
	return ompd_rc_ok;
}

ompd_rc_t handle_create_address_space(struct process *process, ompd_address_space_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_ADDRESS_SPACE, sizeof(**ret), &handle));
	*ret = (ompd_address_space_handle_t *)handle;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_thread(struct process *process, const struct thread_ref *ref,
			       ompd_thread_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_THREAD, sizeof(**ret), &handle));
	*ret = (ompd_thread_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_parallel(struct process *process, const struct region_ref *ref,
				 ompd_parallel_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_PARALLEL, sizeof(**ret), &handle));
	*ret = (ompd_parallel_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_create_task(struct process *process, const struct task_ref *ref,
			     ompd_task_handle_t **ret)
{
	struct handle *handle;

	RC_TRY(handle_create(process, HANDLE_TASK, sizeof(**ret), &handle));
	*ret = (ompd_task_handle_t *)handle;
	(*ret)->ref = *ref;
	return ompd_rc_ok;
}

ompd_rc_t handle_release(void *memory, enum handle_kind kind)
{
	struct handle *handle = memory;

	if (!handle_is(handle, kind))
		return ompd_rc_bad_input;
	handle->kind = 0;
	process_unref(handle->process);
	cb_free(handle);
	return ompd_rc_ok;
}

int handle_compare_addresses(ompd_addr_t a, ompd_addr_t b)
{
	return a < b ? -1 : a > b;
}

int handle_compare_regions(const struct region_ref *a, const struct region_ref *b)
{
	if (a->team || b->team)
		return handle_compare_addresses(a->team, b->team);
	if (a->pool || b->pool)
		return handle_compare_addresses(a->pool, b->pool);
	return handle_compare_addresses(a->root, b->root);
}
