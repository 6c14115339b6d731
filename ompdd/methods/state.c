/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Snapshots as requests see them. JSON is built when the target runs again. */
#include "methods/state.h"

#include <stdlib.h>

#include "methods/json.h"
#include "methods/state_json.h"
#include "openmp/model/infer.h"
#include "openmp/model/model.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stacks.h"
#include "openmp/model/walk.h"
#include "rpc/utf8.h"

struct state {
	struct snapshot snapshot;
	struct stacks stacks; /* of this snapshot, which refers to them */
};

struct capture {
	unsigned parts;
	enum state_stacks stacks;
	struct state *state;
};

/* Threads whose stacks are wanted: all of OpenMP, or the first of each team. */
static size_t select_stacks(const struct snapshot *s, enum state_stacks which, pid_t *tids)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_threads && which == STACKS_ALL; i++) {
		if (s->threads[i].openmp)
			tids[n++] = s->threads[i].tid;
	}
	if (which == STACKS_ALL)
		return n;
	for (size_t i = 0; i < s->n_parallels; i++) {
		const struct snapshot_parallel *p = &s->parallels[i];
		pid_t tid = p->n_members > 0 ? s->threads[p->members[0]].tid : 0;
		bool is_new = tid != 0;

		for (size_t k = 0; k < n && is_new; k++)
			is_new = tids[k] != tid;
		if (is_new && n < s->n_threads)
			tids[n++] = tid;
	}
	return n;
}

static struct error *capture(struct worker *w, void *arg)
{
	struct capture *c = arg;
	struct snapshot *s = &c->state->snapshot;

	stacks_deinit(&c->state->stacks);
	struct error *err = walk_snapshot(w->model, w->client, w->epoch, c->parts, w->plugin_options.timeout_ms, s);
	if (err || c->stacks == STACKS_NONE)
		return err;
	_cleanup_free_ pid_t *tids = malloc((s->n_threads ? s->n_threads : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	return stacks_take(w->model, s, tids, select_stacks(s, c->stacks, tids), STACK_COPY_MANY, STACK_MAX_FRAMES,
			   &c->state->stacks);
}

static void state_deinit(struct state *state)
{
	stacks_deinit(&state->stacks);
	snapshot_deinit(&state->snapshot);
}

/* @ret is all zeroes on entry and stays where it is; state_deinit() also after an error. */
static struct error *take(struct worker *w, unsigned parts, enum state_stacks stacks, struct state *ret,
			  struct view *view_ret)
{
	struct capture c = {parts, stacks, ret};
	struct error *err;

	/* Stacks are told apart by tasks; the answer shows what was asked for. */
	if (stacks != STACKS_NONE)
		c.parts |= SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_FRAMES;

	err = worker_need_target(w);
	if (!err)
		err = model_need_plugin(w->model);
	if (!err)
		err = (stacks == STACKS_NONE ? worker_capture : worker_capture_standing)(w, capture, &c, view_ret);
	if (err)
		return err;
	infer_snapshot(w->model, &ret->snapshot);
	if (stacks != STACKS_NONE)
		stack_fill_snapshot(&ret->stacks, &ret->snapshot);
	ret->snapshot.parts = parts;
	return NULL;
}

static void add_warning(struct json_object **array, const char *name, const char *message)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "name", json_object_new_string(name));
	json_put(o, "message", utf8_json(message));
	if (!*array)
		*array = json_object_new_array();
	json_object_array_add(*array, o);
}

struct json_object *state_warnings_json(struct worker *w, const struct snapshot *s)
{
	struct json_object *array = NULL;
	size_t n;
	const struct target_warning *warnings = target_warnings(w->target, &n);

	for (size_t i = 0; i < n; i++)
		add_warning(&array, warnings[i].name, warnings[i].message);
	if (!s)
		return array;
	if (s->truncated)
		add_warning(&array, "truncated",
			    "There are more threads, regions or tasks, or longer chains of them, "
			    "than ompdd follows; some are missing.");
	if (s->cyclic)
		add_warning(&array, "cyclic_chain",
			    "A chain of regions or tasks leads back into itself; it was cut there.");
	if (s->has_gaps)
		add_warning(&array, "regions_missing",
			    "The levels of regions show that some between them, of one thread each, are missing, and "
			    "their implicit tasks: the runtime keeps no record of them. LLVM's does with "
			    "OMP_DEBUG=enabled.");
	return array;
}

struct json_object *state_runtime_json(struct worker *w)
{
	const struct error *why = NULL;
	const struct runtime *runtime = model_runtime(w->model, &why);
	struct json_object *o;

	if (!runtime)
		return json_reason(why);
	o = json_object_new_object();
	json_put(o, "kind", json_object_new_string(runtime->profile->name));
	json_put(o, "path", utf8_json(runtime->path));
	json_put(o, "version", runtime->version[0] ? json_object_new_string(runtime->version) : json_rc(1));
	json_put(o, "build_id", runtime->build_id[0] ? json_object_new_string(runtime->build_id) : json_rc(1));
	return o;
}

struct json_object *state_plugin_json(struct worker *w)
{
	const struct error *why = NULL;
	const struct plugin *plugin = model_plugin(w->model, &why);
	const char *const *quirks;
	struct json_object *o;

	if (!plugin)
		return json_reason(why);
	o = json_object_new_object();
	json_put(o, "path", utf8_json(plugin_path(plugin)));
	json_put(o, "api_version", json_object_new_int64(plugin_api_version(plugin)));
	json_put(o, "version_string", utf8_json(plugin_version_string(plugin)));
	quirks = plugin_quirks(plugin);
	if (*quirks) {
		struct json_object *names = json_object_new_array();

		for (; *quirks; quirks++)
			json_object_array_add(names, json_object_new_string(*quirks));
		json_put(o, "quirks", names);
	}
	return o;
}

static struct json_object *state_json(struct worker *w, struct state *state, const struct view *view)
{
	const struct snapshot *s = &state->snapshot;
	struct json_object *o = json_result(w);
	struct json_object *warnings;

	if (!o)
		return NULL;
	json_put_view(o, view);
	if (s->parts == SNAPSHOT_ALL) {
		json_put(o, "runtime", state_runtime_json(w));
		json_put(o, "plugin", state_plugin_json(w));
	}
	state_json_put_parts(o, w, s, &state->stacks);
	warnings = state_warnings_json(w, s);
	if (warnings)
		json_put(o, "warnings", warnings);
	return o;
}

struct error *state_answer(struct worker *w, unsigned parts, enum state_stacks stacks, struct json_object **ret)
{
	_cleanup_(state_deinit) struct state state = {0};
	struct view view;
	struct error *err = take(w, parts, stacks, &state, &view);

	if (err)
		return err;
	*ret = state_json(w, &state, &view);
	return *ret ? NULL : &error_nomem;
}
