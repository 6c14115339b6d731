/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of libomp's structures. */
#include <string.h>

#include "callbacks.h"
#include "libomp/libomp.h"

static uint64_t get64(const uint8_t *bytes, uint32_t offset)
{
	uint64_t value = 0;

	if (offset_known(offset))
		memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static int32_t get32(const uint8_t *bytes, uint32_t offset)
{
	int32_t value = 0;

	if (offset_known(offset))
		memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

ompd_rc_t libomp_thread_read(const struct process *process, ompd_addr_t address, struct libomp_thread *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp_of(process)->thread_span, bytes));
	*ret = (struct libomp_thread){
		.address = address,
		.pointer = get64(bytes, l->th_pthread),
		.tid = get32(bytes, l->th_tid),
		.team = get64(bytes, l->th_team),
		.gtid = offset_known(l->th_gtid) ? get32(bytes, l->th_gtid) : -1,
		.current_task = get64(bytes, l->th_current_task),
		.ident = get64(bytes, l->th_ident),
		.sleep_loc = get64(bytes, l->th_sleep_loc),
		.in_queue = get32(bytes, l->th_spin_here) == 1,
	};
	if (ret->pointer)
		ret->pointer += libomp_of(process)->glibc.behind;
	return ompd_rc_ok;
}

ompd_rc_t libomp_team_read(const struct process *process, ompd_addr_t address, struct libomp_team *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp_of(process)->team_span, bytes));
	struct libomp_team team = {
		.address = address,
		.parent = get64(bytes, l->team_parent),
		.fn = get64(bytes, l->team_fn),
		.threads = get64(bytes, l->team_threads),
		.implicit_tasks = get64(bytes, l->team_implicit_tasks),
		.argv = get64(bytes, l->team_argv),
		.ident = get64(bytes, l->team_ident),
		.master_tid = get32(bytes, l->team_master_tid),
		.nproc = get32(bytes, l->team_nproc),
		.level = get32(bytes, l->team_level),
		.active_level = get32(bytes, l->team_active_level),
		.serialized = get32(bytes, l->team_serialized),
	};

	if (team.nproc < 1 || (uint32_t)team.nproc > LIBOMP_MAX_THREADS || team.level < 0 || team.active_level < 0 ||
	    team.master_tid < 0 || team.serialized < 0 || team.serialized - 1 > team.level ||
	    (team.serialized && team.nproc != 1))
		return ompd_rc_stale_handle;
	*ret = team;
	return ompd_rc_ok;
}

int32_t libomp_team_first_level(const struct libomp_team *team)
{
	/* A serialized team of level 0 counts itself as one level. */
	return team->serialized > 1 ? team->level - team->serialized + 1 : team->level;
}

ompd_rc_t libomp_task_read(const struct process *process, ompd_addr_t address, struct libomp_task *ret)
{
	const struct libomp *libomp = libomp_of(process);
	const struct libomp_layout *l = &libomp->layout;
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp->task_span, bytes));
	struct libomp_task task = {
		.flags = (uint32_t)get32(bytes, l->td_flags),
		.team = get64(bytes, l->td_team),
		.parent = get64(bytes, l->td_parent),
		.taskgroup = get64(bytes, l->td_taskgroup),
		.ident = get64(bytes, l->td_ident),
		.wait_ident = get64(bytes, l->td_taskwait_ident),
		.waiting = get32(bytes, l->td_taskwait_thread),
		.incomplete = get32(bytes, l->td_incomplete),
	};

	if (task.flags & libomp->flag_freed)
		return ompd_rc_stale_handle;
	*ret = task;
	return ompd_rc_ok;
}
