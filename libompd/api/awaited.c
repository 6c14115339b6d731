/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and tasks that a thread or task waits for (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

/* Limit on max_awaited. */
#define MAX_AWAITED (1 << 16)

static void release_awaited(ompd_awaited_t *awaited, size_t n)
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
static ompd_rc_t create_awaited(struct process *process, const struct awaited_list *list, ompd_awaited_t **ret)
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
			release_awaited(awaited, i);
			return rc;
		}
	}
	*ret = awaited;
	return ompd_rc_ok;
}

/* Return the backend's result @rc and @list to the tool, and free @list. */
static ompd_rc_t return_awaited(struct process *process, ompd_rc_t rc, struct awaited_list *list,
				ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete)
{
	if (rc == ompd_rc_ok)
		rc = create_awaited(process, list, awaited);
	if (rc == ompd_rc_ok) {
		*num_awaited = (ompd_word_t)list->n;
		*is_complete = list->is_complete;
	}
	cb_free(list->items);
	return rc;
}

ompd_rc_t ompd_get_awaited(ompd_thread_handle_t *thread_handle, ompd_task_handle_t *task_handle,
			   ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
			   ompd_word_t *is_complete)
{
	struct awaited_list list = {.max = (size_t)max_awaited};
	struct process *process;

	REQUIRE_CALLBACKS();
	if (thread_handle) {
		REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
		process = thread_handle->base.process;
	} else {
		REQUIRE_HANDLE(task_handle, HANDLE_TASK);
		process = task_handle->base.process;
	}
	if ((thread_handle && task_handle) || max_awaited < 1 || max_awaited > MAX_AWAITED || !awaited ||
	    !num_awaited || !is_complete)
		return ompd_rc_bad_input;
	if (!process->backend->awaited)
		return ompd_rc_unsupported;
	return return_awaited(process,
			      process->backend->awaited(process, thread_handle ? &thread_handle->ref : NULL,
							thread_handle ? NULL : &task_handle->ref, &list),
			      &list, awaited, num_awaited, is_complete);
}

ompd_rc_t ompd_get_awaited_as(ompd_thread_handle_t *thread_handle, ompd_word_t state, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete)
{
	struct awaited_list list = {.max = (size_t)max_awaited};

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (max_awaited < 1 || max_awaited > MAX_AWAITED || !awaited || !num_awaited || !is_complete)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;
	if (!process->backend->awaited_as)
		return ompd_rc_unsupported;
	return return_awaited(process, process->backend->awaited_as(process, &thread_handle->ref, state, &list), &list,
			      awaited, num_awaited, is_complete);
}

ompd_rc_t ompd_get_awaited_at(ompd_thread_handle_t *thread_handle, const ompd_place_t *place, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete)
{
	struct awaited_list list = {.max = (size_t)max_awaited};

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
	if (!place || !place->registers || max_awaited < 1 || max_awaited > MAX_AWAITED || !awaited || !num_awaited ||
	    !is_complete)
		return ompd_rc_bad_input;
	struct process *process = thread_handle->base.process;
	if (!process->backend->awaited_at)
		return ompd_rc_unsupported;
	return return_awaited(process, process->backend->awaited_at(process, &thread_handle->ref, place, &list), &list,
			      awaited, num_awaited, is_complete);
}
