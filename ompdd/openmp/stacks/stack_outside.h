/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds objects of the C library that threads sleep for: reader-writer locks, semaphores, condition variables, other
 * threads' ends, locks of streams, locks of malloc's arenas. Supports glibc.
 */
#ifndef OMPDD_OPENMP_STACK_OUTSIDE_H
#define OMPDD_OPENMP_STACK_OUTSIDE_H

#include "openmp/stacks/stacks.h"

/*
 * Copies the bytes around the word on which @thread sleeps into the arena of @s. Call it within a view, after the
 * thread's `activity` is filled in. Fails only when out of memory.
 */
MUST_USE struct error *stack_outside_read(struct target *t, struct snapshot *s, struct snapshot_thread *thread);

/*
 * Sets `outside` of the threads of @s whose stacks and bytes prove such a wait. @st was taken with @s.
 * @is_of_one_moment: all stacks are. Fails only when out of memory.
 */
MUST_USE struct error *stack_outside_find(struct stacks *st, struct snapshot *s, bool is_of_one_moment);

#endif
