/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conclusions from the answers of a complete walk: kinds of tasks, functions of regions, missing regions. */
#ifndef OMPDD_OPENMP_CONCLUDE_H
#define OMPDD_OPENMP_CONCLUDE_H

#include <stddef.h>

struct snapshot;

/* Determines the kinds of the first @n_tasks tasks (the tasks that were walked) and the functions of regions. */
void conclude_tasks(struct snapshot *s, size_t n_tasks);

/* Sets `has_gaps` of @s if the library has left out regions. */
void conclude_gaps(struct snapshot *s);

#endif
