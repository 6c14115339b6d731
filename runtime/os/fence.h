/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A memory fence that all threads of the process execute. */
#ifndef OMPDD_RUNTIME_OS_FENCE_H
#define OMPDD_RUNTIME_OS_FENCE_H

#include <stdbool.h>

/* Where fence_all() is not to be had, who sleeps looks again after so many nanoseconds. */
#define FENCE_BLIND_NS 200000

/* Called once, by the library's constructor. */
void fence_init(void);

/*
 * Every running thread of the process executes a full memory fence before this returns (those that do not run do when
 * they are switched). So two threads may agree by "store, then load" with a fence in only one of them. Some 300 ns and
 * more. False: the kernel does not do it (before 4.14, or forbidden); then nothing was ordered.
 */
bool fence_all(void);

/* Whether fence_all() is known to work: it did the last time. */
bool fence_works(void);

#endif
