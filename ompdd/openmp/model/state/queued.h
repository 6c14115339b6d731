/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Deferred tasks that have not started, from libraries that have a routine for them (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_QUEUED_H
#define OMPDD_OPENMP_QUEUED_H

#include <stdbool.h>

#include "base/error.h"

struct names;
struct plugin;
struct snapshot_task;

/* Queued tasks in one snapshot. More are only counted, and the snapshot is truncated. */
#define QUEUED_MAX_TASKS 2048

/*
 * Counts the queued tasks of each region in the snapshot of @names. @with_tasks: also adds them to its tasks.
 * ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *queued_find(struct plugin *p, struct names *names, bool with_tasks);

/* Reads of @task, which has not started, how many tasks it depends on, and whether it is a target task. */
void queued_read_task(struct plugin *p, struct snapshot_task *task);

#endif
