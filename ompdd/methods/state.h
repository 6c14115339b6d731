/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Snapshots taken for a request, and their parts as JSON. Shared by snapshot.get and the list methods, which answer
 * with one part each.
 */
#ifndef OMPDD_METHODS_STATE_H
#define OMPDD_METHODS_STATE_H

#include "base/error.h"
#include "openmp/model/snapshot.h"
#include "worker/worker.h"

struct json_object;
struct model;

/* The stacks to read for facts that the library does not provide. */
enum state_stacks {
	STACKS_NONE,
	STACKS_REGIONS, /* the first thread of each team */
	STACKS_ALL,
};

/*
 * Handle a method that answers with @parts (enum snapshot_parts), taken for w->client, with inferred facts added. *@ret
 * is {"target", "pid", "epoch", …} and a member for each part (state_json.h). It has "runtime" and "plugin" with all
 * parts, and "warnings" if there are any. @sample_ms: how long running threads are sampled in observe mode
 * (openmp/stacks/stack_seen), in milliseconds; 0: not at all.
 */
MUST_USE struct error *state_answer(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
				    struct json_object **ret);

/* Return the members "runtime" and "plugin" of results, or why they are missing. */
struct json_object *state_runtime_json(struct model *m);
struct json_object *state_plugin_json(struct model *m);
/* Return "runtimes" of target_info: all runtimes with their libraries. */
struct json_object *state_runtimes_json(struct worker *w);
/* Return "warnings" of results: about the target, and about @s unless it is NULL. NULL: no warnings. */
struct json_object *state_warnings_json(struct worker *w, const struct snapshot *s);

/* Add a warning to @array; creates the array at the first. @name is a literal, @message a sentence. */
void state_add_warning(struct json_object **array, const char *name, const char *message);

#endif
