/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A memory fence that all threads of the process execute. */
#ifndef OMPDD_RUNTIME_OS_FENCE_H
#define OMPDD_RUNTIME_OS_FENCE_H

#include <stdbool.h>

/* Without fence_all(), a sleeping thread looks again after this many nanoseconds. */
#define FENCE_BLIND_NS 200000

/* Called once, by the library's constructor. */
void fence_init(void);

/*
 * Every running thread of the process executes a full memory fence before this returns. Threads that do not run
 * execute one when they are scheduled. Two threads can thus agree by "store, then load" with a fence in one of them
 * only. It takes 300 ns or more. Returns false if the kernel cannot do it (before 4.14, or forbidden). Nothing is
 * ordered then.
 */
bool fence_all(void);

/* Returns whether the last call of fence_all() worked. */
bool fence_works(void);

#endif
