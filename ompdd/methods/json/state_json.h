/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads, regions, tasks and ICVs of a snapshot as JSON. */
#ifndef OMPDD_METHODS_STATE_JSON_H
#define OMPDD_METHODS_STATE_JSON_H

#include "openmp/model/snapshot.h"
#include "openmp/stacks/stack_seen.h"
#include "openmp/stacks/stacks.h"
#include "worker/worker.h"

struct json_object;
struct model;

/* The view of one runtime. */
struct state_view {
	const struct model *model;
	const struct snapshot *snapshot;
	struct stacks *stacks;	 /* referenced by the snapshot */
	struct stack_seen *seen; /* referenced by the snapshot; NULL: not requested */
};

/*
 * Add a member for each of @parts to @o: "threads" (SNAPSHOT_STATES), "parallels", "tasks" of all @n views; "icvs" of
 * the first view. @tell_runtime adds the runtime to each item. Threads without a runtime are listed with the first
 * view.
 */
void state_json_put_parts(struct json_object *o, struct worker *w, unsigned parts, const struct state_view *views,
			  size_t n, bool tell_runtime);

/* Return the control variables of the address space. */
struct json_object *state_json_icvs(struct worker *w, const struct state_view *view);

#endif
