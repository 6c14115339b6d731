/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tasks that threads execute: whether a snapshot has them all. */
#ifndef OMPDD_OPENMP_EXECUTED_TASKS_H
#define OMPDD_OPENMP_EXECUTED_TASKS_H

#include <stdbool.h>

struct snapshot;

/*
 * Returns whether @s has every task that has started and not finished. Each thread must be idle, unknown to the
 * runtime, or in an implicit task whose enclosing tasks are implicit too. Below an explicit task there may be others,
 * which only the stack shows.
 */
bool executed_tasks_are_complete(const struct snapshot *s);

#endif
