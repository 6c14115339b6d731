/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One pass over the threads of a target through the OMPD library: fills a snapshot. */
#ifndef OMPDD_OPENMP_WALK_H
#define OMPDD_OPENMP_WALK_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/snapshot.h"

struct model;

/*
 * Empties @s and fills it with @parts (enum snapshot_parts) of the current view. Regions and tasks are named by handles
 * of @client in @epoch. The function enters the guard itself. An unavailable field gets its code.
 * ERR_OPENMP_NOT_STARTED when no thread is an OpenMP thread, ERR_THREADS_UNKNOWN, those of model_open(),
 * ERR_PLUGIN_MISBEHAVED, and the reasons for a useless view (ERR_TARGET_EXITED, ERR_STOP_TIMEOUT).
 */
MUST_USE struct error *walk_snapshot(struct model *m, int64_t client, uint64_t epoch, unsigned parts,
				     unsigned timeout_ms, struct snapshot *s);

struct sample_walk;

/*
 * Does the same with SNAPSHOT_SAMPLE, for frequent samples. @sample belongs to the caller and is kept between samples
 * (openmp/model/walk/sample_walk.h).
 */
MUST_USE struct error *walk_sample(struct model *m, int64_t client, unsigned timeout_ms, struct sample_walk *sample,
				   struct snapshot *s);

#endif
