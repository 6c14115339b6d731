/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start and the end of each thread of the runtime, root or pool thread. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_THREAD_LIFE_H
#define OMPDD_RUNTIME_CORE_TEAM_THREAD_LIFE_H

struct thread;

/* Adds the calling thread @t to the list of threads, with the kernel's names for it. */
void thread_enter(struct thread *t);
/* Removes the calling thread @t from the list, and frees all that it owns. */
void thread_leave(struct thread *t);

#endif
