/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions that are over, but that a library still names because the runtime keeps their teams for the next one. For
 * libraries of which that is known.
 */
#ifndef OMPDD_OPENMP_ENDED_H
#define OMPDD_OPENMP_ENDED_H

#include "base/error.h"

struct snapshot;

/*
 * Take the regions out of @s in which the thread that met the construct is no longer, with their implicit tasks; the
 * threads that waited in them are in no region (ompd_rc_unavailable). Before members_find().
 */
MUST_USE struct error *ended_drop(struct snapshot *s);

#endif
