/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mutexes of the C library (pthread_mutex_t, std::mutex of C++) that threads sleep for, and who holds them: what mixed
 * with OpenMP's locks is a deadlock that neither of the two can see. Known of glibc's plain, recursive, error-checking
 * and adaptive mutexes of one process; what a robust one or one with priorities keeps is not looked at.
 */
#ifndef OMPDD_OPENMP_STACK_MUTEX_H
#define OMPDD_OPENMP_STACK_MUTEX_H

#include "openmp/stacks/stacks.h"

/* Within a view, with its `activity` filled: note what could be such a mutex of the word on which @thread sleeps. */
void stack_mutex_read(struct target *t, struct snapshot_thread *thread);

/*
 * Keep of that what is proven: the thread's stack shows that the program called pthread_mutex_lock(), which sleeps, and
 * the mutex names one of the process's threads; or, where @is_consistent, one that is not there any more. @s is the
 * snapshot that @st was taken with, and @is_consistent whether all of it is of one moment.
 */
void stack_mutex_find(struct stacks *st, struct snapshot *s, bool is_consistent);

#endif
