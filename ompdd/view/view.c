/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds views from their parts. */
#include "view/view.h"

#include <json-c/json.h>

#include "base/cleanup.h"
#include "view/parts.h"

static struct error *add_snapshot_view(struct json_object *o, const struct view_request *request, const struct facts *s,
				       struct notes *notes)
{
	struct error *err = NULL;

	if (request->kind == VIEW_THREADS)
		return threads_add(o, request, s, notes);
	if (request->kind == VIEW_TASKS)
		return tasks_add(o, request, s, notes);
	if (request->kind == VIEW_STATES) {
		states_add(o, s);
		return NULL;
	}
	if (request->kind != VIEW_ICVS)
		err = tree_add(o, request, s, notes);
	return err || request->kind == VIEW_TREE ? err : icvs_add(o, request, s);
}

static struct error *build_from_snapshot(struct json_object *o, const struct view_request *request,
					 struct json_object *source, struct json_object *info, struct notes *notes)
{
	_cleanup_(facts_deinit) struct facts s = {0};
	struct error *err = facts_init(&s, source);

	if (err)
		return err;
	if (request->numbered)
		facts_number_regions(&s);
	head_add(o, request, source, info, &s);
	return add_snapshot_view(o, request, &s, notes);
}

struct error *view_build(const struct view_request *request, struct json_object *source, struct json_object *info,
			 struct json_object **ret)
{
	struct json_object *o = json_object_new_object();
	struct notes notes = {0};
	struct error *err;

	if (!o)
		return &error_nomem;
	if (request->kind == VIEW_SLOW) {
		head_add(o, request, source, info, NULL);
		err = slow_add(o, source);
	} else if (request->kind == VIEW_DEVICES) {
		head_add(o, request, source, info, NULL);
		err = devices_add(o, request, source);
	} else if (request->kind == VIEW_STACKS || request->kind == VIEW_WHY) {
		head_add(o, request, source, info, NULL);
		err = request->kind == VIEW_WHY ? why_add(o, request, source) : stacks_add(o, request, source);
	} else {
		err = build_from_snapshot(o, request, source, info, &notes);
	}
	if (err) {
		json_object_put(o);
		return err;
	}
	json_object_object_add(o, "notes", notes_json(&notes));
	*ret = o;
	return NULL;
}
