/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the threads of a process are that nobody stops: of those that run the kernel's samples say it (target/perf),
 * of those that sleep their stacks.
 */
#ifndef OMPDD_OPENMP_STACK_SEEN_H
#define OMPDD_OPENMP_STACK_SEEN_H

#include "base/error.h"
#include "openmp/stacks/stack_where.h"
#include "openmp/stacks/stacks.h"

/* Longest time of sampling. */
#define STACK_SEEN_MAX_MS 1000

/* All zeroes is a valid empty value. */
struct stack_seen {
	struct stacks stacks;	    /* of the threads whose stack was had */
	struct stack_where *wheres; /* one for each of the snapshot's threads; they refer to `stacks` */
	struct error *why;	    /* why running ones were not sampled; NULL: they were */
};

/*
 * In a view of a target in observe mode: for at most @ms milliseconds, until each running OpenMP thread of @s has been
 * seen once. Sets `activity` of those, so that their states can be inferred (openmp/model/infer). @s must outlive
 * *@ret. Fails for lack of memory only.
 */
MUST_USE struct error *stack_seen_take(struct model *m, struct snapshot *s, unsigned ms, struct stack_seen *ret);
void stack_seen_deinit(struct stack_seen *seen);

#endif
