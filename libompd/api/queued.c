/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks that wait to be executed (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"

/* Limit on max_handles. */
#define MAX_HANDLES (1 << 20)

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

		if (rc == ompd_rc_ok)
			continue;
		while (i-- > 0)
			handle_release(handles[i], HANDLE_TASK);
		cb_free(handles);
		return rc;
	}
	*ret = handles;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_queued_tasks(ompd_parallel_handle_t *parallel_handle, ompd_word_t max_handles,
				ompd_task_handle_t ***task_handles, ompd_word_t *num_handles, ompd_word_t *num_queued)
{
	struct queued_tasks queued = {.max = (size_t)max_handles};

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
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

	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(task_handle, HANDLE_TASK);
	if (!num_predecessors)
		return ompd_rc_bad_input;
	struct process *process = task_handle->base.process;

	if (!process->backend->task_predecessors)
		return ompd_rc_unsupported;
	RC_TRY(process->backend->task_predecessors(process, &task_handle->ref, &n));
	*num_predecessors = n;
	return ompd_rc_ok;
}
