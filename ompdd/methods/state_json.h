/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads, regions, tasks and ICVs of a snapshot as JSON. */
#ifndef OMPDD_METHODS_STATE_JSON_H
#define OMPDD_METHODS_STATE_JSON_H

#include "openmp/model/snapshot.h"
#include "openmp/stacks/stacks.h"
#include "worker/worker.h"

struct json_object;

/*
 * Add to @o a member for each of s->parts: "threads" (SNAPSHOT_STATES), "parallels", "tasks", "icvs". @stacks are those
 * to which @s refers.
 */
void state_json_put_parts(struct json_object *o, struct worker *w, const struct snapshot *s, struct stacks *stacks);

#endif
