/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The snapshots of all runtimes of a process, taken in one view, with facts that stacks and states add. */
#ifndef OMPDD_METHODS_STATE_CAPTURE_H
#define OMPDD_METHODS_STATE_CAPTURE_H

#include "base/error.h"
#include "methods/state.h"
#include "openmp/devices/devices.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/snapshot.h"
#include "openmp/stacks/stack_seen.h"
#include "openmp/stacks/stacks.h"
#include "worker/worker.h"

/* The results of one runtime. */
struct state_part {
	struct snapshot snapshot;
	struct stacks stacks;	/* of this snapshot, which refers to them */
	struct stack_seen seen; /* of this snapshot, if requested */
	struct devices devices; /* of the same view, if requested */
	bool is_there;		/* the snapshot was taken */
	struct error *why;	/* the reason if not */
};

struct state {
	struct state_part parts[RUNTIMES_MAX];
	size_t n;
	bool sampled;	   /* `seen` was requested */
	bool with_devices; /* `devices` is requested, and the stacks of threads that no library knows */
};

/*
 * Take the snapshots: @parts (enum snapshot_parts), @stacks and @sample_ms as for state_answer(). *@ret is all zeroes
 * on entry, except `sampled` and `with_devices`, and must not move. Call state_deinit() also after an error.
 */
MUST_USE struct error *state_capture(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
				     struct state *ret, struct view *view_ret);

void state_deinit(struct state *state);

/* Return whether @err concerns one runtime only. It is not an error while another runtime answers. */
bool state_error_is_of_runtime(const struct error *err);

/* Return the number of threads that are in a team of several. */
size_t state_count_in_region(const struct snapshot *s);

#endif
