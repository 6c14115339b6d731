/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One pass over the threads of a target through the OMPD library: fills a snapshot. */
#ifndef OMPDD_OPENMP_WALK_H
#define OMPDD_OPENMP_WALK_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/snapshot.h"

struct model;

/*
 * Fill @s (emptied first) with @parts (enum snapshot_parts) of the present view; regions and tasks
 * get their names as handles of @client in @epoch. The guard is entered here. A field that cannot be had
 * gets its code. ERR_OPENMP_NOT_STARTED when no thread is an OpenMP one, ERR_THREADS_UNKNOWN, those of model_open(),
 * ERR_PLUGIN_MISBEHAVED, and what made the view useless (ERR_TARGET_EXITED, ERR_STOP_TIMEOUT).
 */
MUST_USE struct error *walk_snapshot(struct model *m, int64_t client, uint64_t epoch, unsigned parts,
				     unsigned timeout_ms, struct snapshot *s);

struct brief;

/* The same with SNAPSHOT_BRIEF, for looks that are made often: @brief says who asks, and is kept from one to the next
 * (openmp/model/brief.h). */
MUST_USE struct error *walk_brief(struct model *m, int64_t client, unsigned timeout_ms, struct brief *brief,
				  struct snapshot *s);

#endif
