/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data that an OMPT tool has stored in our runtime (runtime/tools/ompt.h); a member of backend_omprt. */
#include "omprt/omprt.h"

static ompd_rc_t read_of_thread(const struct process *process, const struct thread_ref *thread, uint64_t *ret)
{
	struct omprt_copy copy;

	RC_TRY(omprt_thread(process, thread->thread, &copy));
	*ret = omprt_field(&copy, LAYOUT_thread_tool_data);
	return ompd_rc_ok;
}

static ompd_rc_t read_of_region(const struct process *process, const struct region_ref *region, uint64_t *ret)
{
	struct omprt_copy team, around;
	struct region_ref now;

	RC_TRY(omprt_region(process, region, &team));
	if (!omprt_field(&team, LAYOUT_team_tool_league)) {
		*ret = omprt_field(&team, LAYOUT_team_tool_data);
		return ompd_rc_ok;
	}
	/* The teams of a league share their parallel data. */
	RC_TRY(omprt_team(process, omprt_field(&team, LAYOUT_team_around), &around, &now));
	*ret = omprt_field(&around, LAYOUT_team_league_data);
	return ompd_rc_ok;
}

static ompd_rc_t read_of_task(const struct process *process, const struct task_ref *task, uint64_t *ret)
{
	struct omprt_copy copy;

	RC_TRY(omprt_task_of(process, task, &copy));
	*ret = omprt_field(&copy, LAYOUT_task_tool_data);
	return ompd_rc_ok;
}

ompd_rc_t omprt_tool_data(const struct process *process, const struct subject *subject, uint64_t *ret)
{
	struct omprt_copy root;

	RC_TRY(omprt_read(process, LAYOUT_root, omprt_of(process)->layout.root, &root));
	ompd_addr_t tool = omprt_field(&root, LAYOUT_root_tool_data);

	if (!tool)
		return ompd_rc_unavailable; /* there is no tool */
	if (subject->thread)
		return read_of_thread(process, subject->thread, ret);
	if (subject->region)
		return read_of_region(process, subject->region, ret);
	if (subject->task)
		return read_of_task(process, subject->task, ret);
	return PROCESS_READ(process, tool, ret);
}
