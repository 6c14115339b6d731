/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The return address of the call by which a thread entered a parallel region. */
#ifndef OMPDD_WORKER_REGION_RETURN_H
#define OMPDD_WORKER_REGION_RETURN_H

#include <sys/types.h>

#include "base/error.h"
#include "target/unwind/stack.h"

struct worker;

struct region_return {
	pid_t tid;		  /* the encountering thread */
	unsigned runtime;	  /* as in struct event_place */
	struct stack_frame frame; /* the call of the region returns to this frame */
};

/*
 * Find the return from the innermost region that thread @tid is in, in any runtime. Must run within a stop. Then the
 * main runtime is selected. ERR_STEP_IMPOSSIBLE: the thread is in no region, or the frame cannot be identified.
 */
MUST_USE struct error *region_return_find_innermost(struct worker *w, pid_t tid, struct region_return *ret);

#endif
