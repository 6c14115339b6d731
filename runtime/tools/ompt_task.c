/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of explicit tasks: creation, scheduling, completion and dependences. */
#include <stdlib.h>

#include "core/state/task.h"
#include "core/state/team.h"
#include "core/sync/cancel.h"
#include "omp-tools.h"
#include "os/memory.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

static ompt_dependence_type_t get_dependence_type(uintptr_t kind)
{
	switch (kind) {
	case DEPEND_IN:
		return ompt_dependence_type_in;
	case DEPEND_OUT:
		return ompt_dependence_type_out;
	case DEPEND_MUTEXINOUTSET:
		return ompt_dependence_type_mutexinoutset;
	case DEPEND_INOUTSET:
		return ompt_dependence_type_inoutset;
	default:
		return ompt_dependence_type_inout;
	}
}

static ompt_dependence_t describe_dependence(void *address, uintptr_t kind)
{
	return (ompt_dependence_t){{.ptr = address}, get_dependence_type(kind)};
}

/* gcc's list (core/task/depend.h), which does not distinguish out from inout. */
static void report_dependences(struct task *task, void *const *depend)
{
	bool is_short = depend[0] != NULL;
	size_t n = (size_t)depend[is_short ? 0 : 1], n_out = (size_t)depend[is_short ? 1 : 2];
	size_t n_mutex = is_short ? 0 : (size_t)depend[3], n_in = is_short ? n - n_out : (size_t)depend[4];
	void *const *at = depend + (is_short ? 2 : 5);
	ompt_dependence_t *list = memory_alloc((n ? n : 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		const struct depend_object *object = at[i];

		if (i < n_out + n_mutex + n_in)
			list[i] = describe_dependence(at[i], i < n_out		   ? DEPEND_INOUT
							     : i < n_out + n_mutex ? DEPEND_MUTEXINOUTSET
										   : DEPEND_IN);
		else
			list[i] = describe_dependence((void *)(uintptr_t)object->address, object->kind);
	}
	OMPT_CALL(dependences, ompt_data(&task->tool_data), list, (int)n);
	free(list);
}

void ompt_task_create(struct thread *t, struct task *task, void *const *depend, struct site site)
{
	struct task *encountering = t->task;
	uint64_t enter = encountering->frame.enter;

	task->tool_data = 0;
	if (site.frame) /* otherwise it is set already */
		task_enter_runtime(encountering, site);
	OMPT_CALL(task_create, ompt_data(&encountering->tool_data), ompt_frame_of(encountering),
		  ompt_data(&task->tool_data), ompt_flags_of(task), depend != NULL, site.return_address);
	if (depend && ompt_get(ompt_callback_dependences))
		report_dependences(task, depend);
	encountering->frame.enter = enter;
}

void ompt_task_begin(struct thread *t, struct task *task)
{
	ompt_task_status_t status = t->yields ? ompt_task_yield : ompt_task_switch;

	t->yields = false;
	OMPT_CALL(task_schedule, ompt_data(&task->scheduling->tool_data), status, ompt_data(&task->tool_data));
}

/* The thread returns to the task that it ran before. */
static void leave_task(struct task *task, ompt_task_status_t status)
{
	OMPT_CALL(task_schedule, ompt_data(&task->tool_data), status, ompt_data(&task->scheduling->tool_data));
}

void ompt_task_end(struct task *task)
{
	/* A detachable task may not be complete yet: ompt_block_ended() reports it. */
	if (!(task->flags & TASK_DETACHABLE))
		leave_task(task, ompt_task_complete);
}

void ompt_task_discard(struct thread *t, struct task *task)
{
	task->scheduling = t->task;
	ompt_task_begin(t, task);
	t->task = task;
	ompt_cancel(t, cancel_parallel_active(t->team) ? CANCEL_PARALLEL : CANCEL_TASKGROUP, ompt_cancel_discarded_task,
		    NULL);
	t->task = task->scheduling;
	leave_task(task, ompt_task_cancel);
}

void ompt_taskwait_end(struct task *task)
{
	OMPT_CALL(task_schedule, ompt_data(&task->tool_data), ompt_taskwait_complete, NULL);
}

void ompt_block_ended(struct task *task, bool is_fulfilled)
{
	leave_task(task, is_fulfilled ? ompt_task_complete : ompt_task_detach);
}

void ompt_fulfill(struct task *task, bool block_ended)
{
	OMPT_CALL(task_schedule, ompt_data(&task->tool_data),
		  block_ended ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
}

void ompt_task_dependence(struct task *before, struct task *task)
{
	OMPT_CALL(task_dependence, ompt_data(&before->tool_data), ompt_data(&task->tool_data));
}
