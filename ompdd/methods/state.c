/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Snapshots as requests see them. JSON is built after the target runs again. */
#include "methods/state.h"

#include <stdio.h>
#include <unistd.h>

#include "methods/json/json.h"
#include "methods/json/state_json.h"
#include "methods/state_capture.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "rpc/json_write.h"
#include "target/target.h"

void state_add_warning(struct json_object **array, const char *name, const char *message)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "name", json_object_new_string(name));
	json_put(o, "message", json_text(message));
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
		state_add_warning(&array, warnings[i].name, warnings[i].message);
	if (!s)
		return array;
	if (s->truncated)
		state_add_warning(&array, "truncated",
				  "ompdd does not follow so many threads, regions or tasks; some are missing.");
	if (s->cyclic)
		state_add_warning(&array, "cyclic_chain",
				  "A chain of regions or tasks leads back into itself; it was cut there.");
	if (s->has_gaps)
		state_add_warning(
			&array, "regions_missing",
			"The levels show that regions of one thread are missing, with their implicit tasks. The "
			"runtime keeps no record of them; it may keep one if it starts with OMP_DEBUG=enabled.");
	return array;
}

/* Warn of two runtimes in use: programs become slow or hang without a cause in either of them. */
static void warn_of_several(const struct state *state, struct json_object **array)
{
	size_t n_active = 0, n_threads = 0;
	char text[256];

	for (size_t i = 0; i < state->n; i++) {
		const struct snapshot *s = &state->parts[i].snapshot;
		size_t n = state->parts[i].is_there && (s->parts & SNAPSHOT_PARALLELS) ? state_count_in_region(s) : 0;

		n_active += n > 0;
		n_threads += n;
	}
	if (n_active < 2)
		return;
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	snprintf(text, sizeof(text),
		 "%zu OpenMP runtimes have parallel regions at the same time, with %zu threads in all on %ld "
		 "processors: "
		 "each assumes that it has all processors. See \"runtimes\".",
		 n_active, n_threads, n_cpus);
	state_add_warning(array, "several_runtimes", text);
}

/* Warn of a team that is larger than the process. */
static void warn_of_missing_members(struct worker *w, const struct state *state, struct json_object **array)
{
	const struct target_thread *threads;
	int64_t largest = 0;
	size_t n_threads;
	char text[256];

	for (size_t i = 0; i < state->n; i++) {
		const struct snapshot *s = &state->parts[i].snapshot;

		for (size_t k = 0; k < s->n_parallels; k++) {
			const struct snapshot_word *size = &s->parallels[k].team_size;

			if (size->rc == ompd_rc_ok && size->value > largest)
				largest = size->value;
		}
	}
	struct error *err = target_threads(w->target, &threads, &n_threads);
	if (err) {
		error_destroy(err);
		return;
	}
	if (largest <= (int64_t)n_threads)
		return;
	snprintf(text, sizeof(text),
		 "A team has %lld members, but the process has %zu thread%s. A process that was forked after the first "
		 "parallel region lacks its parent's other threads. Or threads are being created.",
		 (long long)largest, n_threads, n_threads == 1 ? "" : "s");
	state_add_warning(array, "members_missing", text);
}

/*
 * Warn of tasks that no list of the runtime contains. Only a request for dependences gets the warning: other answers
 * show no tasks that are not started.
 */
static void warn_of_unlisted_tasks(const struct state *state, unsigned parts, struct json_object **array)
{
	bool is_unlisted = false;

	for (size_t i = 0; i < state->n; i++) {
		const struct snapshot *s = &state->parts[i].snapshot;

		is_unlisted |= s->has_unlisted;
		for (size_t k = 0; k < s->n_parallels && (parts & SNAPSHOT_DEPENDENCES); k++)
			is_unlisted |=
				s->parallels[k].n_members > 1 && s->parallels[k].n_queued.rc == ompd_rc_unsupported;
	}
	if (is_unlisted)
		state_add_warning(
			array, "tasks_not_listed",
			"There may be more tasks that have not started: this runtime has no list of them. task.list "
			"with dependences also shows the tasks that a thread waits for in taskwait or taskgroup.");
}

static struct json_object *warnings_json(struct worker *w, const struct state *state, unsigned parts)
{
	struct snapshot all = {0};

	for (size_t i = 0; i < state->n; i++) {
		all.truncated |= state->parts[i].snapshot.truncated;
		all.cyclic |= state->parts[i].snapshot.cyclic;
		all.has_gaps |= state->parts[i].snapshot.has_gaps;
	}
	struct json_object *array = state_warnings_json(w, &all);

	warn_of_several(state, &array);
	warn_of_missing_members(w, state, &array);
	warn_of_unlisted_tasks(state, parts, &array);
	return array;
}

struct json_object *state_runtime_json(struct model *m)
{
	const struct error *why = NULL;
	const struct runtime *runtime = model_runtime(m, &why);
	struct json_object *o;

	if (!runtime)
		return json_reason(why);
	o = json_object_new_object();
	json_put(o, "kind", json_object_new_string(runtime->descriptor->name));
	json_put(o, "path", json_text(runtime->path));
	json_put(o, "version", runtime->version[0] ? json_object_new_string(runtime->version) : json_rc(1));
	json_put(o, "build_id", runtime->build_id[0] ? json_object_new_string(runtime->build_id) : json_rc(1));
	return o;
}

struct json_object *state_plugin_json(struct model *m)
{
	const struct error *why = NULL;
	const struct plugin *plugin = model_plugin(m, &why);
	const char *const *quirks;
	struct json_object *o;

	if (!plugin)
		return json_reason(why);
	o = json_object_new_object();
	json_put(o, "path", json_text(plugin_path(plugin)));
	json_put(o, "api_version", json_object_new_int64(plugin_api_version(plugin)));
	json_put(o, "version_string", json_text(plugin_version_string(plugin)));
	quirks = plugin_quirks(plugin);
	if (*quirks) {
		struct json_object *names = json_object_new_array();

		for (; *quirks; quirks++)
			json_object_array_add(names, json_object_new_string(*quirks));
		json_put(o, "quirks", names);
	}
	return o;
}

/* Return the results of @part; NULL: no view was taken. */
static struct json_object *runtimes_item_json(struct worker *w, size_t i, const struct state_part *part, bool with_icvs)
{
	struct model *m = runtimes_select(w->runtimes, i);
	struct json_object *o = state_runtime_json(m);

	json_put(o, "index", json_object_new_int((int)i));
	json_put(o, "plugin", state_plugin_json(m));
	if (!part)
		return o;
	if (!part->is_there) {
		json_put(o, "state", json_reason(part->why));
		return o;
	}
	const struct snapshot *s = &part->snapshot;

	json_put(o, "n_threads", json_object_new_int64((int64_t)s->n_openmp));
	if (s->parts & SNAPSHOT_PARALLELS)
		json_put(o, "n_in_region", json_object_new_int64((int64_t)state_count_in_region(s)));
	if (with_icvs)
		json_put(o, "icvs", state_json_icvs(w, &(struct state_view){.model = m, .snapshot = s}));
	return o;
}

/* Return the list of runtimes. @state NULL: no view was taken. */
static struct json_object *runtimes_json(struct worker *w, const struct state *state)
{
	size_t n = state ? state->n : runtimes_count(w->runtimes);
	struct json_object *array = json_object_new_array();
	const struct error *why;

	for (size_t i = 0; i < n; i++) {
		const struct state_part *part = state ? &state->parts[i] : NULL;
		bool with_icvs = n > 1 && part && (part->snapshot.parts & SNAPSHOT_ICVS);

		/* A model without a runtime represents a process that has no runtime yet. */
		if (model_runtime(runtimes_select(w->runtimes, i), &why))
			json_object_array_add(array, runtimes_item_json(w, i, part, with_icvs));
	}
	runtimes_main(w->runtimes);
	return array;
}

struct json_object *state_runtimes_json(struct worker *w)
{
	return runtimes_json(w, NULL);
}

/* List the views, the main runtime first. */
static size_t list_views(struct worker *w, struct state *state, struct state_view *views)
{
	size_t n = 0;

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < state->n; i++) {
			struct state_part *part = &state->parts[i];

			if (part->is_there && (i == model_index(worker_model(w))) == (pass == 0))
				views[n++] = (struct state_view){runtimes_get(w->runtimes, i), &part->snapshot,
								 &part->stacks, state->sampled ? &part->seen : NULL};
		}
	}
	return n;
}

static struct json_object *state_json(struct worker *w, struct state *state, unsigned parts, const struct view *view)
{
	struct json_object *o = json_result(w);
	struct state_view views[RUNTIMES_MAX];
	struct json_object *warnings;

	if (!o)
		return NULL;
	json_put_view(o, view);
	bool is_all = (parts & SNAPSHOT_ALL) == SNAPSHOT_ALL;
	if (is_all) {
		json_put(o, "runtime", state_runtime_json(worker_model(w)));
		json_put(o, "plugin", state_plugin_json(worker_model(w)));
	}
	if (is_all || state->n > 1)
		json_put(o, "runtimes", runtimes_json(w, state));
	state_json_put_parts(o, w, parts, views, list_views(w, state, views), state->n > 1);
	warnings = warnings_json(w, state, parts);
	if (warnings)
		json_put(o, "warnings", warnings);
	return o;
}

struct error *state_answer(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
			   struct json_object **ret)
{
	_cleanup_(state_deinit) struct state state = {.sampled = sample_ms > 0};
	struct view view;
	struct error *err = state_capture(w, parts, stacks, sample_ms, &state, &view);

	if (err)
		return err;
	*ret = state_json(w, &state, parts, &view);
	return *ret ? NULL : &error_nomem;
}
