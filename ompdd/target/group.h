/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control groups: which one (of version 2) a process is in, and to go to another, as ompdd-tracer goes to that of the
 * program while something is planted there (target/keeper.h); whether a group is frozen, of either version.
 */
#ifndef OMPDD_TARGET_GROUP_H
#define OMPDD_TARGET_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* A group's path as /proc shows it. */
#define GROUP_MAX 1024

/* False: there is none of version 2, or it lies outside of what we can see. @ret has GROUP_MAX bytes. */
bool group_of(pid_t pid, char *ret);
/* Whether processes can be brought there: we may write to it, and those in it are not frozen. */
bool group_is_open(const char *group);
/* Whether @tid, a process or a thread, is frozen with its group; then its path in @ret, of GROUP_MAX bytes. */
bool group_is_frozen(pid_t tid, char *ret);
/* Bring @pid there; 0: the caller. It may fail. It can take a hundredth of a second, in the kernel. */
void group_enter(const char *group, pid_t pid);

#endif
