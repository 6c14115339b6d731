/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many threads of each team have come to its barrier: known of a running process, too, where what its threads do is
 * not. From libraries that have a routine for it (libompd/ompd-more.h), else from the states of the team's threads.
 */
#ifndef OMPDD_OPENMP_ARRIVED_H
#define OMPDD_OPENMP_ARRIVED_H

#include "base/error.h"

struct plugin;
struct snapshot;

/* Part of the walk. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *arrived_ask(struct plugin *p, struct snapshot *s);

/* When members and states are known, those that are inferred (openmp/model/infer), too: of regions of which the library
 * has no count. */
void arrived_conclude(struct snapshot *s);

#endif
