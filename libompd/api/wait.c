/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines for waits: awaited threads and tasks, holders of locks, places in the source (ompd-more.h). */
#include "handles.h"
#include "ompd-more.h"
#include "strbuf.h"

/* Limit on max_awaited. */
#define MAX_AWAITED (1 << 16)

static void release_list(ompd_awaited_t *awaited, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (awaited[i].thread_handle)
			handle_release(awaited[i].thread_handle, HANDLE_THREAD);
		if (awaited[i].task_handle)
			handle_release(awaited[i].task_handle, HANDLE_TASK);
	}
	cb_free(awaited);
}

/* Create all handles, or none. */
static ompd_rc_t create_list(struct process *process, const struct awaited_list *list, ompd_awaited_t **ret)
{
	void *memory;

	if (!list->n) {
		*ret = NULL;
		return ompd_rc_ok;
	}
	RC_TRY(cb_alloc(list->n * sizeof(**ret), &memory));
	ompd_awaited_t *awaited = memory;
	for (size_t i = 0; i < list->n; i++) {
		const struct awaited *from = &list->items[i];

		awaited[i] = (ompd_awaited_t){.progress = from->progress};
		ompd_rc_t rc = from->has_thread
				       ? handle_create_thread(process, &from->thread, &awaited[i].thread_handle)
				       : handle_create_task(process, &from->task, &awaited[i].task_handle);
		if (rc != ompd_rc_ok) {
			release_list(awaited, i);
			return rc;
		}
	}
	*ret = awaited;
	return ompd_rc_ok;
}

/* Check the results of the three routines, and start an empty list. */
static ompd_rc_t start_list(ompd_word_t max, ompd_awaited_t **awaited, ompd_word_t *n, ompd_word_t *is_complete,
			    struct awaited_list *ret)
{
	if (max < 1 || max > MAX_AWAITED || !awaited || !n || !is_complete)
		return ompd_rc_bad_input;
	*ret = (struct awaited_list){.max = (size_t)max};
	return ompd_rc_ok;
}

/* Return the backend's result @rc and @list to the tool, and free @list. */
static ompd_rc_t return_list(struct process *process, ompd_rc_t rc, struct awaited_list *list, ompd_awaited_t **awaited,
			     ompd_word_t *n, ompd_word_t *is_complete)
{
	if (rc == ompd_rc_ok)
		rc = create_list(process, list, awaited);
	if (rc == ompd_rc_ok) {
		*n = (ompd_word_t)list->n;
		*is_complete = list->is_complete;
	}
	cb_free(list->items);
	return rc;
}

ompd_rc_t ompd_get_awaited(ompd_thread_handle_t *thread_handle, ompd_task_handle_t *task_handle,
			   ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
			   ompd_word_t *is_complete)
{
	void *given = thread_handle ? (void *)thread_handle : task_handle;
	struct handle *handle = given;
	struct awaited_list list;

	RC_TRY(handle_require(handle, thread_handle ? HANDLE_THREAD : HANDLE_TASK));
	RC_TRY(start_list(max_awaited, awaited, num_awaited, is_complete, &list));
	if (thread_handle && task_handle)
		return ompd_rc_bad_input;
	struct process *process = handle->process;
	const struct subject subject = handle_subject(handle);

	if (!process->backend->awaited)
		return ompd_rc_unsupported;
	return return_list(process, process->backend->awaited(process, &subject, &list), &list, awaited, num_awaited,
			   is_complete);
}

ompd_rc_t ompd_get_awaited_as(ompd_thread_handle_t *thread_handle, ompd_word_t state, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete)
{
	struct awaited_list list;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	RC_TRY(start_list(max_awaited, awaited, num_awaited, is_complete, &list));
	struct process *process = thread_handle->base.process;

	if (!process->backend->awaited_as)
		return ompd_rc_unsupported;
	return return_list(process, process->backend->awaited_as(process, &thread_handle->ref, state, &list), &list,
			   awaited, num_awaited, is_complete);
}

ompd_rc_t ompd_get_awaited_at(ompd_thread_handle_t *thread_handle, const ompd_place_t *place, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete)
{
	struct awaited_list list;

	RC_TRY(handle_require(thread_handle, HANDLE_THREAD));
	RC_TRY(start_list(max_awaited, awaited, num_awaited, is_complete, &list));
	if (!place || !place->registers)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;

	if (!process->backend->awaited_at)
		return ompd_rc_unsupported;
	return return_list(process, process->backend->awaited_at(process, &thread_handle->ref, place, &list), &list,
			   awaited, num_awaited, is_complete);
}

ompd_rc_t ompd_get_mutex_owner(ompd_address_space_handle_t *handle, ompd_wait_id_t wait_id, ompd_word_t kind,
			       ompd_word_t *state, ompd_thread_handle_t **thread_handle,
			       ompd_task_handle_t **task_handle)
{
	struct mutex_owner owner = {0};
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
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

ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t *parallel_handle,
				      ompd_task_handle_t *task_handle, const char **location)
{
	enum handle_kind kind = thread_handle ? HANDLE_THREAD : parallel_handle ? HANDLE_PARALLEL : HANDLE_TASK;
	void *given = thread_handle ? thread_handle : parallel_handle ? (void *)parallel_handle : task_handle;
	struct handle *handle = given;
	struct strbuf text = {0};

	REQUIRE_CALLBACKS();
	if (!location || !!thread_handle + !!parallel_handle + !!task_handle > 1)
		return ompd_rc_bad_input;
	RC_TRY(handle_require(handle, kind));
	const struct subject subject = handle_subject(handle);

	if (!handle->process->backend->location)
		return ompd_rc_unsupported;
	ompd_rc_t rc = handle->process->backend->location(handle->process, &subject, &text);

	return strbuf_return(&text, rc, location);
}
