/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of our runtime: parents, functions and frames; members of backend_omprt. */
#include "omprt/omprt.h"

ompd_rc_t omprt_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	struct omprt_copy copy, team;

	RC_TRY(omprt_task_of(process, task, &copy));
	ompd_addr_t parent = omprt_field(&copy, LAYOUT_task_parent);

	/*
	 * The encountering task of the construct generated the initial task of a target region, or
	 * of a league's team.
	 */
	if (!parent) {
		RC_TRY(omprt_region(process, &task->region, &team));
		parent = omprt_field(&team, LAYOUT_team_encountering);
	}
	/* unavailable at the end of the chain */
	return omprt_task(process, parent, &copy, ret);
}

ompd_rc_t omprt_task_scheduling(const struct process *process, const struct task_ref *task, struct task_ref *ret)
{
	struct omprt_copy copy, team;

	RC_TRY(omprt_task_of(process, task, &copy));
	ompd_addr_t before = omprt_field(&copy, LAYOUT_task_scheduling);

	/* The primary thread starts its implicit task in place of the encountering task. */
	if (omprt_field(&copy, LAYOUT_task_kind) == LAYOUT_TASK_IMPLICIT &&
	    !omprt_field(&copy, LAYOUT_task_thread_num)) {
		RC_TRY(omprt_region(process, &task->region, &team));
		before = omprt_field(&team, LAYOUT_team_encountering);
	}
	/* unavailable at the end of the chain */
	return omprt_task(process, before, &copy, ret);
}

ompd_rc_t omprt_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret)
{
	struct omprt_copy copy, team;

	RC_TRY(omprt_task_of(process, task, &copy));
	ompd_addr_t function = omprt_field(&copy, LAYOUT_task_fn);

	/*
	 * All implicit tasks of a region execute its function, and so does the initial task of a
	 * target region.
	 */
	if (!function) {
		RC_TRY(omprt_region(process, &task->region, &team));
		function = omprt_field(&team, LAYOUT_team_fn);
	}
	if (!function) /* an initial task executes the program itself */
		return ompd_rc_unavailable;
	*ret = function;
	return ompd_rc_ok;
}

ompd_rc_t omprt_task_frame(const struct process *process, const struct task_ref *task, ompd_frame_info_t *exit_frame,
			   ompd_frame_info_t *enter_frame)
{
	struct omprt_copy copy;

	RC_TRY(omprt_task_of(process, task, &copy));
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

	RC_TRY(omprt_task_of(process, task, &copy));
	*ret = omprt_field(&copy, LAYOUT_task_kind) != LAYOUT_TASK_EXPLICIT;
	return ompd_rc_ok;
}
