/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches threads and tasks for one that leaves a question open. */
#include "openmp/model/state/executed_tasks.h"

#include <omp-tools.h>

#include "openmp/model/snapshot.h"

static bool is_clear_thread(const struct snapshot *s, const struct snapshot_thread *thread)
{
	if (!thread->openmp)
		return thread->openmp_rc == ompd_rc_unavailable;
	if (thread->state.rc == ompd_rc_ok && thread->state.value == ompt_state_idle)
		return true;
	return thread->task.rc == ompd_rc_ok && thread->task.index != SNAPSHOT_NONE &&
	       s->tasks[thread->task.index].kind != TASK_EXPLICIT && s->tasks[thread->task.index].kind != TASK_UNKNOWN;
}

static bool is_clear_task(const struct snapshot_task *task)
{
	return task->kind == TASK_INITIAL || (task->kind == TASK_IMPLICIT && task->generating.rc == ompd_rc_ok &&
					      task->generating.index != SNAPSHOT_NONE);
}

bool executed_tasks_are_complete(const struct snapshot *s)
{
	if (s->truncated || s->has_unlisted || s->cyclic || s->has_gaps)
		return false;
	for (size_t i = 0; i < s->n_threads; i++) {
		if (!is_clear_thread(s, &s->threads[i]))
			return false;
	}
	for (size_t i = 0; i < s->n_tasks; i++) {
		/* An explicit task without a thread is no evidence: it has not started, or its block is over. */
		if (!(s->tasks[i].kind == TASK_EXPLICIT && s->tasks[i].is_queued) && !is_clear_task(&s->tasks[i]))
			return false;
	}
	return true;
}
