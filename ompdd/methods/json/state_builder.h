/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The common members of threads, regions and tasks of one snapshot in JSON: handles, reasons, functions, control
 * variables. A snapshot has thousands of these members with few values: each value is built once and shared by
 * reference.
 */
#ifndef OMPDD_METHODS_STATE_BUILDER_H
#define OMPDD_METHODS_STATE_BUILDER_H

#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/stacks/stack_seen.h"
#include "openmp/stacks/stacks.h"
#include "worker/worker.h"

#define STATE_N_RC 14 /* the number of OMPD's return codes */

/* Why a thread has no state, or no place. */
enum state_unknown {
	STATE_UNKNOWN_RUNNING,
	STATE_UNKNOWN_UNPROVEN,
	STATE_UNKNOWN_NOT_SAMPLED,
	STATE_UNKNOWN_STACK,
	STATE_UNKNOWN_EMULATED,
	STATE_N_UNKNOWN,
};

/* The builder for one answer about one snapshot. All members below the line start as zeroes. Free it with _deinit. */
struct state_builder {
	struct worker *w;
	const struct model *model;
	const struct snapshot *s;
	struct stacks *stacks;
	struct stack_seen *seen; /* NULL: places were not requested */
	bool tells_runtime;
	bool tells_lines; /* the line of each task's function */
	/* --- The values built last, owned, with their keys. */
	struct json_object *rcs[STATE_N_RC];
	struct json_object *last_icvs; /* for the set and values below */
	const struct snapshot_icv_set *last_set;
	const struct icv_value *last_values;
	struct json_object *last_wait; /* name and offset of the variable at the address below; NULL: none */
	uint64_t last_wait_id;
	struct json_object *last_state; /* for the value and origin below */
	struct snapshot_word last_state_word;
	bool last_state_inferred;
	struct json_object *last_location_json; /* for the location below */
	const struct snapshot_location *last_location;
	struct json_object *reasons[STATE_N_UNKNOWN];
	/* "t1:e14:par:", the common prefix of all handles of a kind */
	char prefix[HANDLE_KINDS][HANDLE_NAME_SIZE];
	size_t prefix_len[HANDLE_KINDS];
};

void state_builder_deinit(struct state_builder *b);

/* Each function returns a reference that the caller owns. */

/* {"rc": "ompd_rc_…"}: why a member is missing. */
struct json_object *state_builder_rc(struct state_builder *b, int rc);
/* An integer, or why it is missing. */
struct json_object *state_builder_int(struct state_builder *b, const struct snapshot_word *word);
/* "t1:e14:par:3" */
struct json_object *state_builder_handle(struct state_builder *b, enum handle_kind kind, uint32_t number);
/* The handle that a thread, region or task refers to, or why it refers to none. */
struct json_object *state_builder_ref(struct state_builder *b, enum handle_kind kind, const struct snapshot_ref *ref);
/*
 * {"address", "symbol"} of a region's or a task's function, or why it is missing. "source" is added if it was inferred.
 */
struct json_object *state_builder_function(struct state_builder *b, const struct snapshot_word *function,
					   bool is_inferred);
/* The control variables of @set by name. @values NULL: they were not requested. @with_scope adds the scope of each. */
struct json_object *state_builder_icvs(struct state_builder *b, const struct snapshot_icv_set *set,
				       const struct icv_value *values, bool with_scope);

/* Add "location" to @o. @location NULL: add nothing. */
void state_builder_put_location(struct state_builder *b, struct json_object *o,
				const struct snapshot_location *location);
/* Add "runtime" to @o if the answer covers more than one runtime. */
void state_builder_put_runtime(const struct state_builder *b, struct json_object *o);

#endif
