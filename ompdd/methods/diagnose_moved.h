/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which threads have gone on between two looks at the stacks. All may stand at a barrier whenever one looks, on a busy
 * machine, and yet nothing hangs.
 */
#ifndef OMPDD_METHODS_DIAGNOSE_MOVED_H
#define OMPDD_METHODS_DIAGNOSE_MOVED_H

#include "methods/diagnose.h"

struct whereabout {
	pid_t tid;
	uint64_t place; /* as waits_thread.place */
	char *text;	/* for people */
};

struct whereabouts {
	struct whereabout *threads; /* in the order of the snapshot */
	size_t n;
};

/* Whether nothing says why threads wait, though some had a CPU: then another look may. */
bool diagnose_is_unclear(const struct diagnosis *d);
/* Where the threads of @d are that it sees in the program's code. Fails for lack of memory only. */
MUST_USE struct error *diagnose_whereabouts(const struct diagnosis *d, struct whereabouts *ret);
/* If threads of @d are elsewhere than @before: a finding that says so, and the verdict. Fails for lack of memory only.
 */
MUST_USE struct error *diagnose_find_moved(struct diagnosis *d, const struct whereabouts *before);
/* All zeroes is a valid empty value. */
void whereabouts_deinit(struct whereabouts *w);

#endif
