/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the places of the threads of a process that is not stopped. The kernel's samples give them for running threads
 * (target/unwind/perf), the stacks for sleeping threads.
 */
#ifndef OMPDD_OPENMP_STACK_SEEN_H
#define OMPDD_OPENMP_STACK_SEEN_H

#include "base/error.h"
#include "openmp/stacks/stack_where.h"
#include "openmp/stacks/stacks.h"

/* Limit for the time of sampling. */
#define STACK_SEEN_MAX_MS 1000

/* All zeroes is a valid empty value. */
struct stack_seen {
	struct stacks stacks;	    /* of the threads with a readable stack */
	struct stack_where *wheres; /* one for each of the snapshot's threads; they point into `stacks` */
	struct error *why;	    /* why running threads were not sampled; NULL: they were */
};

/*
 * Takes samples in a view of a target in observe mode, for at most @ms milliseconds. It ends when each running OpenMP
 * thread of @s has been seen once. Sets the `activity` of those threads, so that their states can be inferred
 * (openmp/model/state/infer). @s must outlive *@ret. Fails only if memory is out.
 */
MUST_USE struct error *stack_seen_take(struct model *m, struct snapshot *s, unsigned ms, struct stack_seen *ret);
void stack_seen_deinit(struct stack_seen *seen);

#endif
