/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Taking a snapshot on behalf of a request, and its parts as JSON. Shared by snapshot.get and the
 * list methods, which answer with one part each.
 */
#ifndef OMPDD_METHODS_STATE_H
#define OMPDD_METHODS_STATE_H

#include "base/error.h"
#include "openmp/model/snapshot.h"
#include "worker/worker.h"

struct json_object;
struct model;

/* Which stacks are looked at for what the library does not know. */
enum state_stacks {
	STACKS_NONE,
	STACKS_REGIONS, /* of the first thread of each team */
	STACKS_ALL,
};

/*
 * The handler of a method that answers with @parts (enum snapshot_parts), taken for w->client; what can be inferred is:
 * {"target", "pid", "epoch", …} and then a member for each part (state_json.h), "runtime" and "plugin" with all of
 * them, and "warnings" where there are any. @sample_ms: in observe mode, for how long running threads are sampled
 * (openmp/stacks/stack_seen); 0: not at all.
 */
MUST_USE struct error *state_answer(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
				    struct json_object **ret);

/* "runtime" and "plugin" of results: what there is, or why not. */
struct json_object *state_runtime_json(struct model *m);
struct json_object *state_plugin_json(struct model *m);
/* "runtimes" of target_info: all, with their libraries. */
struct json_object *state_runtimes_json(struct worker *w);
/* "warnings" of results: of the target, and of @s unless it is NULL; NULL when there are none. */
struct json_object *state_warnings_json(struct worker *w, const struct snapshot *s);

/* Whether @err says something of one runtime only: it is no error while another one answers. */
bool state_error_is_of_runtime(const struct error *err);

#endif
