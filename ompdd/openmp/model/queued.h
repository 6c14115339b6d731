/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks that were deferred and have not begun, from libraries that have a routine for them (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_QUEUED_H
#define OMPDD_OPENMP_QUEUED_H

#include <stdbool.h>

#include "base/error.h"

struct names;
struct plugin;
struct snapshot_task;

/* Tasks of a snapshot; more are counted only, and the snapshot is truncated. */
#define QUEUED_MAX_TASKS 2048

/*
 * Count those of each region of the snapshot of @names; @with_tasks: also add them to its tasks. ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *queued_find(struct plugin *p, struct names *names, bool with_tasks);

/* For how many others @task, which has not begun, has to wait. */
void queued_read_predecessors(struct plugin *p, struct snapshot_task *task);

#endif
