/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control groups: finds the version 2 group of a process, moves a process to another group, and reports whether a group
 * of either version is frozen. While something is planted in a program, ompdd-tracer moves to the program's group.
 */
#ifndef OMPDD_TARGET_GROUP_H
#define OMPDD_TARGET_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* A group's path as /proc shows it. */
#define GROUP_MAX 1024

/*
 * Store the version 2 group of @pid in @ret, of GROUP_MAX bytes. Return false if there is no such group, or it lies
 * outside the visible hierarchy.
 */
bool group_of(pid_t pid, char *ret);
/* Return whether processes can be moved to the group: we may write to it, and its processes are not frozen. */
bool group_is_open(const char *group);
/*
 * Return whether @tid, a process or a thread, is frozen with its group. If so, store the group's path in @ret, of
 * GROUP_MAX bytes.
 */
bool group_is_frozen(pid_t tid, char *ret);
/* Move @pid to the group; 0: the caller. It may fail. The kernel can need 10 ms for it. */
void group_enter(const char *group, pid_t pid);

#endif
