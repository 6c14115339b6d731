/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that have moved between two observations at the stacks. On a busy machine, every observation may find all
 * threads at a barrier although the program does not hang.
 */
#ifndef OMPDD_METHODS_DIAGNOSE_MOVED_H
#define OMPDD_METHODS_DIAGNOSE_MOVED_H

#include "methods/diagnose/diagnose.h"

struct whereabout {
	pid_t tid;
	uint64_t place; /* as waits_thread.place */
	char *text;	/* as text */
};

struct whereabouts {
	struct whereabout *threads; /* in the order of the snapshot */
	size_t n;
};

/*
 * Return whether no finding explains why threads wait although some of them got a CPU. Another observation may explain
 * it then.
 */
bool diagnose_is_unclear(const struct diagnosis *d);
/* Record the places of the threads of @d in the program's code, where they are known. Fails only when out of memory. */
MUST_USE struct error *diagnose_whereabouts(const struct diagnosis *d, struct whereabouts *ret);
/* Add a finding and the verdict if threads of @d are at other places than in @before. Fails only when out of memory. */
MUST_USE struct error *diagnose_find_moved(struct diagnosis *d, const struct whereabouts *before);
/* Free the contents of @w. All zeroes is a valid empty value. */
void whereabouts_deinit(struct whereabouts *w);

#endif
