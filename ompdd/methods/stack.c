/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* stack.*: call stacks of one thread or of all, physical or logical. */
#include <stdio.h>
#include <stdlib.h>

#include <omp-tools.h>

#include "methods/json/json.h"
#include "methods/json/stack_json.h"
#include "methods/state_capture.h"
#include "methods_worker.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/walk/walk.h"
#include "openmp/python/python_frames.h"
#include "openmp/stacks/stack_list.h"
#include "target/target.h"
#include "worker/capture/capture.h"

/* The results of one runtime. */
struct part {
	struct snapshot snapshot;
	bool has_snapshot;
	struct error *why; /* why there is no snapshot */
	struct stacks stacks;
};

/* A request, and the results of its view. */
struct taking {
	pid_t tid; /* 0: all threads are requested */
	bool all;  /* the stacks of all threads are needed */
	size_t max_frames;
	struct part parts[RUNTIMES_MAX];
	size_t n, main;
};

static void part_deinit(struct part *part)
{
	stacks_deinit(&part->stacks);
	snapshot_deinit(&part->snapshot);
	error_destroy(part->why);
	*part = (struct part){0};
}

static void taking_deinit(struct taking *k)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++)
		part_deinit(&k->parts[i]);
}

static struct error *take_snapshot(struct worker *w, struct model *m, struct part *part)
{
	const struct error *why;

	part_deinit(part);
	if (!model_plugin(m, &why))
		return NULL;
	struct error *err = walk_snapshot(m, w->client, w->epoch, SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_FRAMES,
					  w->plugin_options.timeout_ms, &part->snapshot);
	part->has_snapshot = !err;
	/* Without OpenMP there still are stacks. */
	if (!err || !state_error_is_of_runtime(err))
		return err;
	part->why = err;
	return NULL;
}

/* Return the runtime's data of its own OpenMP thread @tid; NULL: unknown to the runtime. */
static const struct snapshot_thread *find_thread(const struct part *part, pid_t tid)
{
	for (size_t i = 0; part->has_snapshot && i < part->snapshot.n_threads; i++) {
		if (part->snapshot.threads[i].tid == tid && part->snapshot.threads[i].openmp)
			return &part->snapshot.threads[i];
	}
	return NULL;
}

static bool is_in_region(const struct part *part, const struct snapshot_thread *thread)
{
	return thread->parallel.index != SNAPSHOT_NONE &&
	       part->snapshot.parallels[thread->parallel.index].level.value > 0;
}

/*
 * Return the index of the runtime whose stacks show @tid. Prefers a runtime with @tid in one of its regions, then one
 * that knows @tid. Among equals, prefers the main runtime.
 */
static size_t owner_of(const struct taking *k, pid_t tid)
{
	size_t owner = k->main;
	int best = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct snapshot_thread *thread = k->n > 1 ? find_thread(&k->parts[i], tid) : NULL;
		int rank = !thread ? 0 : 2 * (1 + is_in_region(&k->parts[i], thread)) + (i == k->main);

		if (rank > best) {
			best = rank;
			owner = i;
		}
	}
	return owner;
}

/*
 * Take the stacks of @tids that part @i shows. Includes threads of its runtime that another part shows, because stacks
 * of other threads continue there.
 */
static struct error *take_part_stacks(struct worker *w, struct taking *k, size_t i, const pid_t *tids, size_t n)
{
	struct part *part = &k->parts[i];
	_cleanup_free_ pid_t *mine = malloc((n ? n : 1) * sizeof(*mine));
	size_t n_mine = 0;

	if (!mine)
		return &error_nomem;
	for (size_t t = 0; t < n; t++) {
		if (k->n == 1 || owner_of(k, tids[t]) == i || find_thread(part, tids[t]))
			mine[n_mine++] = tids[t];
	}
	struct error *err =
		stacks_take(runtimes_select(w->runtimes, i), part->has_snapshot ? &part->snapshot : NULL, mine, n_mine,
			    n == 1 ? STACK_COPY_ONE : STACK_COPY_MANY, k->max_frames, &part->stacks);
	if (!err)
		err = python_frames_take(&part->stacks);
	for (size_t t = 0; t < n_mine && !err && k->n > 1; t++)
		part->stacks.threads[t].is_elsewhere = owner_of(k, mine[t]) != i;
	return err;
}

static struct error *capture_stacks(struct worker *w, void *arg)
{
	struct taking *k = arg;
	const struct target_thread *threads;
	struct error *err = NULL;
	size_t n;

	k->n = runtimes_count(w->runtimes);
	k->main = model_index(worker_model(w));
	for (size_t i = 0; i < k->n && !err; i++)
		err = take_snapshot(w, runtimes_select(w->runtimes, i), &k->parts[i]);
	if (!err)
		err = target_threads(w->target, &threads, &n);
	if (!err && k->tid && !target_thread_by_tid(w->target, k->tid))
		err = error_detail(error_create(ERR_NO_SUCH_THREAD, "process %d has no thread %d",
						(int)target_pid(w->target), (int)k->tid),
				   "tid", "%d", (int)k->tid);
	_cleanup_free_ pid_t *tids = malloc(((err ? 0 : n) + 1) * sizeof(*tids));
	if (!err && !tids)
		err = &error_nomem;
	for (size_t i = 0; !err && i < n; i++)
		tids[i] = threads[i].tid;
	if (!err && !k->all)
		err = take_part_stacks(w, k, owner_of(k, k->tid), &k->tid, 1);
	for (size_t i = 0; i < k->n && k->all && !err; i++)
		err = take_part_stacks(w, k, i, tids, n);
	runtimes_main(w->runtimes);
	return err;
}

/* Add what the stacks show to the snapshots. Return whether another view would show more, with more registers. */
static bool fill_snapshots(struct worker *w, struct taking *k)
{
	bool needs_registers = false;

	for (size_t i = 0; i < k->n && k->all; i++) {
		runtimes_select(w->runtimes, i);
		if (k->parts[i].has_snapshot)
			stack_fill_snapshot(&k->parts[i].stacks, &k->parts[i].snapshot);
		needs_registers |= stacks_need_registers(&k->parts[i].stacks);
	}
	runtimes_main(w->runtimes);
	return needs_registers;
}

static struct error *take_stacks(struct worker *w, struct taking *k, struct view *view_ret)
{
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	/* Libraries may have been loaded meanwhile. The result names the missing ones. */
	model_refresh(worker_model(w));
	runtimes_find_more(w->runtimes);
	err = worker_capture_stopped(w, capture_stacks, k, view_ret);
	if (!err && fill_snapshots(w, k)) {
		err = worker_capture_stopped(w, capture_stacks, k, view_ret);
		if (err)
			return err;
		fill_snapshots(w, k);
		target_reset_proof(w->target);
	}
	return err;
}

/* Results */

static struct json_object *ref_json(struct worker *w, const struct snapshot *s, enum handle_kind kind,
				    const struct snapshot_ref *ref)
{
	char text[HANDLE_NAME_SIZE];

	if (ref->rc != ompd_rc_ok)
		return json_rc(ref->rc);
	size_t len = handle_name_write(w->target_id, s->epoch, s->runtime, kind, ref->number, text);
	return json_object_new_string_len(text, (int)len);
}

static struct json_object *openmp_json(struct worker *w, const struct part *part, const struct snapshot_thread *thread)
{
	const struct error *why = part->why;

	if (thread && (thread->openmp || thread->openmp_rc == ompd_rc_unavailable))
		return json_object_new_boolean(thread->openmp);
	if (thread)
		return json_rc(thread->openmp_rc);
	if (!why)
		model_plugin(worker_model(w), &why);
	return json_reason(why);
}

static struct json_object *thread_json(struct worker *w, const struct taking *k, const struct part *part, size_t i,
				       bool with_task)
{
	const struct stacks_thread *t = &part->stacks.threads[i];
	const struct snapshot_thread *thread =
		part->has_snapshot && t->thread != SNAPSHOT_NONE ? &part->snapshot.threads[t->thread] : NULL;
	struct json_object *o = json_object_new_object();

	json_put(o, "tid", json_object_new_int(t->tid));
	json_put(o, "openmp", openmp_json(w, part, thread));
	if (!thread || !thread->openmp)
		return o;
	if (k->n > 1)
		json_put(o, "runtime", json_object_new_int((int)part->snapshot.runtime));
	json_put(o, "thread_num",
		 thread->thread_num.rc == ompd_rc_ok ? json_object_new_int64(thread->thread_num.value)
						     : json_rc(thread->thread_num.rc));
	json_put(o, "parallel", ref_json(w, &part->snapshot, HANDLE_PARALLEL, &thread->parallel));
	if (with_task)
		json_put(o, "task", ref_json(w, &part->snapshot, HANDLE_TASK, &thread->task));
	return o;
}

/* Warn of Python functions that are not known, once for each reason. */
static void warn_of_python(const struct stacks *st, struct json_object **warnings)
{
	const char *last = NULL;
	char text[256];

	if (st->python_why) {
		snprintf(text, sizeof(text), "The functions of Python are not known: %s.", st->python_why);
		state_add_warning(warnings, "python_unavailable", text);
	}
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct stacks_thread *t = &st->threads[i];

		if (!t->python_why || t->python_why == last)
			continue;
		last = t->python_why;
		snprintf(text, sizeof(text), "The functions of Python on thread %d are not known: %s.", (int)t->tid,
			 last);
		state_add_warning(warnings, "python_unavailable", text);
	}
}

static void put_warnings(struct json_object *o, struct worker *w, const struct taking *k)
{
	struct snapshot all = {0};
	bool has_any = false;

	for (size_t i = 0; i < k->n; i++) {
		const struct part *part = &k->parts[i];

		has_any |= part->has_snapshot;
		all.truncated |= part->snapshot.truncated;
		all.cyclic |= part->snapshot.cyclic;
		all.has_gaps |= part->snapshot.has_gaps;
	}
	struct json_object *warnings = state_warnings_json(w, has_any ? &all : NULL);

	for (size_t i = 0; i < k->n; i++)
		warn_of_python(&k->parts[i].stacks, &warnings);
	if (warnings)
		json_put(o, "warnings", warnings);
}

static struct error *stack_result(struct worker *w, struct taking *k, bool logical, const struct view *view,
				  struct json_object **ret)
{
	_cleanup_(stack_list_deinit) struct stack_list list = {0};
	struct part *part = &k->parts[owner_of(k, k->tid)];
	struct stack_view v = {.w = w, .st = &part->stacks, .s = part->has_snapshot ? &part->snapshot : NULL};
	size_t i = stacks_find(&part->stacks, k->tid);
	struct error *err;

	/* The thread was in the view, so it is among the stacks. */
	if (i == SIZE_MAX)
		return error_create(ERR_NO_SUCH_THREAD, "thread %d has ended", (int)k->tid);
	err = logical ? stack_list_logical(v.st, i, &list) : stack_list_physical(v.st, i, &list);
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put_view(o, view);
	json_put(o, "thread", thread_json(w, k, part, i, true));
	json_put(o, "frames", stack_items_json(&v, &list));
	json_put(o, "complete", stack_complete_json(&v, &list, k->tid));
	put_warnings(o, w, k);
	*ret = o;
	return NULL;
}

static struct json_object *group_json(struct worker *w, const struct taking *k, struct part *part,
				      const struct stack_group *group)
{
	struct stack_view v = {
		.w = w,
		.st = &part->stacks,
		.s = part->has_snapshot ? &part->snapshot : NULL,
		.group = group,
	};
	struct json_object *o = json_object_new_object();
	struct json_object *threads = json_object_new_array_ext((int)group->n_threads);

	for (uint32_t i = 0; i < group->n_threads; i++)
		json_object_array_add(threads, thread_json(w, k, part, group->threads[i], false));
	json_put(o, "threads", threads);
	json_put(o, "frames", stack_items_json(&v, &group->list));
	json_put(o, "complete", stack_complete_json(&v, &group->list, part->stacks.threads[group->threads[0]].tid));
	return o;
}

static struct error *add_groups(struct worker *w, const struct taking *k, struct part *part, bool logical,
				struct json_object *array)
{
	_cleanup_(stack_groups_deinit) struct stack_groups groups = {0};
	struct error *err = stack_groups_make(&part->stacks, logical, &groups);

	for (size_t i = 0; i < groups.n && !err; i++)
		json_object_array_add(array, group_json(w, k, part, &groups.groups[i]));
	return err;
}

static struct error *groups_result(struct worker *w, struct taking *k, bool logical, const struct view *view,
				   struct json_object **ret)
{
	struct json_object *o = json_result(w), *array = json_object_new_array();
	struct error *err = o && array ? NULL : &error_nomem;

	for (size_t i = 0; i < k->n && !err; i++)
		err = add_groups(w, k, &k->parts[i], logical, array);
	if (err) {
		json_object_put(array);
		json_object_put(o);
		return err;
	}
	json_put_view(o, view);
	json_put(o, "groups", array);
	put_warnings(o, w, k);
	*ret = o;
	return NULL;
}

struct error *handle_stack_get(struct worker *w, const struct stack_get_params *p, struct json_object **ret)
{
	_cleanup_(taking_deinit) struct taking k = {
		.tid = (pid_t)p->thread,
		.all = p->logical,
		.max_frames = (size_t)p->max_frames,
	};
	struct view view;
	struct error *err = take_stacks(w, &k, &view);

	return err ? err : stack_result(w, &k, p->logical, &view, ret);
}

struct error *handle_stack_groups(struct worker *w, const struct stack_groups_params *p, struct json_object **ret)
{
	_cleanup_(taking_deinit) struct taking k = {
		.all = true,
		.max_frames = (size_t)p->max_frames,
	};
	struct view view;
	struct error *err = take_stacks(w, &k, &view);

	return err ? err : groups_result(w, &k, p->logical, &view, ret);
}
