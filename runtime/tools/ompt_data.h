/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool's view of the runtime's structs. Shared by the ompt_*.c files. */
#ifndef OMPDD_RUNTIME_TOOLS_OMPT_DATA_H
#define OMPDD_RUNTIME_TOOLS_OMPT_DATA_H

#include <stddef.h>

#include "core/state/task.h"
#include "core/state/team.h"
#include "omp-tools.h"

_Static_assert(sizeof(struct task_frame) == sizeof(ompt_frame_t) &&
		       offsetof(struct task_frame, enter) == offsetof(ompt_frame_t, enter_frame) &&
		       offsetof(struct task_frame, exit_flags) == offsetof(ompt_frame_t, exit_frame_flags) &&
		       offsetof(struct task_frame, enter_flags) == offsetof(ompt_frame_t, enter_frame_flags),
	       "one is the other");

/* Index in ompt_enumerate_mutex_impls: core/sync/lock. */
#define OMPT_MUTEX_FUTEX 1

static inline ompt_data_t *ompt_data(uint64_t *word)
{
	return (ompt_data_t *)(void *)word;
}

static inline ompt_frame_t *ompt_frame_of(struct task *task)
{
	return (ompt_frame_t *)(void *)&task->frame;
}

/*
 * The address to which the entry point returns. If only the frame is known, it is read from there (x86-64). NULL: not
 * known.
 */
static inline const void *ompt_code_of(struct site site)
{
#if defined(__x86_64__)
	if (!site.return_address && site.frame)
		return ((const void *const *)site.frame)[-1];
#endif
	return site.return_address;
}

/* The tool's word of the region of @team. All teams of a league share one. */
static inline ompt_data_t *ompt_data_of_region(struct team *team)
{
	return ompt_data(team->tool_league ? &team->around->league_data : &team->tool_data);
}

/* ompt_task_flag_t */
static inline int ompt_flags_of(const struct task *task)
{
	int flags = task->kind == TASK_INITIAL	  ? ompt_task_initial
		    : task->kind == TASK_IMPLICIT ? ompt_task_implicit
						  : ompt_task_explicit;

	/* The task that stands for a taskwait with dependences. */
	if (task->kind == TASK_EXPLICIT && !task->fn)
		return ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
	if (task->flags & TASK_TARGET)
		flags |= ompt_task_target;
	if (task->flags & TASK_UNDEFERRED)
		flags |= ompt_task_undeferred;
	if (task->flags & TASK_UNTIED)
		flags |= ompt_task_untied;
	if (task->flags & TASK_FINAL)
		flags |= ompt_task_final;
	if (task->flags & TASK_MERGEABLE)
		flags |= ompt_task_mergeable;
	return flags;
}

#endif
