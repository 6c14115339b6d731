/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The number of threads of each team that have arrived at the team's barrier. It is known also for a running process,
 * where the activity of threads is not. The count comes from the library's own routine (libompd/ompd-more.h), else from
 * the states of the team's threads.
 */
#ifndef OMPDD_OPENMP_BARRIER_ARRIVALS_H
#define OMPDD_OPENMP_BARRIER_ARRIVALS_H

#include "base/error.h"

struct plugin;
struct snapshot;

/* Asks the library for the arrival counts of the regions in @s. Part of the walk. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *barrier_arrivals_request(struct plugin *p, struct snapshot *s);

/*
 * Counts arrivals from thread states, for regions without a count of the library. Call it when members and states are
 * known, inferred states (openmp/model/state/infer) included.
 */
void barrier_arrivals_count(struct snapshot *s);

#endif
