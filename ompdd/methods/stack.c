/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* stack.*: call stacks of one thread or of all, physical or logical. */
#include <stdlib.h>

#include <omp-tools.h>

#include "methods/json.h"
#include "methods/stack_json.h"
#include "methods/state.h"
#include "methods_worker.h"
#include "openmp/model/handles.h"
#include "openmp/model/model.h"
#include "openmp/stacks/stack_list.h"
#include "openmp/model/walk.h"

/* What a request wants, and what a view gave. */
struct taking {
	pid_t tid; /* 0: all threads are the question, not one */
	bool all;  /* the stacks of all are needed */
	size_t max_frames;
	struct snapshot snapshot;
	bool has_snapshot;
	struct error *why; /* why not */
	struct stacks stacks;
};

static void taking_deinit(struct taking *k)
{
	stacks_deinit(&k->stacks);
	snapshot_deinit(&k->snapshot);
	error_destroy(k->why);
}

static struct error *take_snapshot(struct worker *w, struct taking *k)
{
	const struct error *why;

	snapshot_deinit(&k->snapshot);
	k->has_snapshot = false;
	error_destroy(k->why);
	k->why = NULL;
	if (!model_plugin(worker_model(w), &why))
		return NULL;
	struct error *err = walk_snapshot(worker_model(w), w->client, w->epoch,
					  SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_FRAMES,
					  w->plugin_options.timeout_ms, &k->snapshot);
	k->has_snapshot = !err;
	/* Without OpenMP there still are stacks. */
	if (!err || !state_error_is_of_runtime(err))
		return err;
	k->why = err;
	return NULL;
}

static struct error *capture(struct worker *w, void *arg)
{
	struct taking *k = arg;
	const struct target_thread *threads;
	size_t n;

	stacks_deinit(&k->stacks);
	struct error *err = take_snapshot(w, k);
	if (!err)
		err = target_threads(w->target, &threads, &n);
	if (err)
		return err;
	if (k->tid && !target_thread_by_tid(w->target, k->tid))
		return error_detail(error_create(ERR_NO_SUCH_THREAD, "process %d has no thread %d",
						 (int)target_pid(w->target), (int)k->tid),
				    "tid", "%d", (int)k->tid);
	const struct snapshot *s = k->has_snapshot ? &k->snapshot : NULL;
	if (!k->all)
		return stacks_take(worker_model(w), s, &k->tid, 1, STACK_COPY_ONE, k->max_frames, &k->stacks);
	_cleanup_free_ pid_t *tids = malloc((n ? n : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		tids[i] = threads[i].tid;
	return stacks_take(worker_model(w), s, tids, n, STACK_COPY_MANY, k->max_frames, &k->stacks);
}

static struct error *take(struct worker *w, struct taking *k, struct view *view_ret)
{
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	/* Libraries may have come; what is missing is said in the result. */
	model_look_again(worker_model(w));
	err = worker_capture_standing(w, capture, k, view_ret);
	if (!err && k->has_snapshot && k->all)
		stack_fill_snapshot(&k->stacks, &k->snapshot);
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

static struct json_object *openmp_json(struct worker *w, const struct taking *k, const struct snapshot_thread *thread)
{
	const struct error *why = k->why;

	if (thread && (thread->openmp || thread->openmp_rc == ompd_rc_unavailable))
		return json_object_new_boolean(thread->openmp);
	if (thread)
		return json_rc(thread->openmp_rc);
	if (!why)
		model_plugin(worker_model(w), &why);
	return json_reason(why);
}

static struct json_object *thread_json(struct worker *w, const struct taking *k, size_t i, bool with_task)
{
	const struct stacks_thread *t = &k->stacks.threads[i];
	const struct snapshot_thread *thread =
		k->has_snapshot && t->thread != SNAPSHOT_NONE ? &k->snapshot.threads[t->thread] : NULL;
	struct json_object *o = json_object_new_object();

	json_put(o, "tid", json_object_new_int(t->tid));
	json_put(o, "openmp", openmp_json(w, k, thread));
	if (!thread || !thread->openmp)
		return o;
	json_put(o, "thread_num",
		 thread->thread_num.rc == ompd_rc_ok ? json_object_new_int64(thread->thread_num.value)
						     : json_rc(thread->thread_num.rc));
	json_put(o, "parallel", ref_json(w, &k->snapshot, HANDLE_PARALLEL, &thread->parallel));
	if (with_task)
		json_put(o, "task", ref_json(w, &k->snapshot, HANDLE_TASK, &thread->task));
	return o;
}

static void put_warnings(struct json_object *o, struct worker *w, const struct taking *k)
{
	struct json_object *warnings = state_warnings_json(w, k->has_snapshot ? &k->snapshot : NULL);

	if (warnings)
		json_put(o, "warnings", warnings);
}

static struct error *stack_result(struct worker *w, struct taking *k, bool logical, const struct view *view,
				  struct json_object **ret)
{
	_cleanup_(stack_list_deinit) struct stack_list list = {0};
	struct stack_view v = {.w = w, .st = &k->stacks, .s = k->has_snapshot ? &k->snapshot : NULL};
	size_t i = stacks_find(&k->stacks, k->tid);
	struct error *err;

	/* A thread that was in the view has a stack. */
	if (i == SIZE_MAX)
		return error_create(ERR_NO_SUCH_THREAD, "thread %d has ended", (int)k->tid);
	err = logical ? stack_list_logical(&k->stacks, i, &list) : stack_list_physical(&k->stacks, i, &list);
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put_view(o, view);
	json_put(o, "thread", thread_json(w, k, i, true));
	json_put(o, "frames", stack_items_json(&v, &list));
	json_put(o, "complete", stack_complete_json(&v, &list, k->tid));
	put_warnings(o, w, k);
	*ret = o;
	return NULL;
}

static struct json_object *group_json(struct worker *w, struct taking *k, const struct stack_group *group)
{
	struct stack_view v = {
		.w = w,
		.st = &k->stacks,
		.s = k->has_snapshot ? &k->snapshot : NULL,
		.group = group,
	};
	struct json_object *o = json_object_new_object();
	struct json_object *threads = json_object_new_array_ext((int)group->n_threads);

	for (uint32_t i = 0; i < group->n_threads; i++)
		json_object_array_add(threads, thread_json(w, k, group->threads[i], false));
	json_put(o, "threads", threads);
	json_put(o, "frames", stack_items_json(&v, &group->list));
	json_put(o, "complete", stack_complete_json(&v, &group->list, k->stacks.threads[group->threads[0]].tid));
	return o;
}

static struct error *groups_result(struct worker *w, struct taking *k, bool logical, const struct view *view,
				   struct json_object **ret)
{
	_cleanup_(stack_groups_deinit) struct stack_groups groups = {0};
	struct error *err = stack_groups_make(&k->stacks, logical, &groups);

	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put_view(o, view);
	struct json_object *array = json_object_new_array_ext((int)groups.n);
	for (size_t i = 0; i < groups.n; i++)
		json_object_array_add(array, group_json(w, k, &groups.groups[i]));
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
	struct error *err = take(w, &k, &view);

	return err ? err : stack_result(w, &k, p->logical, &view, ret);
}

struct error *handle_stack_groups(struct worker *w, const struct stack_groups_params *p, struct json_object **ret)
{
	_cleanup_(taking_deinit) struct taking k = {
		.all = true,
		.max_frames = (size_t)p->max_frames,
	};
	struct view view;
	struct error *err = take(w, &k, &view);

	return err ? err : groups_result(w, &k, p->logical, &view, ret);
}
