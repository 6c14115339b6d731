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

/* What was seen of one runtime. */
struct state_view {
	const struct model *model;
	const struct snapshot *snapshot;
	struct stacks *stacks;	 /* to which the snapshot refers */
	struct stack_seen *seen; /* likewise; NULL: it was not asked for */
};

/*
 * Add to @o a member for each of @parts: "threads" (SNAPSHOT_STATES), "parallels", "tasks", of all the @n views; "icvs"
 * of the first. With @tell_runtime they say of which runtime they are. Threads that use none are those of the first.
 */
void state_json_put_parts(struct json_object *o, struct worker *w, unsigned parts, const struct state_view *views,
			  size_t n, bool tell_runtime);

/* The control variables of the address space. */
struct json_object *state_json_icvs(struct worker *w, const struct state_view *view);

#endif
