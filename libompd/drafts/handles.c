/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines of 2014 and 2016 that create, name and release handles (ompd-drafts.h). */
#include <stdio.h>

#include "callbacks.h"
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

ompd_rc_t draft_threads_of_region(ompd_parallel_handle_t *region, ompd_thread_handle_t ***vector, int *count)
{
	ompd_tword_t size;
	void *memory;

	if (!count)
		return ompd_rc_bad_input;
	RC_TRY(ompd_get_num_threads(region, &size));
	if (size < 0 || size > MAX_THREADS)
		return ompd_rc_error;
	if (!vector) {
		*count = (int)size;
		return ompd_rc_ok;
	}
	RC_TRY(cb_alloc((size_t)size * sizeof(**vector), &memory));
	ompd_thread_handle_t **list = memory;

	for (int i = 0; i < size; i++) {
		ompd_rc_t rc = ompd_get_thread_in_parallel(region, i, &list[i]);

		if (rc == ompd_rc_ok)
			continue;
		while (i-- > 0)
			ompd_rel_thread_handle(list[i]);
		cb_free(list);
		return rc;
	}
	*vector = list;
	*count = (int)size;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     ompd_task_handle_t ***task_handle_vector, int *num_handles)
{
	ompd_tword_t size;
	void *memory;

	if (!num_handles)
		return ompd_rc_bad_input;
	RC_TRY(ompd_get_num_threads(parallel_handle, &size));
	if (size < 0 || size > MAX_THREADS)
		return ompd_rc_error;
	if (!task_handle_vector) {
		*num_handles = (int)size;
		return ompd_rc_ok;
	}
	RC_TRY(cb_alloc((size_t)size * sizeof(**task_handle_vector), &memory));
	ompd_task_handle_t **list = memory;

	for (int i = 0; i < size; i++) {
		ompd_rc_t rc = ompd_get_task_in_parallel(parallel_handle, i, &list[i]);

		if (rc == ompd_rc_ok)
			continue;
		while (i-- > 0)
			ompd_rel_task_handle(list[i]);
		cb_free(list);
		return rc;
	}
	*task_handle_vector = list;
	*num_handles = (int)size;
	return ompd_rc_ok;
}

/* Count the threads of the runtime's list. The list may change meanwhile, and may be circular. */
static ompd_rc_t count_threads(const struct process *process, int *ret)
{
	struct thread_ref thread;
	ompd_rc_t rc = process->backend->thread_next(process, NULL, &thread);
	int n = 0;

	while (rc == ompd_rc_ok) {
		if (++n > MAX_THREADS)
			return ompd_rc_error;
		rc = process->backend->thread_next(process, &thread, &thread);
	}
	if (rc != ompd_rc_unavailable)
		return rc;
	*ret = n;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***thread_handle_vector,
			   int *num_handles)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(handle, HANDLE_ADDRESS_SPACE);
	if (!num_handles)
		return ompd_rc_bad_input;
	struct process *process = handle->base.process;
	struct thread_ref thread;
	void *memory;
	int n, found = 0;

	if (!process->backend->thread_next)
		return ompd_rc_unsupported;
	RC_TRY(count_threads(process, &n));
	if (!thread_handle_vector) {
		*num_handles = n;
		return ompd_rc_ok;
	}
	RC_TRY(cb_alloc((size_t)(n ? n : 1) * sizeof(**thread_handle_vector), &memory));
	ompd_thread_handle_t **list = memory;
	ompd_rc_t rc = process->backend->thread_next(process, NULL, &thread);

	while (rc == ompd_rc_ok && found < n) {
		rc = handle_create_thread(process, &thread, &list[found]);
		if (rc == ompd_rc_ok) {
			found++;
			rc = process->backend->thread_next(process, &thread, &thread);
		}
	}
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable) {
		while (found-- > 0)
			ompd_rel_thread_handle(list[found]);
		cb_free(list);
		return rc;
	}
	*thread_handle_vector = list;
	*num_handles = found;
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

static ompd_addr_t region_address(const struct region_ref *region)
{
	return region->team ? region->team : region->root ? region->root : region->via;
}

ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!id)
		return ompd_rc_bad_input;
	return create_string_id("thread", thread_handle->ref.thread, 0, id);
}

ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle, char **id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (!id)
		return ompd_rc_bad_input;
	const struct region_ref *region = &parallel_handle->ref;

	/* Regions without a team compare by their root. Not every thread's record shows the root. */
	if (!region->team) {
		struct thread_ref root;
		struct process *process = parallel_handle->base.process;

		RC_TRY(process->backend->region_thread(process, region, 0, &root));
		return create_string_id("parallel", root.thread, 0, id);
	}
	return create_string_id("parallel", region->team, region->sequence, id);
}

ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!id)
		return ompd_rc_bad_input;
	return create_string_id(
		"task", task_handle->ref.task ? task_handle->ref.task : region_address(&task_handle->ref.region),
		task_handle->ref.sequence ? task_handle->ref.sequence : task_handle->ref.region.sequence, id);
}

ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle, ompd_parallel_id_t *id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
	if (!id)
		return ompd_rc_bad_input;
	const struct region_ref *region = &parallel_handle->ref;

	*id = region->sequence ? region->sequence : region_address(region);
	return *id ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!task_id)
		return ompd_rc_bad_input;
	*task_id = task_handle->ref.task ? task_handle->ref.task : region_address(&task_handle->ref.region);
	return *task_id ? ompd_rc_ok : ompd_rc_unavailable;
}
