/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What follows from a walk's answers when none is outstanding: kinds of tasks, functions of regions, missing regions.
 */
#ifndef OMPDD_OPENMP_CONCLUDE_H
#define OMPDD_OPENMP_CONCLUDE_H

#include <stddef.h>

struct snapshot;

/* The kinds of the first @n_tasks tasks, those that were looked at, and the functions of regions. */
void conclude_tasks(struct snapshot *s, size_t n_tasks);

/* Whether the library has left regions out. */
void conclude_gaps(struct snapshot *s);

#endif
