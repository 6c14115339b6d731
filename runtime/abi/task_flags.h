/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts gcc's task flags to the runtime's. For abi/gomp_task.c and abi/gomp_taskloop.c. */
#ifndef OMPDD_RUNTIME_ABI_TASK_FLAGS_H
#define OMPDD_RUNTIME_ABI_TASK_FLAGS_H

#include <stdint.h>

#include "core/icv.h"
#include "core/task.h"

/* gcc's numbers. */
enum {
	GOMP_TASK_FLAG_UNTIED = 1 << 0,
	GOMP_TASK_FLAG_FINAL = 1 << 1,
	GOMP_TASK_FLAG_MERGEABLE = 1 << 2,
	GOMP_TASK_FLAG_DEPEND = 1 << 3,
	GOMP_TASK_FLAG_PRIORITY = 1 << 4,
	GOMP_TASK_FLAG_UP = 1 << 8,
	GOMP_TASK_FLAG_GRAINSIZE = 1 << 9,
	GOMP_TASK_FLAG_IF = 1 << 10,
	GOMP_TASK_FLAG_NOGROUP = 1 << 11,
	GOMP_TASK_FLAG_REDUCTION = 1 << 12,
	GOMP_TASK_FLAG_DETACH = 1 << 13,
	GOMP_TASK_FLAG_STRICT = 1 << 14,
};

static inline uint32_t task_flags(unsigned flags)
{
	_Static_assert(TASK_UNTIED == GOMP_TASK_FLAG_UNTIED << 1 && TASK_FINAL == GOMP_TASK_FLAG_FINAL << 1 &&
			       TASK_MERGEABLE == GOMP_TASK_FLAG_MERGEABLE << 1,
		       "they differ by a factor");
	_Static_assert(TASK_DETACHABLE == GOMP_TASK_FLAG_DETACH >> 8, "and this one");
	return (flags & (GOMP_TASK_FLAG_UNTIED | GOMP_TASK_FLAG_FINAL | GOMP_TASK_FLAG_MERGEABLE)) << 1 |
	       (flags & GOMP_TASK_FLAG_DETACH) >> 8;
}

static inline int32_t task_priority(int priority)
{
	if (priority < 0)
		return 0;
	return (uint32_t)priority > icv_process.max_task_priority ? (int32_t)icv_process.max_task_priority : priority;
}

#endif
