/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control groups: finds the version 2 group of a process, moves a process to another group, and reports whether a group
 * of either version is frozen. While something is planted in a program, ompdd-tracer moves to the program's group.
 */
#ifndef OMPDD_TARGET_CGROUP_H
#define OMPDD_TARGET_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A group's path as /proc shows it. */
#define CGROUP_MAX_PATH 1024

/*
 * Store the version 2 group of @pid in @ret, of CGROUP_MAX_PATH bytes. Return false if there is no such group, or it
 * lies outside the visible hierarchy.
 */
bool cgroup_find(pid_t pid, char *ret);
/* The use of a group's CPU quota. The numbers of periods grow from the group's start. */
struct cgroup_quota {
	char group[CGROUP_MAX_PATH];
	uint64_t quota_us, period_us; /* all its threads together may use `quota_us` in each period */
	uint64_t n_periods, n_throttled;
};

/*
 * Find the innermost group of @pid, or one above it, that has a CPU quota. Return false without such a group, or if no
 * hierarchy of CPU groups is visible.
 */
bool cgroup_quota_read(pid_t pid, struct cgroup_quota *ret);

/*
 * Store for how many microseconds some thread of the version 2 group of @pid waited for memory, since the group's start
 * (memory.pressure). Return false without such a group or file.
 */
bool cgroup_memory_pressure(pid_t pid, uint64_t *us_ret);

/* Return whether processes can be moved to the group: we may write to it, and its processes are not frozen. */
bool cgroup_is_open(const char *group);
/*
 * Return whether @tid, a process or a thread, is frozen with its group. If so, store the group's path in @ret, of
 * CGROUP_MAX_PATH bytes.
 */
bool cgroup_is_frozen(pid_t tid, char *ret);
/* Move @pid to the group; 0: the caller. It may fail. The kernel can need 10 ms for it. */
void cgroup_enter(const char *group, pid_t pid);

#endif
