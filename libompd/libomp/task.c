/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of stock libomp: current tasks, parents and functions; members of backend_libomp. */
#include <string.h>

#include "libomp/libomp.h"

static bool is_implicit(const struct process *process, const struct libomp_task *task)
{
	return !(task->flags & libomp_of(process)->flag_tasktype);
}

ompd_rc_t libomp_thread_task(const struct process *process, const struct thread_ref *ref, struct task_ref *ret)
{
	struct libomp_thread thread;
	struct libomp_team team;
	struct libomp_task task;

	RC_TRY(libomp_thread_member(process, ref->thread, &thread, &team));
	if (!thread.current_task) /* the thread is joining or leaving the team */
		return ompd_rc_unavailable;
	RC_TRY(libomp_task_read(process, thread.current_task, &task));
	*ret = (struct task_ref){.task = thread.current_task, .region = libomp_region_of(&team, ref->thread)};
	return ompd_rc_ok;
}

/* Thread @number's implicit task is an element of the team's array. */
ompd_rc_t libomp_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			     struct task_ref *ret)
{
	struct libomp_team team;
	struct libomp_task task;

	RC_TRY(libomp_region_team(process, region, &team));
	if (number >= (uint32_t)team.nproc)
		return ompd_rc_bad_input;
	struct task_ref ref = {
		.task = team.implicit_tasks + (uint64_t)number * libomp_of(process)->layout.td_size,
		.region = *region,
	};

	RC_TRY(libomp_task_read(process, ref.task, &task));
	if (!is_implicit(process, &task) || task.team != team.address)
		return ompd_rc_stale_handle;
	*ret = ref;
	return ompd_rc_ok;
}

ompd_rc_t libomp_task_is_implicit(const struct process *process, const struct task_ref *ref, bool *ret)
{
	struct libomp_task task;

	RC_TRY(libomp_task_read(process, ref->task, &task));
	*ret = is_implicit(process, &task);
	return ompd_rc_ok;
}

ompd_rc_t libomp_task_generating(const struct process *process, const struct task_ref *ref, struct task_ref *ret)
{
	struct libomp_team team;
	struct libomp_task task;
	struct task_ref parent = *ref;

	RC_TRY(libomp_region_team(process, &ref->region, &team));
	RC_TRY(libomp_task_read(process, ref->task, &task));
	if (is_implicit(process, &task)) {
		RC_TRY(libomp_region_enclosing(process, &ref->region, &parent.region));
		/* Regions that share a team share its task. */
		if (parent.region.team == ref->region.team) {
			*ret = parent;
			return ompd_rc_ok;
		}
	}
	if (!task.parent)
		return ompd_rc_unavailable;
	parent.task = task.parent;
	RC_TRY(libomp_task_read(process, parent.task, &task));
	*ret = parent;
	return ompd_rc_ok;
}

ompd_rc_t libomp_task_scheduling(const struct process *process, const struct task_ref *ref, struct task_ref *ret)
{
	struct libomp_team team;

	(void)ret;
	RC_TRY(libomp_region_team(process, &ref->region, &team));
	return ompd_rc_unavailable; /* stored only with a tool */
}

/* Return the region's function for an implicit task. A serialized team has an old function. */
static ompd_rc_t find_region_function(const struct process *process, const struct libomp_team *team, ompd_addr_t *ret)
{
	const struct libomp *libomp = libomp_of(process);
	ompd_addr_t function = team->fn;

	if (!offset_known(libomp->layout.team_fn) || team->serialized || !team->level)
		return ompd_rc_unavailable;
	if (image_has_code(&libomp->image, function)) {
		/* gcc's code calls a function of libomp, whose first argument is the program's function. */
		if (!offset_known(libomp->layout.team_argv))
			return ompd_rc_unavailable;
		RC_TRY(PROCESS_READ(process, team->argv, &function));
		if (image_has_code(&libomp->image, function))
			return ompd_rc_unavailable;
	}
	if (!function)
		return ompd_rc_unavailable;
	*ret = function;
	return ompd_rc_ok;
}

ompd_rc_t libomp_task_function(const struct process *process, const struct task_ref *ref, ompd_addr_t *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_team team;
	struct libomp_task task;
	ompd_addr_t function;

	RC_TRY(libomp_region_team(process, &ref->region, &team));
	RC_TRY(libomp_task_read(process, ref->task, &task));
	if (is_implicit(process, &task))
		return find_region_function(process, &team, ret);
	if (!offset_known(l->task_routine))
		return ompd_rc_unavailable;
	/* kmp_task_t, the part that the program sees, follows kmp_taskdata_t. */
	RC_TRY(PROCESS_READ(process, ref->task + l->td_size + l->task_routine, &function));
	if (!function)
		return ompd_rc_unavailable;
	*ret = function;
	return ompd_rc_ok;
}

ompd_rc_t libomp_task_frame(const struct process *process, const struct task_ref *task, ompd_frame_info_t *exit_frame,
			    ompd_frame_info_t *enter_frame)
{
	struct libomp_team team;

	(void)exit_frame, (void)enter_frame;
	RC_TRY(libomp_region_team(process, &task->region, &team));
	return ompd_rc_unavailable; /* stored only with a tool */
}
