/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the call by which a thread went into a parallel region returns to, on its stack. */
#ifndef OMPDD_WORKER_REGION_RETURN_H
#define OMPDD_WORKER_REGION_RETURN_H

#include "base/error.h"

struct model;
struct region_encounter;
struct stack_frame;
struct worker;

/* That frame of the thread that @e says, of a region of runtime @m, within a stop. ERR_STEP_IMPOSSIBLE: it is not to be
 * seen there. */
MUST_USE struct error *region_return_find(struct worker *w, struct model *m, const struct region_encounter *e,
					  struct stack_frame *ret);

#endif
