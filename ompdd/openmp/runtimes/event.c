/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of events and of their OMPD functions. */
#include "openmp/runtimes/event.h"

#include <stddef.h>

static const struct {
	const char *name;
	const char *ompd; /* the OMPD runtime's function */
} kinds[EVENT_KINDS] = {
	[EVENT_PARALLEL_BEGIN] = {"parallel_begin", "ompd_bp_parallel_begin"},
	[EVENT_PARALLEL_END] = {"parallel_end", "ompd_bp_parallel_end"},
	[EVENT_TASK_BEGIN] = {"task_begin", "ompd_bp_task_begin"},
	[EVENT_TASK_END] = {"task_end", "ompd_bp_task_end"},
	[EVENT_THREAD_BEGIN] = {"thread_begin", "ompd_bp_thread_begin"},
	[EVENT_THREAD_END] = {"thread_end", "ompd_bp_thread_end"},
	[EVENT_DLL_LOCATIONS_VALID] = {"ompd_dll_locations_valid", "ompd_dll_locations_valid"},
	[EVENT_TEAMS_BEGIN] = {"teams_begin", "ompd_bp_teams_begin"},
	[EVENT_TEAMS_END] = {"teams_end", "ompd_bp_teams_end"},
	[EVENT_TARGET_BEGIN] = {"target_begin", "ompd_bp_target_begin"},
	[EVENT_TARGET_END] = {"target_end", "ompd_bp_target_end"},
	[EVENT_DEVICE_BEGIN] = {"device_begin", "ompd_bp_device_begin"},
	[EVENT_DEVICE_END] = {"device_end", "ompd_bp_device_end"},
	[EVENT_BARRIER_ENTER] = {"barrier_enter", NULL},
	[EVENT_BARRIER_EXIT] = {"barrier_exit", NULL},
	[EVENT_BARRIER_ALL_ENTERED] = {"barrier_all_entered", "ompd_bp_barrier_all_entered"},
	[EVENT_IMPLICIT_BARRIER_ENTER] = {"implicit_barrier_enter", NULL},
	[EVENT_IMPLICIT_BARRIER_EXIT] = {"implicit_barrier_exit", NULL},
	[EVENT_TASKWAIT_ENTER] = {"taskwait_enter", NULL},
	[EVENT_TASKWAIT_EXIT] = {"taskwait_exit", NULL},
	[EVENT_ORDERED_ACQUIRE] = {"ordered_acquire", NULL},
	[EVENT_ORDERED_ACQUIRED] = {"ordered_acquired", NULL},
	[EVENT_ORDERED_RELEASE] = {"ordered_release", NULL},
	[EVENT_CRITICAL_ACQUIRE] = {"critical_acquire", NULL},
	[EVENT_CRITICAL_ACQUIRED] = {"critical_acquired", NULL},
	[EVENT_CRITICAL_RELEASE] = {"critical_release", NULL},
	[EVENT_ATOMIC_ACQUIRE] = {"atomic_acquire", NULL},
	[EVENT_ATOMIC_ACQUIRED] = {"atomic_acquired", NULL},
	[EVENT_ATOMIC_RELEASE] = {"atomic_release", NULL},
	[EVENT_LOCK_ACQUIRE] = {"lock_acquire", NULL},
	[EVENT_LOCK_ACQUIRED] = {"lock_acquired", NULL},
	[EVENT_LOCK_RELEASE] = {"lock_release", NULL},
	[EVENT_SINGLE_ENTER] = {"single_enter", NULL},
	[EVENT_SINGLE_BEGIN] = {"single_begin", NULL},
	[EVENT_TASK_CREATE] = {"task_create", NULL},
	[EVENT_TARGET_DATA] = {"target_data", NULL},
	[EVENT_TARGET_DATA_END] = {"target_data_end", NULL},
	[EVENT_TARGET_SUBMIT] = {"target_submit", NULL},
};

const char *event_name(enum event_kind kind)
{
	return kinds[kind].name;
}

const char *event_ompd_function(enum event_kind kind)
{
	return kinds[kind].ompd;
}
