/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of a region that was reported to a tool. Without a tool, a member that has finished returns to its seat and
 * may still run tasks of the region there. A tool that has seen the end of the implicit task does not expect that.
 * With a tool, all members wait for each other and for the region's tasks, and only then end their implicit tasks.
 */
#include "core/team/tool_region.h"

#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "core/task/task_run.h"
#include "omp-tools.h"
#include "os/futex.h"
#include "tools/ompt.h"

/* A sleeping thread is not woken for tasks. */
#define SLEEP_NS 500000

/* Called by the primary thread. If all members have arrived and no task is left, releases them and returns true. */
static bool release_members(struct team *team)
{
	if (__atomic_load_n(&team->tool_arrived, __ATOMIC_ACQUIRE) != team->n_threads ||
	    (team_has_tasks(team) && !task_team_is_done(team)))
		return false;
	__atomic_store_n(&team->tool_released, team->epoch, __ATOMIC_RELEASE);
	futex_wake(&team->tool_released, INT_MAX);
	return true;
}

static void wait_for_members(struct thread *t)
{
	struct team *team = t->team;
	uint32_t epoch = t->epoch, before = __atomic_load_n(&team->tool_released, __ATOMIC_RELAXED);
	bool is_primary = t->thread_num == 0;
	struct waiter waiter = {0};

	/* The last member may wake the primary thread. */
	if (__atomic_add_fetch(&team->tool_arrived, 1, __ATOMIC_ACQ_REL) == t->n_threads)
		futex_wake(&team->tool_released, INT_MAX);
	while (is_primary ? !release_members(team) : __atomic_load_n(&team->tool_released, __ATOMIC_ACQUIRE) != epoch) {
		if (team_has_tasks(team) && task_run_one(t))
			waiter_reset(&waiter);
		else if (!wait_step(&waiter))
			sleep_on(&team->tool_released, before, SLEEP_NS);
	}
}

void tool_region_wait(struct thread *t)
{
	/* Only the primary thread knows the construct's return address for certain. */
	const void *return_address = t->thread_num ? NULL : t->team->site.return_address;

	state_wait(t, ompt_state_wait_barrier_implicit_parallel, &t->team->barrier);
	ompt_sync_region(t, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, return_address);
	wait_for_members(t);
	ompt_sync_region(t, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, return_address);
}

void tool_region_run(void *data)
{
	struct thread *t = thread_peek();
	struct team *team = t->team;
	struct task *task = t->task;

	task_enter_program(task, __builtin_dwarf_cfa());
	team->fn(data);
	task_leave_program(task);

	tool_region_wait(t);
	ompt_member_end(t);
}
