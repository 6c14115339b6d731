/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Snapshots as requests see them. JSON is built after the target runs again. */
#include "methods/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "methods/json/json.h"
#include "methods/json/state_json.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/state/barrier_arrivals.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/walk/walk.h"
#include "openmp/python/python_frames.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_seen.h"
#include "openmp/stacks/stack_state.h"
#include "openmp/stacks/stacks.h"
#include "rpc/json_write.h"
#include "target/target.h"
#include "worker/capture/capture.h"

/* The limit of views for one answer: the second one has registers that the first one lacked. */
#define MAX_VIEWS 2

/* The results of one runtime. */
struct part {
	struct snapshot snapshot;
	struct stacks stacks;	/* of this snapshot, which refers to them */
	struct stack_seen seen; /* of this snapshot, if requested */
	bool is_there;		/* the snapshot was taken */
	struct error *why;	/* the reason if not */
};

struct state {
	struct part parts[RUNTIMES_MAX];
	size_t n;
	bool sampled; /* `seen` was requested */
};

struct capture {
	unsigned parts;
	enum state_stacks stacks;
	struct state *state;
};

/* Select the threads whose stacks are read: all OpenMP threads, or the first of each team. */
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

static void part_deinit(struct part *part)
{
	stacks_deinit(&part->stacks);
	stack_seen_deinit(&part->seen);
	snapshot_deinit(&part->snapshot);
	error_destroy(part->why);
	part->why = NULL;
	part->is_there = false;
}

static void state_deinit(struct state *state)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++)
		part_deinit(&state->parts[i]);
}

static struct error *capture_part(struct worker *w, const struct capture *c, struct model *m, struct part *part)
{
	struct snapshot *s = &part->snapshot;
	struct error *err = walk_snapshot(m, w->client, w->epoch, c->parts, w->plugin_options.timeout_ms, s);

	if (err || c->stacks == STACKS_NONE)
		return err;
	_cleanup_free_ pid_t *tids = malloc((s->n_threads ? s->n_threads : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	err = stacks_take(m, s, tids, select_stacks(s, c->stacks, tids), STACK_COPY_MANY, STACK_MAX_FRAMES,
			  &part->stacks);
	return err ? err : python_frames_take(&part->stacks);
}

bool state_error_is_of_runtime(const struct error *err)
{
	return err->code == ERR_OMPD || err->code == ERR_OPENMP_NOT_STARTED || err->code == ERR_THREADS_UNKNOWN ||
	       err->code == ERR_UNKNOWN_LAYOUT || err->code == ERR_RUNTIME_STRIPPED ||
	       err->code == ERR_PLUGIN_NOT_FOUND || err->code == ERR_PLUGIN_INCOMPATIBLE ||
	       err->code == ERR_PLUGIN_MISBEHAVED || err->code == ERR_CORE_MEMORY_LEFT_OUT ||
	       err->code == ERR_CORE_FILE_MISSING || err->code == ERR_CORE_FILE_MISMATCH ||
	       err->code == ERR_CORE_TRUNCATED || err->code == ERR_CORE_NOTES_MISSING;
}

static struct error *capture_state(struct worker *w, void *arg)
{
	struct capture *c = arg;
	struct error *err = NULL;

	c->state->n = runtimes_count(w->runtimes);
	for (size_t i = 0; i < c->state->n && !err; i++) {
		struct model *m = runtimes_select(w->runtimes, i);
		struct part *part = &c->state->parts[i];
		const struct error *why;

		part_deinit(part);
		/* The missing library of a single runtime was reported before. */
		if (!model_plugin(m, &why))
			continue;
		err = capture_part(w, c, m, part);
		part->is_there = !err;
		if (err && c->state->n > 1 && state_error_is_of_runtime(err)) {
			part->why = err;
			err = NULL;
		}
	}
	runtimes_main(w->runtimes);
	return err;
}

static size_t count_in_region(const struct snapshot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_ref *parallel = &s->threads[i].parallel;

		if (parallel->index != SNAPSHOT_NONE && s->parallels[parallel->index].n_members > 1)
			n++;
	}
	return n;
}

/* Choose the main runtime from the observed use. Returns NULL, or why no runtime has given a snapshot. */
static struct error *choose_main_runtime(struct worker *w, struct state *state)
{
	bool is_there = false;

	for (size_t i = 0; i < state->n; i++) {
		struct part *part = &state->parts[i];
		const struct snapshot *s = &part->snapshot;

		is_there |= part->is_there;
		if (part->is_there && (s->parts & SNAPSHOT_PARALLELS))
			runtimes_note_use(w->runtimes, i, s->n_openmp, count_in_region(s));
		else
			runtimes_note_use(w->runtimes, i, part->is_there ? s->n_openmp : 0, 0);
	}
	runtimes_main(w->runtimes);
	if (is_there)
		return NULL;
	struct model *m = worker_model(w);
	struct error *err = state->parts[model_index(m)].why;
	const struct error *why;

	state->parts[model_index(m)].why = NULL;
	if (!err)
		err = model_need_plugin(m);
	/* The library could not be loaded for the view, but can be now. */
	return err ? err
		   : plugin_load_failed(plugin_path(model_plugin(m, &why)),
					"its file was replaced during the request; repeat the request");
}

/* Take a view with the snapshots of all runtimes. */
static struct error *capture_snapshots(struct worker *w, struct capture *c, struct view *view_ret)
{
	struct error *err;

	do {
		err = worker_need_target(w);
		if (!err)
			err = runtimes_need_plugin(w->runtimes);
		/* Only stacks show which threads wait for a device. */
		if (!err && (c->parts & SNAPSHOT_STATES) && offload_is_present(w->target)) {
			c->stacks = STACKS_ALL;
			c->parts |= SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_FRAMES;
		}
		if (!err)
			err = (c->stacks == STACKS_ALL ? worker_capture_stopped : worker_capture)(w, capture_state, c,
												  view_ret);
		if (err && !state_error_is_of_runtime(err))
			return err;
		/* Another runtime may have been loaded since the last view, and may be the one in use. */
	} while (runtimes_find_more(w->runtimes) && (error_destroy(err), true));
	return err ? err : choose_main_runtime(w, c->state);
}

/* Add what the process shows beside the library's data. *@needs_registers_ret: another view would show more. */
static struct error *fill_snapshots(struct worker *w, const struct capture *c, unsigned sample_ms,
				    bool *needs_registers_ret)
{
	struct error *err = NULL;

	*needs_registers_ret = false;
	for (size_t i = 0; i < c->state->n; i++) {
		struct part *part = &c->state->parts[i];

		if (!part->is_there)
			continue;
		struct model *m = runtimes_select(w->runtimes, i);

		if (sample_ms && target_mode(w->target) == TARGET_OBSERVE)
			err = stack_seen_take(m, &part->snapshot, sample_ms, &part->seen);
		if (err)
			break;
		infer_snapshot(m, &part->snapshot);
		barrier_arrivals_count(&part->snapshot);
		if (c->stacks != STACKS_NONE)
			stack_fill_snapshot(&part->stacks, &part->snapshot);
		if (c->stacks == STACKS_ALL)
			stack_state_fill_devices(&part->stacks, &part->snapshot);
		*needs_registers_ret |= stacks_need_registers(&part->stacks);
	}
	runtimes_main(w->runtimes);
	return err;
}

/* Take the snapshots. *@ret is all zeroes on entry and must not move. Call state_deinit() also after an error. */
static struct error *take_snapshots(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
				    struct state *ret, struct view *view_ret)
{
	struct capture c = {parts, stacks, ret};
	bool needs_registers = true;
	struct error *err = NULL;

	/* Tasks distinguish the stacks; the answer shows only the requested parts. */
	if (stacks != STACKS_NONE || sample_ms)
		c.parts |= SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_FRAMES;
	/* States are needed if the library does not count arrivals at a barrier, or lists no tasks. */
	if (parts & (SNAPSHOT_PARALLELS | SNAPSHOT_DEPENDENCES))
		c.parts |= SNAPSHOT_STATES;

	for (int i = 0; i < MAX_VIEWS && needs_registers && !err; i++) {
		err = capture_snapshots(w, &c, view_ret);
		if (!err)
			err = fill_snapshots(w, &c, sample_ms, &needs_registers);
	}
	if (!err)
		target_reset_proof(w->target);
	for (size_t i = 0; i < ret->n && !err; i++)
		ret->parts[i].snapshot.parts = parts;
	return err;
}

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
		size_t n = state->parts[i].is_there && (s->parts & SNAPSHOT_PARALLELS) ? count_in_region(s) : 0;

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
static struct json_object *runtimes_item_json(struct worker *w, size_t i, const struct part *part, bool with_icvs)
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
		json_put(o, "n_in_region", json_object_new_int64((int64_t)count_in_region(s)));
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
		const struct part *part = state ? &state->parts[i] : NULL;
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
			struct part *part = &state->parts[i];

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
	struct error *err = take_snapshots(w, parts, stacks, sample_ms, &state, &view);

	if (err)
		return err;
	*ret = state_json(w, &state, parts, &view);
	return *ret ? NULL : &error_nomem;
}
