/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks of the arenas of glibc's malloc. They do not name their holder: only functions of malloc and fork() hold one.
 */
#ifndef OMPDD_OPENMP_STACK_ARENA_H
#define OMPDD_OPENMP_STACK_ARENA_H

#include "openmp/stacks/stacks.h"

/* Functions of the C library that lock an arena; ends with NULL. */
extern const char *const stack_arena_functions[];

/*
 * Finds the thread that holds an arena for which threads of @s sleep: the only one whose stack has a function
 * that may hold it. The stacks must be of one moment. A signal handler may wait for the lock that the code below it
 * holds. Returns false unless all stacks are complete.
 */
bool stack_arena_find_holder(struct stacks *st, const struct snapshot *s, uint32_t *thread_ret);

#endif
