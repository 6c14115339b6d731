/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which tasks threads are in: whether a snapshot has them all. */
#ifndef OMPDD_OPENMP_EXECUTED_H
#define OMPDD_OPENMP_EXECUTED_H

#include <stdbool.h>

struct snapshot;

/*
 * Whether every task that has begun and is not over is in @s: each thread is idle, unknown to the runtime, or in an
 * implicit task, and so are those around that. Below an explicit task there may be others, which only the stack knows.
 */
bool executed_is_all(const struct snapshot *s);

#endif
