/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds mutexes of the C library (pthread_mutex_t, std::mutex of C++) that threads sleep for, and their holders. Mixed
 * with OpenMP's locks they can form a deadlock that neither library can see alone. Supports glibc's plain, recursive,
 * error-checking and adaptive mutexes of one process. Robust mutexes and those with priorities are ignored.
 */
#ifndef OMPDD_OPENMP_STACK_MUTEX_H
#define OMPDD_OPENMP_STACK_MUTEX_H

#include "openmp/stacks/stacks.h"

/* Returns whether the module is glibc. */
bool stack_mutex_is_glibc(const struct target_module *module);

/*
 * Notes the candidate mutex at the word on which @thread sleeps. Call it within a view, after the thread's `activity`
 * is filled in.
 */
void stack_mutex_read(struct target *t, struct snapshot_thread *thread);

/*
 * Keeps only proven mutexes. The thread's stack must show that the program called pthread_mutex_lock(), which sleeps.
 * The mutex must name one of the process's threads; if @is_consistent, it may name a thread that has exited. @st was
 * taken with the snapshot @s. @is_consistent: all of @s is of one moment.
 */
void stack_mutex_find(struct stacks *st, struct snapshot *s, bool is_consistent);

#endif
