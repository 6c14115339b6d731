/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The diagnosis of one runtime: what a view captures, and what follows from it and from the observations. */
#ifndef OMPDD_METHODS_DIAGNOSIS_H
#define OMPDD_METHODS_DIAGNOSIS_H

#include "methods/diagnose/diagnose.h"

struct observations;
struct progress_history;

/* Capture the snapshot, the words of the waits and the stacks. d->w and d->m are set. Call it during a view. */
MUST_USE struct error *diagnosis_capture(struct worker *w, struct diagnosis *d);

/* Find holders, motions, progress and waits. @history has the progress of this runtime at earlier observations. */
MUST_USE struct error *diagnosis_conclude(struct diagnosis *d, const struct observations *observations,
					  struct progress_history *history);

/* Free what @d owns, and set it to zeroes. */
void diagnosis_deinit(struct diagnosis *d);

#endif
