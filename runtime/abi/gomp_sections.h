/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sections as a loop: from 1 to their number, one at a time, in the program's order. */
#ifndef OMPDD_RUNTIME_ABI_GOMP_SECTIONS_H
#define OMPDD_RUNTIME_ABI_GOMP_SECTIONS_H

#include "core/loop.h"

static inline struct workshare_setup sections_setup(unsigned count)
{
	return (struct workshare_setup){
		.work = ompt_work_sections,
		.schedule = SCHEDULE_DYNAMIC | SCHEDULE_MONOTONIC,
		.start = 1,
		.incr = 1,
		.end = (uint64_t)count + 1,
		.n = count,
		.chunk = 1,
	};
}

#endif
