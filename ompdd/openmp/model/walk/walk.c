/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass through the OMPD library. First come the threads, each with the names of its region and task. Then follows
 * every named task and region, which may name more, until no name is new. An object is visited once
 * (openmp/model/names), so a cyclic chain ends by itself.
 */
#include "openmp/model/walk/walk.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/model/names.h"
#include "openmp/model/snapshot_icvs.h"
#include "openmp/model/state/awaited.h"
#include "openmp/model/state/barrier_arrivals.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/state/mutexes.h"
#include "openmp/model/state/queued.h"
#include "openmp/model/walk/ended_regions.h"
#include "openmp/model/walk/host_target.h"
#include "openmp/model/walk/location.h"
#include "openmp/model/walk/members.h"
#include "openmp/model/walk/sample_walk.h"
#include "openmp/model/walk/snapshot_derived.h"
#include "openmp/model/task_function.h"
#include "openmp/model/walk/walk_pass.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/absent.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/nptl.h"

/* Reads the frames of @task. A failure does not reject the task. */
static void read_frames(struct walk *w, struct snapshot_task *task)
{
	ompd_frame_info_t leave = {0}, enter = {0};

	task->frames_rc = plugin_call(w->p, get_task_frame, task->object, &leave, &enter);
	task->exit_frame = leave.frame_address.address;
	task->exit_flags = leave.frame_flag;
	task->enter_frame = enter.frame_address.address;
	task->enter_flags = enter.frame_flag;
}

static struct error *walk_task(struct walk *w, size_t index)
{
	/* Naming others may move the array: work on a copy. */
	struct snapshot_task task = w->s->tasks[index];
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *generating = NULL, *scheduling = NULL;
	struct error *err;
	int rc;

	rc = plugin_call(w->p, get_task_parallel_handle, task.object, &parallel);
	err = names_add_parallel(&w->names, rc, parallel, 0, "ompd_get_task_parallel_handle", &task.parallel);
	if (err)
		return err;
	rc = plugin_call(w->p, get_generating_task_handle, task.object, &generating);
	err = names_add_task(&w->names, rc, generating, task.depth + 1, "ompd_get_generating_task_handle",
			     &task.generating);
	if (err)
		return err;
	rc = plugin_call(w->p, get_scheduling_task_handle, task.object, &scheduling);
	err = names_add_task(&w->names, rc, scheduling, task.depth + 1, "ompd_get_scheduling_task_handle",
			     &task.scheduling);
	if (err)
		return err;
	err = task_function_read(w->p, task.object, &task.function);
	if (!err)
		err = snapshot_icvs_read_task(w->s, w->p, &task);
	if (!err && task.kind == TASK_EXPLICIT)
		err = location_ask(w->p, w->s, (struct location_of){.task = task.object}, &task.location);
	if (err)
		return err;
	task.frames_rc = ompd_rc_unavailable;
	if (w->s->parts & SNAPSHOT_FRAMES)
		read_frames(w, &task);
	w->s->tasks[index] = task;
	return NULL;
}

static struct error *walk_tasks(struct walk *w)
{
	while (w->tasks_done < w->s->n_tasks && !callbacks_have_error()) {
		struct error *err = walk_task(w, w->tasks_done++);

		if (err)
			return err;
	}
	return NULL;
}

static struct error *walk_parallel(struct walk *w, size_t index)
{
	struct snapshot_parallel parallel = w->s->parallels[index];
	ompd_parallel_handle_t *enclosing = NULL;
	struct error *err;
	int rc;

	err = walk_read_field(w, parallel.object, w->fields.levels, &parallel.level);
	if (!err)
		err = walk_read_field(w, parallel.object, w->fields.active_levels, &parallel.active_level);
	if (!err)
		err = walk_read_field(w, parallel.object, w->fields.team_size, &parallel.team_size);
	if (!err)
		err = walk_read_icvs(w, parallel.object, &w->s->parallel_icvs, &parallel.icvs);
	if (!err && !w->sample)
		err = location_ask(w->p, w->s, (struct location_of){.parallel = parallel.object}, &parallel.location);
	if (err)
		return err;
	rc = plugin_call(w->p, get_enclosing_parallel_handle, parallel.object, &enclosing);
	err = names_add_parallel(&w->names, rc, enclosing, parallel.depth + 1, "ompd_get_enclosing_parallel_handle",
				 &parallel.enclosing);
	if (err)
		return err;
	parallel.function.rc = ompd_rc_unavailable;
	if (!(w->s->parts & SNAPSHOT_TASKS)) {
		err = task_function_read_region(w->p, parallel.object, &parallel.function);
		if (err)
			return err;
	}
	w->s->parallels[index] = parallel;
	return NULL;
}

static struct error *walk_parallels(struct walk *w)
{
	while (w->parallels_done < w->s->n_parallels && !callbacks_have_error()) {
		struct error *err = walk_parallel(w, w->parallels_done++);

		if (err)
			return err;
	}
	return NULL;
}

/*
 * Returns whether the thread's chain of tasks may miss its implicit task: below an explicit task, and where a region
 * begins or ends, since the encountering task is the current one there.
 */
static bool may_miss_implicit(const struct snapshot_thread *thread, const struct snapshot_task *task)
{
	return task->kind == TASK_EXPLICIT || task->parallel.index != thread->parallel.index;
}

static struct error *add_implicit_tasks(struct walk *w)
{
	struct snapshot *s = w->s;

	for (size_t i = 0; i < s->n_threads && !callbacks_have_error(); i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		ompd_task_handle_t *task = NULL;
		struct snapshot_ref ref;
		struct error *err;

		if (!thread->openmp || thread->task.index == SNAPSHOT_NONE || thread->parallel.index == SNAPSHOT_NONE ||
		    thread->thread_num.rc != ompd_rc_ok || thread->thread_num.value > INT32_MAX ||
		    !may_miss_implicit(thread, &s->tasks[thread->task.index]))
			continue;
		int rc = plugin_call(w->p, get_task_in_parallel, s->parallels[thread->parallel.index].object,
				     (int)thread->thread_num.value, &task);

		err = names_add_task(&w->names, rc, task, 1, "ompd_get_task_in_parallel", &ref);
		if (err)
			return err;
		if (ref.index != SNAPSHOT_NONE)
			s->tasks[ref.index].thread = (uint32_t)i;
	}
	return NULL;
}

/* Returns why no thread is an OpenMP thread: a core's files, the C library, or OpenMP has not started. */
static struct error *report_no_openmp(struct target *t)
{
	struct error *err = target_missing(t, 0);

	if (err)
		return err;
	if (nptl_is_absent(t))
		return error_create(ERR_THREADS_UNKNOWN,
				    "the C library of process %d is not glibc: its OpenMP threads cannot be recognised",
				    (int)target_pid(t));
	return absent_hint(t,
			   error_create(ERR_OPENMP_NOT_STARTED,
					"no thread of process %d has used the OpenMP runtime yet", (int)target_pid(t)));
}

static struct error *walk_opened(struct walk *w)
{
	struct snapshot *s = w->s;
	struct error *err;

	snapshot_icvs_sort(s, model_icvs(w->m), &w->fields);
	if (s->parts & SNAPSHOT_NO_ICVS)
		snapshot_icvs_keep_kinds(s, offload_is_present(w->t));
	if (w->sample)
		sample_walk_begin(w->sample, model_icvs(w->m), s);
	if (s->parts & SNAPSHOT_ICVS) {
		err = walk_read_icvs(w, model_aspace(w->m), &s->process_icvs, &s->icvs);
		if (err)
			return err;
	}
	const struct target_core *core = target_core(w->t);
	if (core && core->n_unknown_threads)
		return target_missing(w->t, 0);
	err = w->sample ? NULL : host_targets_report(w);
	if (!err)
		err = walk_threads(w);
	if (err)
		return err;
	if (s->n_openmp == 0 && !callbacks_have_error())
		return report_no_openmp(w->t);
	if (s->parts & SNAPSHOT_TASKS) {
		err = walk_tasks(w);
		if (!err)
			err = add_implicit_tasks(w);
		if (!err)
			err = walk_tasks(w);
		if (err)
			return err;
	}
	if (s->parts & (SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_STATES)) {
		err = walk_parallels(w);
		if (err)
			return err;
	}
	if (!w->sample && (s->parts & (SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_STATES))) {
		if (!callbacks_have_error())
			err = queued_find(w->p, &w->names, s->parts & SNAPSHOT_TASKS);
		if (!err && !callbacks_have_error())
			err = barrier_arrivals_request(w->p, s);
		if (!err && (s->parts & (SNAPSHOT_HOLDERS | SNAPSHOT_DEPENDENCES)) && !callbacks_have_error())
			err = awaited_ask_tasks(w->m, &w->names);
		awaited_resolve(s);
		/* The tasks requested above have parents, which may have ended. */
		if (!err && (s->parts & SNAPSHOT_TASKS))
			err = walk_tasks(w);
		if (!err)
			err = walk_parallels(w);
		if (err)
			return err;
		snapshot_derived_set_tasks(s, w->tasks_done);
		if (plugin_has_quirk(w->p, "ended_regions"))
			err = ended_regions_drop(s);
		snapshot_derived_set_gaps(s);
		if (!err)
			err = members_find(w->m, s);
	}
	if (!err && (s->parts & (SNAPSHOT_HOLDERS | SNAPSHOT_OWNERS)) && !callbacks_have_error())
		err = mutexes_ask(w->m, w->p, s);
	return err;
}

/* Runs the walk between begin_view and end_view: the library reads this view's pages, so it may cache its reads. */
static struct error *walk_all(struct walk *w)
{
	const struct ompd_routines *routines = plugin_routines(w->p);
	struct error *err = model_open(w->m);

	if (err)
		return err;
	if (routines->begin_view)
		plugin_call(w->p, begin_view, model_aspace(w->m));
	err = walk_opened(w);
	if (routines->end_view)
		plugin_call(w->p, end_view, model_aspace(w->m));
	return err;
}

static struct error *run_walk(struct model *m, int64_t client, uint64_t epoch, unsigned parts, unsigned timeout_ms,
			      struct sample_walk *sample, struct snapshot *s)
{
	const struct error *why;
	struct walk w = {
		.m = m,
		.p = model_plugin(m, &why),
		.t = model_target(m),
		.s = s,
		.sample = sample,
	};
	struct error *err;

	const struct runtime *runtime = model_runtime(m, &why);

	w.infers = runtime && runtime->descriptor->proofs;
	if (sample)
		sample->ends_with_region = runtime && runtime->descriptor->ends_with_region;
	names_init(&w.names, model_handles(m), model_index(m), client, s);
	snapshot_deinit(s);
	s->epoch = epoch;
	s->runtime = model_index(m);
	s->parts = parts;
	if (parts & SNAPSHOT_HOLDERS)
		s->origin = target_image(w.t);
	guard_enter(timeout_ms);
	err = walk_all(&w);
	guard_leave();
	return callbacks_why(err);
}

struct error *walk_snapshot(struct model *m, int64_t client, uint64_t epoch, unsigned parts, unsigned timeout_ms,
			    struct snapshot *s)
{
	return run_walk(m, client, epoch, parts, timeout_ms, NULL, s);
}

struct error *walk_sample(struct model *m, int64_t client, unsigned timeout_ms, struct sample_walk *sample,
			  struct snapshot *s)
{
	return run_walk(m, client, 0, SNAPSHOT_SAMPLE | SNAPSHOT_STATES | SNAPSHOT_PARALLELS | SNAPSHOT_OWNERS,
			timeout_ms, sample, s);
}
