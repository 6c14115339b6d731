/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The times of the observations of diagnose.get. All functions fail as observation_take() does. */
#ifndef OMPDD_METHODS_DIAGNOSE_OBSERVE_H
#define OMPDD_METHODS_DIAGNOSE_OBSERVE_H

#include "methods/diagnose/diagnose.h"
#include "methods/diagnose/observation.h"

/* Sleep until the clock of base/clock shows @until_us. */
void diagnose_sleep_until(int64_t until_us);
/* Make the first observation, with its words, and the second one @interval_ms later. */
MUST_USE struct error *diagnose_take_two(struct worker *w, int64_t interval_ms, struct observations *l);
/* Make the second observation again. @l has none now. */
MUST_USE struct error *diagnose_take_second(struct worker *w, struct observations *l);
/*
 * Replace @first by a new observation, made when the threads of @d that a stop has woken sleep again. That may take
 * some time.
 */
MUST_USE struct error *diagnose_take_first(struct worker *w, const struct diagnosis *d, struct observation *first);

#endif
