/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* These fields need all threads of a complete walk together. */
#include "openmp/model/walk/snapshot_derived.h"

#include "openmp/model/snapshot.h"
#include "openmp/model/snapshot_icvs.h"
#include "openmp/plugin/ompd.h"

/* Determines initial, implicit or explicit from the variables and the region's level. */
static void classify_tasks(struct snapshot *s, size_t n_tasks)
{
	for (size_t i = 0; i < n_tasks; i++) {
		struct snapshot_task *task = &s->tasks[i];
		int is_explicit = snapshot_icvs_task_flag(s, task, "explicit-task-var");
		int is_implicit = snapshot_icvs_task_flag(s, task, "implicit-task-var");

		if (is_explicit == 1 || is_implicit == 0) {
			task->kind = TASK_EXPLICIT;
		} else if (is_explicit == 0 || is_implicit == 1) {
			const struct snapshot_parallel *parallel =
				task->parallel.index == SNAPSHOT_NONE ? NULL : &s->parallels[task->parallel.index];

			if (parallel && parallel->level.rc == ompd_rc_ok)
				task->kind = parallel->level.value == 0 ? TASK_INITIAL : TASK_IMPLICIT;
			else
				task->kind = TASK_IMPLICIT;
		}
	}
}

static void set_region_functions(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_tasks; i++) {
		const struct snapshot_task *task = &s->tasks[i];

		if ((task->kind == TASK_IMPLICIT || task->kind == TASK_INITIAL) && task->function.rc == ompd_rc_ok &&
		    task->parallel.index != SNAPSHOT_NONE)
			s->parallels[task->parallel.index].function = task->function;
	}
}

void snapshot_derived_set_tasks(struct snapshot *s, size_t n_tasks)
{
	classify_tasks(s, n_tasks);
	set_region_functions(s);
}

/* A region whose level is not its encloser's level plus one shows that the library left out regions. */
void snapshot_derived_set_gaps(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_parallels; i++) {
		const struct snapshot_parallel *inner = &s->parallels[i];
		int64_t below = -1;

		if (inner->level.rc != ompd_rc_ok || inner->enclosing.rc == ompd_rc_incomplete)
			continue;
		/* Within other regions, the levels of target regions and leagues start at 0 again. */
		if (inner->level.value == 0)
			continue;
		if (inner->enclosing.index != SNAPSHOT_NONE) {
			const struct snapshot_word *outer = &s->parallels[inner->enclosing.index].level;

			if (outer->rc != ompd_rc_ok)
				continue;
			below = outer->value;
		}
		/* Avoid an overflow: the library may return any level. */
		if (below == INT64_MAX || inner->level.value != below + 1)
			s->has_gaps = true;
	}
}
