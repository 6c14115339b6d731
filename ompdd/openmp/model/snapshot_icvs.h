/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control variables in a snapshot: which are shown with what, which become fields of their own, and their values.
 */
#ifndef OMPDD_OPENMP_SNAPSHOT_ICVS_H
#define OMPDD_OPENMP_SNAPSHOT_ICVS_H

#include "base/error.h"
#include "openmp/model/icv.h"
#include "openmp/model/snapshot.h"

/* Variables that become fields of their own; NULL when the library has none such. */
struct snapshot_fields {
	struct icv_def *thread_num, *levels, *active_levels, *team_size;
};

/* Sort the library's variables by where they are shown: into the sets of @s and into *@ret. */
void snapshot_icvs_sort(struct snapshot *s, struct icv_table *table, struct snapshot_fields *ret);

/* Of the sets of @s, keep no more than what says which kind of task one is. */
void snapshot_icvs_keep_kinds(struct snapshot *s);

/* A variable that becomes a field. ERR_PLUGIN_MISBEHAVED when it is negative. */
MUST_USE struct error *snapshot_icvs_read_field(struct snapshot *s, struct plugin *p, void *object, struct icv_def *def,
						struct snapshot_word *ret);

/* The values of @set of @object, in the arena of @s; *@ret stays where the set is empty. */
MUST_USE struct error *snapshot_icvs_read(struct snapshot *s, struct plugin *p, void *object,
					  const struct snapshot_icv_set *set, struct icv_value **ret);

/* Those of @task, whose kind becomes known on the way if it is an explicit one. */
MUST_USE struct error *snapshot_icvs_read_task(struct snapshot *s, struct plugin *p, struct snapshot_task *task);

/* Whether variable @var among the values of @task says so; -1: it is not there. */
int snapshot_icvs_task_flag(const struct snapshot *s, const struct snapshot_task *task, const char *var);

#endif
