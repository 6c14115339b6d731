/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The control variables in a snapshot: the objects they are shown with, the variables that become fields, and their
 * values.
 */
#ifndef OMPDD_OPENMP_SNAPSHOT_ICVS_H
#define OMPDD_OPENMP_SNAPSHOT_ICVS_H

#include "base/error.h"
#include "openmp/model/icv.h"
#include "openmp/model/snapshot.h"

/* Variables that become fields; NULL if the library lacks the variable. */
struct snapshot_fields {
	struct icv_def *thread_num, *levels, *active_levels, *team_size;
};

/* Sorts the library's variables by object into the sets of @s, and into *@ret. */
void snapshot_icvs_sort(struct snapshot *s, struct icv_table *table, struct snapshot_fields *ret);

/* Reduces the sets of @s to the variables that show the kind of a task; @with_device: and its default device. */
void snapshot_icvs_keep_kinds(struct snapshot *s, bool with_device);

/* Reads a variable that becomes a field. ERR_PLUGIN_MISBEHAVED when it is negative. */
MUST_USE struct error *snapshot_icvs_read_field(struct snapshot *s, struct plugin *p, void *object, struct icv_def *def,
						struct snapshot_word *ret);

/* Reads the values of @set for @object into the arena of @s. *@ret is unchanged if the set is empty. */
MUST_USE struct error *snapshot_icvs_read(struct snapshot *s, struct plugin *p, void *object,
					  const struct snapshot_icv_set *set, struct icv_value **ret);

/* Reads the values of @task. Also sets its kind if they show an explicit task. */
MUST_USE struct error *snapshot_icvs_read_task(struct snapshot *s, struct plugin *p, struct snapshot_task *task);

/* Returns the flag @var among the values of @task; -1: not present. */
int snapshot_icvs_task_flag(const struct snapshot *s, const struct snapshot_task *task, const char *var);

#endif
