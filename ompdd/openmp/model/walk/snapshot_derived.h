/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets the fields of a snapshot that follow from a complete walk: kinds of tasks, functions of regions, missing
 * regions. */
#ifndef OMPDD_OPENMP_SNAPSHOT_DERIVED_H
#define OMPDD_OPENMP_SNAPSHOT_DERIVED_H

#include <stddef.h>

struct snapshot;

/* Determines the kinds of the first @n_tasks tasks (the tasks that were walked) and the functions of regions. */
void snapshot_derived_set_tasks(struct snapshot *s, size_t n_tasks);

/* Sets `has_gaps` of @s if the library has left out regions. */
void snapshot_derived_set_gaps(struct snapshot *s);

#endif
