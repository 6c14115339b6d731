/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target_region.*: target constructs in progress, on devices and on the host. */
#include <stdlib.h>

#include "methods/json/json.h"
#include "methods/json/target_region_json.h"
#include "methods/state.h"
#include "methods/state_capture.h"
#include "methods_worker.h"
#include "openmp/model/model.h"
#include "openmp/model/wait/holder.h"
#include "openmp/stacks/stack_target.h"
#include "target/target.h"
#include "worker/capture/capture.h"
#include "worker/worker.h"

#define PARTS (SNAPSHOT_ALL | SNAPSHOT_FRAMES | SNAPSHOT_HOLDERS)

/* The facts of the snapshot of one runtime. */
struct part {
	struct holders holders;
	struct stack_targets targets;
};

static void parts_deinit(struct part (*parts)[RUNTIMES_MAX])
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++) {
		holders_deinit(&(*parts)[i].holders);
		stack_targets_deinit(&(*parts)[i].targets);
	}
}

static struct error *find_part(struct worker *w, struct state *state, size_t i, struct part *part)
{
	struct model *m = runtimes_select(w->runtimes, i);
	struct error *err = holders_find(m, &state->parts[i].snapshot, &part->holders);

	return err ? err : stack_targets_find(&state->parts[i].stacks, &part->holders, &part->targets);
}

static struct error *find_parts(struct worker *w, struct state *state, struct part (*parts)[RUNTIMES_MAX])
{
	struct error *err = NULL;

	for (size_t i = 0; i < state->n && !err; i++) {
		if (state->parts[i].is_there)
			err = find_part(w, state, i, &(*parts)[i]);
	}
	runtimes_main(w->runtimes);
	return err;
}

static struct json_object *regions_json(struct worker *w, struct state *state, struct part (*parts)[RUNTIMES_MAX])
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < state->n; i++) {
		const struct part *part = &(*parts)[i];
		struct state_builder b = {
			.w = w,
			.model = runtimes_select(w->runtimes, i),
			.s = &state->parts[i].snapshot,
			.stacks = &state->parts[i].stacks,
			.tells_runtime = state->n > 1,
		};

		for (size_t k = 0; k < part->targets.n; k++)
			json_object_array_add(array, target_region_json(&b, &part->targets.list[k], &part->holders,
									&state->parts[i].devices));
		state_builder_deinit(&b);
	}
	runtimes_main(w->runtimes);
	return array;
}

static struct json_object *warnings_json(struct worker *w, const struct state *state)
{
	struct snapshot all = {0};

	for (size_t i = 0; i < state->n; i++) {
		const struct snapshot *s = &state->parts[i].snapshot;

		all.truncated |= s->truncated;
		all.cyclic |= s->cyclic;
		all.has_gaps |= s->has_gaps;
	}
	return state_warnings_json(w, &all);
}

struct error *handle_target_region_list(struct worker *w, const struct target_region_list_params *p,
					struct json_object **ret)
{
	_cleanup_(state_deinit) struct state state = {.with_devices = true};
	_cleanup_(parts_deinit) struct part parts[RUNTIMES_MAX] = {0};
	struct json_object *o, *warnings;
	struct view view;
	struct error *err = state_capture(w, PARTS, STACKS_ALL, 0, &state, &view);

	(void)p;
	if (!err)
		err = find_parts(w, &state, &parts);
	if (err)
		return err;
	o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put_view(o, &view);
	json_put(o, "target_regions", regions_json(w, &state, &parts));
	if (state.n > 1)
		json_put(o, "runtimes", state_runtimes_json(w));
	warnings = warnings_json(w, &state);
	if (warnings)
		json_put(o, "warnings", warnings);
	*ret = o;
	return NULL;
}
