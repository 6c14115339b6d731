/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* device.*: the devices of each runtime, with their map tables, and the images of the program. */
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "methods/json/device_json.h"
#include "methods/json/json.h"
#include "methods/state.h"
#include "methods/state_capture.h"
#include "methods_worker.h"
#include "openmp/devices/devices.h"
#include "openmp/devices/map_names.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/walk/walk.h"
#include "target/target.h"
#include "worker/capture/capture.h"
#include "worker/worker.h"

/* The limit of views for one answer: the second one has registers and pointers that the first one lacked. */
#define MAX_VIEWS 2

/* The results of one runtime. */
struct part {
	struct devices devices;
	struct snapshot snapshot; /* of the control variables */
	struct error *why;	  /* why there is no snapshot; NULL: there is one */
};

struct taking {
	struct part parts[RUNTIMES_MAX];
	size_t n;
	struct map_names names[RUNTIMES_MAX];
};

static void part_deinit(struct part *part)
{
	devices_deinit(&part->devices);
	snapshot_deinit(&part->snapshot);
	error_destroy(part->why);
	*part = (struct part){0};
}

static void taking_deinit(struct taking *k)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++)
		part_deinit(&k->parts[i]);
	for (size_t i = 0; i < RUNTIMES_MAX; i++)
		map_names_deinit(&k->names[i]);
}

static struct error *take_part(struct worker *w, struct model *m, struct map_names *names, struct part *part)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	part_deinit(part);
	if (!runtime)
		return NULL;
	struct error *err = devices_read(w->target, runtime, &part->devices);
	if (!err)
		err = map_names_take(w->target, &part->devices, names);
	if (err)
		return err;
	if (!model_plugin(m, &why)) {
		part->why = error_create(ERR_PLUGIN_NOT_FOUND, "%s", why ? why->message : "it has no OMPD library");
		return NULL;
	}
	err = walk_snapshot(m, w->client, w->epoch, SNAPSHOT_ICVS | SNAPSHOT_TASKS, w->plugin_options.timeout_ms,
			    &part->snapshot);
	if (!err || !state_error_is_of_runtime(err))
		return err;
	part->why = err;
	return NULL;
}

static struct error *take_devices(struct worker *w, void *arg)
{
	struct taking *k = arg;
	struct error *err = NULL;

	k->n = runtimes_count(w->runtimes);
	for (size_t i = 0; i < k->n && !err; i++)
		err = take_part(w, runtimes_select(w->runtimes, i), &k->names[i], &k->parts[i]);
	runtimes_main(w->runtimes);
	return err;
}

/* Return an error if no runtime is known. A missing OMPD library only means that there are no control variables. */
static struct error *need_runtime(struct worker *w)
{
	const struct error *why;
	struct error *err = worker_need_target(w);

	if (!err)
		err = runtimes_need_plugin(w->runtimes);
	if (!err || !w->target || !model_runtime(worker_model(w), &why))
		return err;
	error_destroy(err);
	return NULL;
}

/* Name the objects of all parts. Return whether another view would show more names. */
static bool fill_names(struct worker *w, struct taking *k)
{
	bool needs_more = false;

	for (size_t i = 0; i < k->n; i++)
		needs_more |= map_names_fill(w->target, &k->names[i], &k->parts[i].devices);
	return needs_more;
}

static struct error *capture_devices(struct worker *w, struct taking *k, struct view *view_ret)
{
	bool needs_more = true;
	struct error *err = NULL;

	for (int i = 0; i < MAX_VIEWS && needs_more && !err; i++) {
		do {
			err = need_runtime(w);
			if (!err)
				err = worker_capture(w, take_devices, k, view_ret);
		} while (!err && runtimes_find_more(w->runtimes));
		needs_more = !err && fill_names(w, k);
	}
	if (!err)
		target_reset_proof(w->target);
	return err;
}

/* Return the value of the control variable @name in @set. */
static struct json_object *icv_value_json(const struct snapshot_icv_set *set, const struct icv_value *values,
					  const char *name)
{
	for (size_t i = 0; values && i < set->n; i++) {
		if (strcmp(set->defs[i]->name, name) != 0 || values[i].rc == SNAPSHOT_ICV_NOT_HERE)
			continue;
		if (values[i].rc != ompd_rc_ok)
			return json_rc(values[i].rc);
		return values[i].text ? json_object_new_string(values[i].text) : json_word(values[i].number);
	}
	return json_rc(ompd_rc_unavailable);
}

/* Return the default device of the first initial task. */
static struct json_object *default_device_json(const struct part *part)
{
	const struct snapshot *s = &part->snapshot;

	for (size_t i = 0; i < s->n_tasks; i++) {
		if (s->tasks[i].kind == TASK_INITIAL)
			return icv_value_json(&s->task_icvs, s->tasks[i].icvs, "default-device-var");
	}
	return json_rc(ompd_rc_unavailable);
}

static struct json_object *part_json(struct worker *w, struct model *m, const struct part *part, size_t max_maps)
{
	const struct devices *d = &part->devices;
	struct json_object *o = json_object_new_object();

	json_put(o, "runtime", state_runtime_json(m));
	if (part->why) {
		json_put(o, "default_device", json_reason(part->why));
		json_put(o, "target_offload", json_reason(part->why));
	} else {
		json_put(o, "default_device", default_device_json(part));
		json_put(o, "target_offload",
			 icv_value_json(&part->snapshot.process_icvs, part->snapshot.icvs, "target-offload-var"));
	}
	json_put(o, "devices", d->why ? json_reason(d->why) : device_json_list(w, &part->snapshot, d, max_maps));
	json_put(o, "images",
		 d->has_images ? device_json_images(w, d) : json_reason(d->images_why ? d->images_why : d->why));
	return o;
}

static struct json_object *result_json(struct worker *w, const struct taking *k, const struct view *view,
				       size_t max_maps)
{
	struct json_object *o = json_result(w), *array, *warnings;
	const struct error *why;

	if (!o)
		return NULL;
	json_put_view(o, view);
	array = json_object_new_array();
	for (size_t i = 0; i < k->n; i++) {
		struct model *m = runtimes_select(w->runtimes, i);

		if (model_runtime(m, &why))
			json_object_array_add(array, part_json(w, m, &k->parts[i], max_maps));
	}
	runtimes_main(w->runtimes);
	json_put(o, "tables", array);
	warnings = state_warnings_json(w, NULL);
	if (warnings)
		json_put(o, "warnings", warnings);
	return o;
}

struct error *handle_device_list(struct worker *w, const struct device_list_params *p, struct json_object **ret)
{
	_cleanup_(taking_deinit) struct taking taking = {0};
	struct view view;
	struct error *err = capture_devices(w, &taking, &view);

	if (err)
		return err;
	*ret = result_json(w, &taking, &view, (size_t)p->max_maps);
	return *ret ? NULL : &error_nomem;
}
