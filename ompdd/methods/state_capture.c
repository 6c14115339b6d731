/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes the snapshots of all runtimes in one view, and adds what stacks and states show. */
#include "methods/state_capture.h"

#include <stdlib.h>

#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/state/barrier_arrivals.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/walk/walk.h"
#include "openmp/plugin/plugin.h"
#include "openmp/python/python_frames.h"
#include "openmp/runtimes/offload.h"
#include "openmp/stacks/stack_state.h"
#include "target/target.h"
#include "worker/capture/capture.h"

/* The limit of views for one answer: the second one has registers that the first one lacked. */
#define MAX_VIEWS 2

struct capture {
	unsigned parts;
	enum state_stacks stacks;
	struct state *state;
};

/* Select the threads whose stacks are read: all OpenMP threads, with @others all threads, or the first of each team. */
static size_t select_stacks(const struct snapshot *s, enum state_stacks which, bool others, pid_t *tids)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_threads && which == STACKS_ALL; i++) {
		if (s->threads[i].openmp || others)
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

static void part_deinit(struct state_part *part)
{
	stacks_deinit(&part->stacks);
	stack_seen_deinit(&part->seen);
	snapshot_deinit(&part->snapshot);
	devices_deinit(&part->devices);
	error_destroy(part->why);
	part->why = NULL;
	part->is_there = false;
}

void state_deinit(struct state *state)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++)
		part_deinit(&state->parts[i]);
}

static struct error *capture_part(struct worker *w, const struct capture *c, struct model *m, struct state_part *part)
{
	struct snapshot *s = &part->snapshot;
	struct error *err = walk_snapshot(m, w->client, w->epoch, c->parts, w->plugin_options.timeout_ms, s);
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	if (!err && c->state->with_devices && runtime)
		err = devices_read(w->target, runtime, &part->devices);
	if (err || c->stacks == STACKS_NONE)
		return err;
	_cleanup_free_ pid_t *tids = malloc((s->n_threads ? s->n_threads : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	err = stacks_take(m, s, tids, select_stacks(s, c->stacks, c->state->with_devices, tids), STACK_COPY_MANY,
			  STACK_MAX_FRAMES, &part->stacks);
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
		struct state_part *part = &c->state->parts[i];
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

size_t state_count_in_region(const struct snapshot *s)
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
		struct state_part *part = &state->parts[i];
		const struct snapshot *s = &part->snapshot;

		is_there |= part->is_there;
		if (part->is_there && (s->parts & SNAPSHOT_PARALLELS))
			runtimes_note_use(w->runtimes, i, s->n_openmp, state_count_in_region(s));
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

/* Note in a view that proves nothing as a whole which threads may have run while it was read. */
static void mark_racy(struct worker *w, struct state *state)
{
	for (size_t i = 0; i < state->n; i++) {
		struct snapshot *s = &state->parts[i].snapshot;

		for (size_t k = 0; k < s->n_threads; k++)
			s->threads[k].is_racy = !target_has_slept(w->target, s->threads[k].tid);
	}
}

/* Add what the process shows beside the library's data. *@needs_registers_ret: another view would show more. */
static struct error *fill_snapshots(struct worker *w, const struct capture *c, unsigned sample_ms,
				    bool *needs_registers_ret)
{
	struct error *err = NULL;

	*needs_registers_ret = false;
	for (size_t i = 0; i < c->state->n; i++) {
		struct state_part *part = &c->state->parts[i];

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
		*needs_registers_ret |= infer_needs_registers(m, &part->snapshot);
		*needs_registers_ret |= stacks_need_registers(&part->stacks);
	}
	runtimes_main(w->runtimes);
	return err;
}

struct error *state_capture(struct worker *w, unsigned parts, enum state_stacks stacks, unsigned sample_ms,
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
		if (!err && view_ret->consistency == VIEW_RACY)
			mark_racy(w, ret);
		if (!err)
			err = fill_snapshots(w, &c, sample_ms, &needs_registers);
	}
	if (!err)
		target_reset_proof(w->target);
	for (size_t i = 0; i < ret->n && !err; i++)
		ret->parts[i].snapshot.parts = parts | (stacks != STACKS_NONE ? SNAPSHOT_FRAMES : 0);
	return err;
}
