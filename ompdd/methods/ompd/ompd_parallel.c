/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: parallel regions (OpenMP 5.2, 20.5.6). */
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"

OMPD_CALL_DEFINE_STEP(get_curr_parallel_handle, thread_handle, HANDLE_THREAD, "parallel_handle", HANDLE_PARALLEL)
OMPD_CALL_DEFINE_STEP(get_enclosing_parallel_handle, parallel_handle, HANDLE_PARALLEL, "enclosing_parallel_handle",
		      HANDLE_PARALLEL)
OMPD_CALL_DEFINE_STEP(get_task_parallel_handle, task_handle, HANDLE_TASK, "task_parallel_handle", HANDLE_PARALLEL)

OMPD_CALL_DEFINE_COMPARE(parallel_handle_compare, parallel_handle_1, parallel_handle_2, HANDLE_PARALLEL)

OMPD_CALL_DEFINE_RELEASE(rel_parallel_handle, parallel_handle, HANDLE_PARALLEL)
