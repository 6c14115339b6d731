/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A walk that asks no more than what each thread does and where, for looks that are made a hundred times a second: of
 * tasks only the explicit ones that threads execute, no members of regions, no control variables. For
 * openmp/model/walk.
 */
#ifndef OMPDD_OPENMP_BRIEF_H
#define OMPDD_OPENMP_BRIEF_H

#include "base/error.h"
#include "openmp/model/icv.h"
#include "openmp/model/snapshot.h"

struct plugin;

struct brief {
	/* What thread @tid does, as target_activity() says it. */
	void (*activity)(void *arg, pid_t tid, struct target_activity *ret);
	void *arg;
	/* The library's variable that tells explicit tasks, and its value for them; NULL: it has none. */
	struct icv_def *explicit_task;
	int64_t explicit_value;
};

/* At the begin of a walk. */
void brief_begin(struct brief *b, struct icv_table *table, struct snapshot *s);
/* @thread executes @task, which @rc came with: adds it to @s if it is explicit. Takes ownership of @task. */
MUST_USE struct error *brief_task(struct brief *b, struct plugin *p, struct snapshot *s, int rc,
				  ompd_task_handle_t *task, struct snapshot_thread *thread);

#endif
