/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ancestry of tasks. */
#ifndef OMPDD_RUNTIME_CORE_TASK_TASK_TREE_H
#define OMPDD_RUNTIME_CORE_TASK_TASK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/task.h"

/*
 * Returns whether @task, which was generated after @ancestor started, descends from it. If @task may be freed
 * (core/state/task.h), the answer is meaningless, but the walk stays within slots and ends.
 */
static inline bool task_descends(const struct task *task, const struct task *ancestor)
{
	uint32_t depth = __atomic_load_n(&task->depth, __ATOMIC_RELAXED);

	for (; depth > ancestor->depth; depth--) {
		task = __atomic_load_n(&task->parent, __ATOMIC_RELAXED);
		if (task == ancestor)
			return true;
		if (!task)
			return false;
	}
	return false;
}

#endif
