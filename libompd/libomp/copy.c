/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of libomp's structures. */
#include "libomp/libomp.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MEMBER(type, from, to)                                                                                         \
	{                                                                                                              \
		offsetof(struct libomp_layout, from), offsetof(struct type, to), sizeof(((struct type *)NULL)->to)     \
	}

static const struct offsets_member thread_members[] = {
	MEMBER(libomp_thread, th_pthread, pointer),
	MEMBER(libomp_thread, th_tid, tid),
	MEMBER(libomp_thread, th_gtid, gtid),
	MEMBER(libomp_thread, th_team, team),
	MEMBER(libomp_thread, th_current_task, current_task),
	MEMBER(libomp_thread, th_ident, ident),
	MEMBER(libomp_thread, th_sleep_loc, sleep_loc),
	MEMBER(libomp_thread, th_spin_here, spins_here),
};

static const struct offsets_member team_members[] = {
	MEMBER(libomp_team, team_parent, parent),
	MEMBER(libomp_team, team_fn, fn),
	MEMBER(libomp_team, team_threads, threads),
	MEMBER(libomp_team, team_implicit_tasks, implicit_tasks),
	MEMBER(libomp_team, team_argv, argv),
	MEMBER(libomp_team, team_ident, ident),
	MEMBER(libomp_team, team_master_tid, master_tid),
	MEMBER(libomp_team, team_nproc, nproc),
	MEMBER(libomp_team, team_level, level),
	MEMBER(libomp_team, team_active_level, active_level),
	MEMBER(libomp_team, team_serialized, serialized),
};

static const struct offsets_member task_members[] = {
	MEMBER(libomp_task, td_flags, flags),
	MEMBER(libomp_task, td_team, team),
	MEMBER(libomp_task, td_parent, parent),
	MEMBER(libomp_task, td_taskgroup, taskgroup),
	MEMBER(libomp_task, td_ident, ident),
	MEMBER(libomp_task, td_taskwait_ident, wait_ident),
	MEMBER(libomp_task, td_taskwait_thread, waiting),
	MEMBER(libomp_task, td_incomplete, incomplete),
};

bool libomp_measure(struct libomp *libomp)
{
	libomp->thread_span = offsets_measure(&libomp->layout, thread_members, COUNT(thread_members));
	libomp->team_span = offsets_measure(&libomp->layout, team_members, COUNT(team_members));
	libomp->task_span = offsets_measure(&libomp->layout, task_members, COUNT(task_members));
	return libomp->thread_span <= LIBOMP_MAX_SPAN && libomp->team_span <= LIBOMP_MAX_SPAN &&
	       libomp->task_span <= LIBOMP_MAX_SPAN;
}

ompd_rc_t libomp_thread_read(const struct process *process, ompd_addr_t address, struct libomp_thread *ret)
{
	const struct libomp *libomp = libomp_of(process);
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp->thread_span, bytes));
	*ret = (struct libomp_thread){.address = address, .gtid = -1};
	offsets_copy(&libomp->layout, thread_members, COUNT(thread_members), bytes, ret);
	if (ret->pointer)
		ret->pointer += libomp->glibc.behind;
	return ompd_rc_ok;
}

ompd_rc_t libomp_team_read(const struct process *process, ompd_addr_t address, struct libomp_team *ret)
{
	const struct libomp *libomp = libomp_of(process);
	struct libomp_team team = {.address = address};
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp->team_span, bytes));
	offsets_copy(&libomp->layout, team_members, COUNT(team_members), bytes, &team);
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

ompd_rc_t libomp_team_member(const struct process *process, const struct libomp_team *team, int32_t number,
			     ompd_addr_t *ret)
{
	return PROCESS_READ(process, team->threads + (uint64_t)number * sizeof(*ret), ret);
}

ompd_rc_t libomp_task_read(const struct process *process, ompd_addr_t address, struct libomp_task *ret)
{
	const struct libomp *libomp = libomp_of(process);
	struct libomp_task task = {0};
	uint8_t bytes[LIBOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, libomp->task_span, bytes));
	offsets_copy(&libomp->layout, task_members, COUNT(task_members), bytes, &task);
	if (task.flags & libomp->flag_freed)
		return ompd_rc_stale_handle;
	*ret = task;
	return ompd_rc_ok;
}

ompd_rc_t libomp_taskwait(const struct process *process, const struct libomp_thread *thread, struct libomp_task *ret)
{
	if (!thread->current_task || thread->gtid < 0 || !offset_known(libomp_of(process)->layout.td_taskwait_thread))
		return ompd_rc_unavailable;
	RC_TRY(libomp_task_read(process, thread->current_task, ret));
	return ret->waiting == thread->gtid + 1 ? ompd_rc_ok : ompd_rc_unavailable;
}
