/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines of 2014 and 2016 that create, name and release handles (ompd-drafts.h). */
#include <stdio.h>

#include "drafts/draft.h"
#include "handles.h"
#include "ompd-drafts.h"

/* Limit on the number of threads of a process. */
#define MAX_THREADS (1 << 20)

ompd_rc_t ompd_release_address_space_handle(ompd_address_space_handle_t *handle)
{
	return ompd_rel_address_space_handle(handle);
}

ompd_rc_t ompd_release_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return ompd_rel_thread_handle(thread_handle);
}

ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	return ompd_rel_parallel_handle(parallel_handle);
}

ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle)
{
	return ompd_rel_task_handle(task_handle);
}

ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values)
{
	return ompd_rel_display_control_vars(&control_var_values);
}

/* Lists of handles: create all, or none. */

/* Create handle @i of a list. */
typedef ompd_rc_t create_fn(ompd_parallel_handle_t *region, int i, void **ret);

static ompd_rc_t create_thread(ompd_parallel_handle_t *region, int i, void **ret)
{
	ompd_thread_handle_t *handle;

	RC_TRY(ompd_get_thread_in_parallel(region, i, &handle));
	*ret = handle;
	return ompd_rc_ok;
}

static ompd_rc_t create_task(ompd_parallel_handle_t *region, int i, void **ret)
{
	ompd_task_handle_t *handle;

	RC_TRY(ompd_get_task_in_parallel(region, i, &handle));
	*ret = handle;
	return ompd_rc_ok;
}

/* Create a handle for each thread of @region. @ret may be NULL if only *@count is wanted. */
static ompd_rc_t create_list(ompd_parallel_handle_t *region, create_fn *create, void **ret, int *count)
{
	ompd_tword_t size;
	void *memory;

	if (!count)
		return ompd_rc_bad_input;
	RC_TRY(ompd_get_num_threads(region, &size));
	if (size < 0 || size > MAX_THREADS)
		return ompd_rc_error;
	if (ret) {
		RC_TRY(cb_alloc((size_t)size * sizeof(void *), &memory));
		for (int i = 0; i < size; i++) {
			ompd_rc_t rc = create(region, i, (void **)memory + i);

			if (rc != ompd_rc_ok) {
				handle_release_list(memory, (size_t)i);
				return rc;
			}
		}
		*ret = memory;
	}
	*count = (int)size;
	return ompd_rc_ok;
}

ompd_rc_t draft_threads_of_region(ompd_parallel_handle_t *region, ompd_thread_handle_t ***vector, int *count)
{
	void *list = NULL;

	RC_TRY(create_list(region, create_thread, vector ? &list : NULL, count));
	if (vector)
		*vector = list;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     ompd_task_handle_t ***task_handle_vector, int *num_handles)
{
	void *list = NULL;

	RC_TRY(create_list(parallel_handle, create_task, task_handle_vector ? &list : NULL, num_handles));
	if (task_handle_vector)
		*task_handle_vector = list;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***thread_handle_vector,
			   int *num_handles)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!num_handles)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;
	ompd_thread_handle_t **list = NULL;
	struct thread_ref thread;
	size_t n = 0, room = 0;

	if (!process->backend->thread_next)
		return ompd_rc_unsupported;
	/* The runtime's list may change meanwhile, and may be circular. */
	ompd_rc_t rc = process->backend->thread_next(process, NULL, &thread);

	for (; rc == ompd_rc_ok; n++) {
		rc = n < MAX_THREADS ? cb_reserve(&list, &room, n, 1, sizeof(*list)) : ompd_rc_error;
		if (rc == ompd_rc_ok)
			rc = handle_create_thread(process, &thread, &list[n]);
		if (rc != ompd_rc_ok)
			break;
		rc = process->backend->thread_next(process, &thread, &thread);
	}
	if (rc != ompd_rc_unavailable || !thread_handle_vector)
		handle_release_list(list, n);
	if (rc != ompd_rc_unavailable)
		return rc;
	if (thread_handle_vector)
		*thread_handle_vector = list;
	*num_handles = (int)n;
	return ompd_rc_ok;
}

/* Single handles */

ompd_rc_t ompd_get_master_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     ompd_thread_handle_t **thread_handle)
{
	return ompd_get_thread_in_parallel(parallel_handle, 0, thread_handle);
}

ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t **parallel_handle)
{
	return ompd_get_curr_parallel_handle(thread_handle, parallel_handle);
}

ompd_rc_t ompd_get_innermost_parallel_region(ompd_thread_handle_t *thread_handle,
					     ompd_parallel_handle_t **parallel_handle)
{
	return ompd_get_curr_parallel_handle(thread_handle, parallel_handle);
}

ompd_rc_t ompd_get_ancestor_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					    ompd_parallel_handle_t **ancestor_parallel_handle)
{
	return ompd_get_enclosing_parallel_handle(parallel_handle, ancestor_parallel_handle);
}

ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle, ompd_task_handle_t **task_handle)
{
	return ompd_get_curr_task_handle(thread_handle, task_handle);
}

ompd_rc_t ompd_get_ancestor_task_handle(ompd_task_handle_t *task_handle, ompd_task_handle_t **parent_task_handle)
{
	return ompd_get_generating_task_handle(task_handle, parent_task_handle);
}

ompd_rc_t ompd_get_generating_ancestor_task_region(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **parent_task_handle)
{
	return ompd_get_generating_task_handle(task_handle, parent_task_handle);
}

ompd_rc_t ompd_get_scheduling_ancestor_task_region(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **parent_task_handle)
{
	return ompd_get_scheduling_task_handle(task_handle, parent_task_handle);
}

ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind, ompd_size_t sizeof_osthread,
			    void *osthread)
{
	return ompd_get_thread_id(thread_handle, (ompd_thread_id_t)kind, sizeof_osthread, osthread);
}

/* The region's function is the function of its implicit tasks. */
ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle, ompd_address_t *entry_point)
{
	ompd_task_handle_t *task;

	RC_TRY(ompd_get_task_in_parallel(parallel_handle, 0, &task));
	ompd_rc_t rc = ompd_get_task_function(task, entry_point);

	ompd_rel_task_handle(task);
	return rc;
}

/*
 * Names and numbers of handles. A team's memory is reused, so the region's sequence number is
 * included if there is one.
 */

static ompd_rc_t create_string_id(const char *prefix, ompd_addr_t a, uint64_t b, char **ret)
{
	char text[64];
	const char *copy;

	snprintf(text, sizeof(text), "%s_%llx_%llx", prefix, (unsigned long long)a, (unsigned long long)b);
	RC_TRY(cb_strdup(text, &copy));
	*ret = (char *)(uintptr_t)copy;
	return ompd_rc_ok;
}

/*
 * Return the address that identifies a region: of its team, or of its root thread if it has no team. A handle may not
 * know the root: the threads of one region must get the same address.
 */
static ompd_rc_t find_region_address(const struct process *process, const struct region_ref *region, ompd_addr_t *ret)
{
	struct thread_ref root;

	if (region->team) {
		*ret = region->team;
		return ompd_rc_ok;
	}
	RC_TRY(process->backend->region_thread(process, region, 0, &root));
	*ret = root.thread;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **id)
{
	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	if (!id)
		return ompd_rc_bad_input;
	return create_string_id("thread", thread_handle->ref.thread, 0, id);
}

ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle, char **id)
{
	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (!id)
		return ompd_rc_bad_input;
	const struct region_ref *region = &parallel_handle->ref;
	ompd_addr_t address;

	RC_TRY(find_region_address(parallel_handle->base.process, region, &address));
	return create_string_id("parallel", address, region->sequence, id);
}

ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **id)
{
	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!id)
		return ompd_rc_bad_input;
	const struct task_ref *task = &task_handle->ref;
	ompd_addr_t address = task->task;

	if (!address)
		RC_TRY(find_region_address(task_handle->base.process, &task->region, &address));
	return create_string_id("task", address, task->sequence ? task->sequence : task->region.sequence, id);
}

ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle, ompd_parallel_id_t *id)
{
	RC_TRY(handle_require(parallel_handle, HANDLE_PARALLEL));
	if (!id)
		return ompd_rc_bad_input;
	const struct region_ref *region = &parallel_handle->ref;

	if (region->sequence) {
		*id = region->sequence;
		return ompd_rc_ok;
	}
	return find_region_address(parallel_handle->base.process, region, id);
}

ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id)
{
	RC_TRY(handle_require(task_handle, HANDLE_TASK));
	if (!task_id)
		return ompd_rc_bad_input;
	if (task_handle->ref.task) {
		*task_id = task_handle->ref.task;
		return ompd_rc_ok;
	}
	return find_region_address(task_handle->base.process, &task_handle->ref.region, task_id);
}
