/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of our runtime: parents, functions and frames; members of backend_omprt. */
#include <string.h>

#include "callbacks.h"
#include "omprt/omprt.h"

bool omprt_is_implicit(const struct process *process, const struct omprt_copy *team, ompd_addr_t address,
		       uint64_t *number_ret)
{
	const struct layout *l = &omprt_of(process)->layout;
	uint64_t size = l->entries[LAYOUT_member].size;
	uint64_t offset = address - omprt_field(team, LAYOUT_team_members) - l->entries[LAYOUT_member_implicit].offset;

	if (offset % size || offset / size >= omprt_field(team, LAYOUT_team_n_threads))
		return false;
	*number_ret = offset / size;
	return true;
}

struct task_ref omprt_implicit_task(const struct process *process, const struct region_ref *region,
				    const struct omprt_copy *team, uint64_t number)
{
	return (struct task_ref){
		.task = omprt_member(team, number) + omprt_of(process)->layout.entries[LAYOUT_member_implicit].offset,
		.region = *region,
	};
}

ompd_rc_t omprt_task(const struct process *process, ompd_addr_t address, struct omprt_copy *task, struct task_ref *ret)
{
	struct task_ref ref = {.task = address};
	struct omprt_copy team;
	uint64_t number;

	if (!address)
		return ompd_rc_unavailable;
	RC_TRY(omprt_read(process, LAYOUT_task, address, task));
	if (omprt_field(task, LAYOUT_task_kind) > LAYOUT_TASK_EXPLICIT)
		return ompd_rc_stale_handle;
	RC_TRY(omprt_team(process, omprt_field(task, LAYOUT_task_team), &team, &ref.region));
	/* An implicit task is identified by its region; only explicit ones need a sequence number. */
	if (!omprt_is_implicit(process, &team, address, &number))
		ref.sequence = omprt_field(task, LAYOUT_task_sequence);
	*ret = ref;
	return ompd_rc_ok;
}

/* Set the values that the implicit task of member @number will start with: see task_init() in the runtime. */
static void init_implicit(struct omprt_copy *task, const struct omprt_copy *team, uint64_t number)
{
	memset(task->bytes, 0, sizeof(task->bytes));
	omprt_put(task, LAYOUT_task_parent, omprt_field(team, LAYOUT_team_encountering));
	omprt_put(task, LAYOUT_task_team, team->address);
	omprt_put(task, LAYOUT_task_icv, omprt_field(team, LAYOUT_team_begin_icv));
	omprt_put(task, LAYOUT_task_kind, LAYOUT_TASK_IMPLICIT);
	omprt_put(task, LAYOUT_task_thread_num, number);
	omprt_put(task, LAYOUT_task_exit_flags, LAYOUT_FRAME_FLAGS);
	omprt_put(task, LAYOUT_task_enter_flags, LAYOUT_FRAME_FLAGS);
}

ompd_rc_t omprt_task_of(const struct process *process, const struct task_ref *ref, struct omprt_copy *task)
{
	struct omprt_copy team;
	uint64_t number;

	RC_TRY(omprt_region(process, &ref->region, &team));
	RC_TRY(omprt_read(process, LAYOUT_task, ref->task, task));
	uint64_t sequence = omprt_field(task, LAYOUT_task_sequence);

	if (omprt_is_implicit(process, &team, ref->task, &number)) {
		if (sequence != omprt_field(&team, LAYOUT_team_epoch))
			init_implicit(task, &team, number);
		return ompd_rc_ok;
	}
	if (sequence != ref->sequence || omprt_field(task, LAYOUT_task_team) != ref->region.team)
		return ompd_rc_stale_handle;
	return ompd_rc_ok;
}

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
	struct omprt_copy copy, other;

	RC_TRY(omprt_task_of(process, task, &copy));
	/* unavailable at the end of the chain */
	return omprt_task(process, omprt_field(&copy, LAYOUT_task_scheduling), &other, ret);
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
