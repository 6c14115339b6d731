/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* view.get: the result of another method as rows or nodes that a client only draws. */
#include "methods_worker.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/function_name.h"
#include "methods/history.h"
#include "methods/json/json.h"
#include "methods/settings.h"
#include "methods/state.h"
#include "rpc/json_read.h"
#include "view/view.h"

/* Most objects of a map table in the view of devices: the default of device.list. */
#define MAX_MAPS 4096

static const enum view_kind kinds[] = {
	[VIEW_GET_VIEW_TREE] = VIEW_TREE,	  [VIEW_GET_VIEW_THREADS] = VIEW_THREADS,
	[VIEW_GET_VIEW_TASKS] = VIEW_TASKS,	  [VIEW_GET_VIEW_ICVS] = VIEW_ICVS,
	[VIEW_GET_VIEW_SNAPSHOT] = VIEW_SNAPSHOT, [VIEW_GET_VIEW_STATES] = VIEW_STATES,
	[VIEW_GET_VIEW_STACKS] = VIEW_STACKS,	  [VIEW_GET_VIEW_WHY] = VIEW_WHY,
	[VIEW_GET_VIEW_SLOW] = VIEW_SLOW,	  [VIEW_GET_VIEW_DEVICES] = VIEW_DEVICES,
};

static struct error *call_snapshot(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	static const enum state_stacks stacks[] = {
		[VIEW_GET_STACKS_NONE] = STACKS_NONE,
		[VIEW_GET_STACKS_REGIONS] = STACKS_REGIONS,
		[VIEW_GET_STACKS_ALL] = STACKS_ALL,
	};
	unsigned parts = SNAPSHOT_ALL;

	if (p->view == VIEW_GET_VIEW_TASKS && p->graph)
		parts |= SNAPSHOT_DEPENDENCES;
	/* A league is known from the control variables of its initial regions. */
	if (p->view == VIEW_GET_VIEW_THREADS || p->view == VIEW_GET_VIEW_TASKS)
		parts |= SNAPSHOT_NO_ICVS;
	return state_answer(w, parts, stacks[p->stacks], (unsigned)p->sample_ms, ret);
}

/* Add the settings to the snapshot. The view of the answer is the snapshot's. */
static struct error *call_icvs(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	struct json_object *settings = json_object_new_object();
	struct error *err = call_snapshot(w, p, ret);

	if (!err)
		err = settings_add(w, settings);
	if (!err)
		json_put(*ret, "settings", json_object_get(json_read_member(settings, "settings")));
	json_object_put(settings);
	return err;
}

static struct error *call_stacks(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	const struct stack_groups_params all = {.logical = p->logical, .max_frames = p->max_frames};
	const struct stack_get_params one = {.thread = p->thread, .logical = p->logical, .max_frames = p->max_frames};

	return p->has_thread ? handle_stack_get(w, &one, ret) : handle_stack_groups(w, &all, ret);
}

/* Add the target regions in progress, or the reason for their absence, to the devices. The view of the answer is that
 * of the devices. */
static struct error *call_devices(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	const struct device_list_params devices = {.target = p->target, .max_maps = MAX_MAPS};
	struct json_object *regions = NULL;
	struct error *err = handle_device_list(w, &devices, ret);

	if (err)
		return err;
	err = handle_target_region_list(w, &(struct target_region_list_params){.target = p->target}, &regions);
	json_put(*ret, "target_regions",
		 err ? json_reason(err) : json_object_get(json_read_member(regions, "target_regions")));
	error_destroy(err);
	json_object_put(regions);
	return NULL;
}

/* Call the method on which the view is based. */
static struct error *call_source(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	const struct diagnose_get_params diagnose = {.interval_ms = p->interval_ms, .graph = p->graph};

	if (p->view == VIEW_GET_VIEW_STACKS)
		return call_stacks(w, p, ret);
	if (p->view == VIEW_GET_VIEW_STATES)
		return state_answer(w, SNAPSHOT_STATES, STACKS_NONE, 0, ret);
	if (p->view == VIEW_GET_VIEW_WHY)
		return handle_diagnose_get(w, &diagnose, ret);
	if (p->view == VIEW_GET_VIEW_SLOW)
		return handle_diagnose_performance(w, &(struct diagnose_performance_params){.target = p->target}, ret);
	if (p->view == VIEW_GET_VIEW_DEVICES)
		return call_devices(w, p, ret);
	if (p->view == VIEW_GET_VIEW_ICVS)
		return call_icvs(w, p, ret);
	return call_snapshot(w, p, ret);
}

static void shorten_name(struct json_object *value)
{
	const char *name = json_read_string(value);
	struct buf text = {0};

	if (!name || !*name)
		return;
	function_name_shorten(&text, name);
	if (text.len)
		json_object_set_string(value, buf_head(&text));
	buf_deinit(&text);
}

/* Shorten the names of functions in a result: the strings "symbol" and "function". */
static void shorten_names(struct json_object *source)
{
	if (json_object_is_type(source, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(source); i++)
			shorten_names(json_object_array_get_idx(source, i));
	} else if (json_object_is_type(source, json_type_object)) {
		json_object_object_foreach(source, key, value)
		{
			if (!strcmp(key, "symbol") || !strcmp(key, "function"))
				shorten_name(value);
			shorten_names(value);
		}
	}
}

struct error *handle_view_get(struct worker *w, const struct view_get_params *p, struct json_object **ret)
{
	const struct view_request request = {
		.kind = kinds[p->view],
		.fold = p->fold,
		.fold_above = (size_t)p->fold_above,
		.numbered = p->numbered,
		.verbose = p->verbose,
		.graph = p->graph,
		.max_rows = (size_t)p->max_rows,
		.columns = p->columns,
		.n_columns = p->n_columns,
	};
	struct json_object *source = NULL, *info = NULL;
	struct error *err = call_source(w, p, &source);

	if (!err)
		err = handle_target_info(w, &(struct target_info_params){.target = p->target}, &info);
	if (!err && !p->full_names && !p->raw)
		shorten_names(source);
	if (!err)
		err = view_build(&request, source, info, ret);
	if (!err && p->raw)
		json_put(*ret, "raw", json_object_get(source));
	if (!err && p->view == VIEW_GET_VIEW_STATES)
		history_read(w->history, *ret, clock_now_ms());
	json_object_put(source);
	json_object_put(info);
	return err;
}
