/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The function that the compiler made of a task or of a region's body (OpenMP 5.2, section 20.5.7). */
#ifndef OMPDD_OPENMP_TASK_FUNCTION_H
#define OMPDD_OPENMP_TASK_FUNCTION_H

#include "base/error.h"
#include "openmp/model/snapshot.h"

struct plugin;

/*
 * Reads the function of @task, a handle of the library. *@ret has the library's code, or ompd_rc_unavailable instead
 * of address 0, which some libraries return for the initial task. ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *task_function_read(struct plugin *p, void *task, struct snapshot_word *ret);

/* The same for the implicit tasks of region @parallel, from the first one. */
MUST_USE struct error *task_function_read_region(struct plugin *p, void *parallel, struct snapshot_word *ret);

#endif
