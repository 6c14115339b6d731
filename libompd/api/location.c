/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source locations of constructs (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "ompd-more.h"
#include "strbuf.h"

ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t *parallel_handle,
				      ompd_task_handle_t *task_handle, const char **location)
{
	struct strbuf text = {0};
	struct process *process;

	REQUIRE_CALLBACKS();
	if (!location || !!thread_handle + !!parallel_handle + !!task_handle > 1)
		return ompd_rc_bad_input;
	if (thread_handle) {
		REQUIRE_HANDLE(thread_handle, HANDLE_THREAD);
		process = thread_handle->base.process;
	} else if (parallel_handle) {
		REQUIRE_HANDLE(parallel_handle, HANDLE_PARALLEL);
		process = parallel_handle->base.process;
	} else {
		REQUIRE_HANDLE(task_handle, HANDLE_TASK);
		process = task_handle->base.process;
	}
	if (!process->backend->location)
		return ompd_rc_unsupported;
	ompd_rc_t rc = process->backend->location(process, thread_handle ? &thread_handle->ref : NULL,
						  parallel_handle ? &parallel_handle->ref : NULL,
						  task_handle ? &task_handle->ref : NULL, &text);
	if (rc == ompd_rc_ok)
		rc = strbuf_take(&text, location);
	strbuf_deinit(&text);
	return rc;
}
