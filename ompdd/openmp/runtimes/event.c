/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of events, ours and those of their functions. */
#include "openmp/runtimes/event.h"

static const struct {
	const char *name;
	const char *ompd; /* the function of an OMPD runtime */
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
};

const char *event_name(enum event_kind kind)
{
	return kinds[kind].name;
}

const char *event_ompd_function(enum event_kind kind)
{
	return kinds[kind].ompd;
}
