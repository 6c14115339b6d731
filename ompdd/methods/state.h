/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Taking a snapshot on behalf of a request, and its parts as JSON. Shared by snapshot.get and the
 * list methods, which answer with one part each.
 */
#ifndef OMPDD_METHODS_STATE_H
#define OMPDD_METHODS_STATE_H

#include "base/error.h"
#include "openmp/snapshot.h"
#include "openmp/stacks.h"
#include "worker/worker.h"

struct json_object;

/* Which stacks are looked at for what the library does not know. */
enum state_stacks {
	STACKS_NONE,
	STACKS_REGIONS, /* of the first thread of each team */
	STACKS_ALL,
};

struct state {
	struct snapshot snapshot;
	struct stacks stacks; /* of this snapshot, which refers to them */
};

/*
 * A snapshot with @parts (enum snapshot_parts), taken for w->client; what can be inferred is. @ret is all zeroes on
 * entry and must stay where it is; the caller calls state_deinit(), also after an error.
 */
MUST_USE struct error *state_take(struct worker *w, unsigned parts, enum state_stacks stacks,
				  struct state *ret, struct view *view_ret);
void state_deinit(struct state *state);

/*
 * {"target", "pid", "epoch", …} and then one member per part: "threads" (SNAPSHOT_STATES), "parallels",
 * "tasks", "icvs"; "runtime" and "plugin" with all of them; "warnings" where there are any. NULL when memory is out.
 */
struct json_object *state_to_json(struct worker *w, struct state *state, const struct view *view);

/* The handler of a method that answers with @parts. */
MUST_USE struct error *state_answer(struct worker *w, unsigned parts, enum state_stacks stacks,
				    struct json_object **ret);

/* "runtime" and "plugin" of results: what there is, or why not. */
struct json_object *state_runtime_json(struct worker *w);
struct json_object *state_plugin_json(struct worker *w);
/* "warnings" of results: of the target, and of @s unless it is NULL; NULL when there are none. */
struct json_object *state_warnings_json(struct worker *w, const struct snapshot *s);

#endif
