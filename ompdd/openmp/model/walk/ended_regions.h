/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Removes finished regions that a library still names because the runtime keeps their teams for the next region. For
 * libraries that are known to do that.
 */
#ifndef OMPDD_OPENMP_ENDED_REGIONS_H
#define OMPDD_OPENMP_ENDED_REGIONS_H

#include "base/error.h"

struct snapshot;

/*
 * Removes from @s each region that the encountering thread has left, with its implicit tasks. Threads that waited in
 * such a region are in no region then (ompd_rc_unavailable). Call it before members_find(). Fails for lack of memory
 * only.
 */
MUST_USE struct error *ended_regions_drop(struct snapshot *s);

#endif
