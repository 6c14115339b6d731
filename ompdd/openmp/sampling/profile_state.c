/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of OMPT's states and their names in a profile. */
#include "openmp/sampling/profile_state.h"

#include <omp-tools.h>
#include <stddef.h>

static const struct {
	int ompt;
	enum profile_state state;
} states[] = {
	{ompt_state_work_serial, PROFILE_SERIAL},
	{ompt_state_work_parallel, PROFILE_WORK},
	{ompt_state_work_reduction, PROFILE_WORK},
	{ompt_state_work_free_agent, PROFILE_WORK},
	{ompt_state_work_induction, PROFILE_WORK},
	{ompt_state_wait_barrier, PROFILE_BARRIER},
	{ompt_state_wait_barrier_implicit_parallel, PROFILE_BARRIER_IMPLICIT},
	{ompt_state_wait_barrier_implicit_workshare, PROFILE_BARRIER_IMPLICIT},
	{ompt_state_wait_barrier_implicit, PROFILE_BARRIER_IMPLICIT},
	{ompt_state_wait_barrier_explicit, PROFILE_BARRIER_EXPLICIT},
	{ompt_state_wait_barrier_implementation, PROFILE_BARRIER_IMPLICIT},
	{ompt_state_wait_barrier_teams, PROFILE_BARRIER_IMPLICIT},
	{ompt_state_wait_taskwait, PROFILE_TASKWAIT},
	{ompt_state_wait_taskgroup, PROFILE_TASKGROUP},
	{ompt_state_wait_mutex, PROFILE_MUTEX},
	{ompt_state_wait_lock, PROFILE_LOCK},
	{ompt_state_wait_critical, PROFILE_CRITICAL},
	{ompt_state_wait_atomic, PROFILE_ATOMIC},
	{ompt_state_wait_ordered, PROFILE_ORDERED},
	{ompt_state_wait_target, PROFILE_TARGET},
	{ompt_state_wait_target_map, PROFILE_TARGET},
	{ompt_state_wait_target_update, PROFILE_TARGET},
	{ompt_state_idle, PROFILE_IDLE},
	{ompt_state_overhead, PROFILE_OVERHEAD},
};

enum profile_state profile_state_of(int64_t ompt_state)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (states[i].ompt == ompt_state)
			return states[i].state;
	}
	return PROFILE_UNKNOWN;
}

const char *profile_state_name(enum profile_state state)
{
	static const char *const names[PROFILE_N_STATES] = {
		[PROFILE_WORK] = "work",
		[PROFILE_SERIAL] = "serial",
		[PROFILE_BARRIER_EXPLICIT] = "barrier_explicit",
		[PROFILE_BARRIER_IMPLICIT] = "barrier_implicit",
		[PROFILE_BARRIER] = "barrier",
		[PROFILE_TASKWAIT] = "taskwait",
		[PROFILE_TASKGROUP] = "taskgroup",
		[PROFILE_CRITICAL] = "critical",
		[PROFILE_LOCK] = "lock",
		[PROFILE_ATOMIC] = "atomic",
		[PROFILE_MUTEX] = "mutex",
		[PROFILE_ORDERED] = "ordered",
		[PROFILE_TARGET] = "target",
		[PROFILE_IDLE] = "idle",
		[PROFILE_ASLEEP] = "asleep",
		[PROFILE_OVERHEAD] = "overhead",
		[PROFILE_UNKNOWN] = "unknown",
	};

	return names[state];
}

bool profile_state_waits(enum profile_state state)
{
	return state >= PROFILE_BARRIER_EXPLICIT && state < PROFILE_IDLE;
}

bool profile_state_at_lock(enum profile_state state)
{
	return state >= PROFILE_CRITICAL && state <= PROFILE_MUTEX;
}
