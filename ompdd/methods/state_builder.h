/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the threads, regions and tasks of one snapshot have alike in JSON: handles, reasons, functions, control
 * variables. A snapshot has thousands of such members of a few values: each value is built once and shared by
 * reference.
 */
#ifndef OMPDD_METHODS_STATE_BUILDER_H
#define OMPDD_METHODS_STATE_BUILDER_H

#include "openmp/model/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/stacks/stack_seen.h"
#include "openmp/stacks/stacks.h"
#include "worker/worker.h"

#define STATE_N_RC 14 /* OMPD's return codes */

/* Why a thread has no state, or no place. */
enum state_unknown {
	STATE_UNKNOWN_RUNNING,
	STATE_UNKNOWN_UNPROVEN,
	STATE_UNKNOWN_NOT_SAMPLED,
	STATE_UNKNOWN_STACK,
	STATE_UNKNOWN_EMULATED,
	STATE_N_UNKNOWN,
};

/* Of one snapshot, for one answer. Begins as zeros but for the members above the line; end it with _deinit. */
struct state_builder {
	struct worker *w;
	const struct model *model;
	const struct snapshot *s;
	struct stacks *stacks;
	struct stack_seen *seen; /* NULL: places were not asked for */
	bool tells_runtime;
	/* --- What was built last, owned, and of what. */
	struct json_object *rcs[STATE_N_RC];
	struct json_object *last_icvs; /* of the set and values below */
	const struct snapshot_icv_set *last_set;
	const struct icv_value *last_values;
	struct json_object *last_wait; /* name and offset of the variable at the address below; NULL: none */
	uint64_t last_wait_id;
	struct json_object *last_state; /* of the value and origin below */
	struct snapshot_word last_state_word;
	bool last_state_inferred;
	struct json_object *last_location_json; /* of the one below */
	const struct snapshot_location *last_location;
	struct json_object *reasons[STATE_N_UNKNOWN];
	/* "t1:e14:par:", which all handles of a kind begin with */
	char prefix[HANDLE_KINDS][HANDLE_NAME_SIZE];
	size_t prefix_len[HANDLE_KINDS];
};

void state_builder_deinit(struct state_builder *b);

/* Each returns a reference that is the caller's. */

/* {"rc": "ompd_rc_…"}: why something is not there. */
struct json_object *state_builder_rc(struct state_builder *b, int rc);
/* An integer, or why there is none. */
struct json_object *state_builder_int(struct state_builder *b, const struct snapshot_word *word);
/* "t1:e14:par:3" */
struct json_object *state_builder_handle(struct state_builder *b, enum handle_kind kind, uint32_t number);
/* The same of what a thread, region or task refers to, or why it refers to nothing. */
struct json_object *state_builder_ref(struct state_builder *b, enum handle_kind kind, const struct snapshot_ref *ref);
/* {"address", "symbol"} of a region's or a task's function, or why there is none; "source" where we inferred it. */
struct json_object *state_builder_function(struct state_builder *b, const struct snapshot_word *function,
					   bool is_inferred);
/* The control variables of @set by name; @values NULL: none were asked for. With @with_scope each says of which scope.
 */
struct json_object *state_builder_icvs(struct state_builder *b, const struct snapshot_icv_set *set,
				       const struct icv_value *values, bool with_scope);

/* Add "location" to @o; @location may be NULL: nothing is added then. */
void state_builder_put_location(struct state_builder *b, struct json_object *o,
				const struct snapshot_location *location);
/* Add "runtime" to @o, where the answer is of more than one. */
void state_builder_put_runtime(const struct state_builder *b, struct json_object *o);

#endif
