/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of our runtime: their parents, functions, frames; members of backend_omprt. */
#include <string.h>

#include "callbacks.h"
#include "omprt.h"

ompd_rc_t omprt_task(const struct process *process, ompd_addr_t address, struct omprt_copy *task,
		     struct task_ref *ret)
{
	struct task_ref ref = {.task = address};
	struct omprt_copy team;

	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_task, address, task));
	if (omprt_field(task, LAYOUT_task_kind) > LAYOUT_TASK_EXPLICIT)
		return ompd_rc_stale_handle;
	RC_TRY(omprt_team(process, omprt_field(task, LAYOUT_task_team), &team, &ref.region));
	*ret = ref;
	return ompd_rc_ok;
}

/* The task that @field of @task names. */
static ompd_rc_t linked(const struct process *process, const struct task_ref *task,
			enum layout_entry_number field, struct task_ref *ret)
{
	struct omprt_copy copy, other;
	struct task_ref ref;

	RC_TRY(omprt_task(process, task->task, &copy, &ref));
	/* unavailable at the end of the chain */
	return omprt_task(process, omprt_field(&copy, field), &other, ret);
}

ompd_rc_t omprt_task_generating(const struct process *process, const struct task_ref *task,
				struct task_ref *ret)
{
	return linked(process, task, LAYOUT_task_parent, ret);
}

ompd_rc_t omprt_task_scheduling(const struct process *process, const struct task_ref *task,
				struct task_ref *ret)
{
	return linked(process, task, LAYOUT_task_scheduling, ret);
}

ompd_rc_t omprt_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret)
{
	struct omprt_copy copy, team;
	struct task_ref ref;
	struct region_ref region;

	RC_TRY(omprt_task(process, task->task, &copy, &ref));
	ompd_addr_t function = omprt_field(&copy, LAYOUT_task_fn);

	/* All implicit tasks of a region execute its function. */
	if (!function && omprt_field(&copy, LAYOUT_task_kind) == LAYOUT_TASK_IMPLICIT) {
		RC_TRY(omprt_team(process, ref.region.team, &team, &region));
		function = omprt_field(&team, LAYOUT_team_fn);
	}
	if (!function) /* an initial task: the program itself */
		return ompd_rc_unavailable;
	*ret = function;
	return ompd_rc_ok;
}

ompd_rc_t omprt_task_frame(const struct process *process, const struct task_ref *task,
			   ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	struct omprt_copy copy;
	struct task_ref ref;

	RC_TRY(omprt_task(process, task->task, &copy, &ref));
	*exit_frame = (ompd_frame_info_t){
		{ompd_segment_none, omprt_field(&copy, LAYOUT_task_exit_frame)},
		(ompd_word_t)omprt_field(&copy, LAYOUT_task_exit_flags),
	};
	*enter_frame = (ompd_frame_info_t){
		{ompd_segment_none, omprt_field(&copy, LAYOUT_task_enter_frame)},
		(ompd_word_t)omprt_field(&copy, LAYOUT_task_enter_flags),
	};
	return ompd_rc_ok;
}

ompd_rc_t omprt_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret)
{
	struct omprt_copy copy;
	struct task_ref ref;

	RC_TRY(omprt_task(process, task->task, &copy, &ref));
	*ret = omprt_field(&copy, LAYOUT_task_kind) != LAYOUT_TASK_EXPLICIT;
	return ompd_rc_ok;
}
