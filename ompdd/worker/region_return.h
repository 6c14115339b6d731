/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The return address of the call by which a thread entered a parallel region. */
#ifndef OMPDD_WORKER_REGION_RETURN_H
#define OMPDD_WORKER_REGION_RETURN_H

#include "base/error.h"

struct model;
struct region_encounter;
struct stack_frame;
struct worker;

/*
 * Find the frame to which the call of the region @e of runtime @m returns, on the stack of the thread in @e. Must run
 * within a stop. ERR_STEP_IMPOSSIBLE: the frame cannot be identified.
 */
MUST_USE struct error *region_return_find(struct worker *w, struct model *m, const struct region_encounter *e,
					  struct stack_frame *ret);

#endif
