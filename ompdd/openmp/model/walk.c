/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass through the OMPD library. First come the threads, each with the names of its region and task. Then follows
 * every named task and region, which may name more, until no name is new. An object is visited once
 * (openmp/model/names), so a cyclic chain ends by itself.
 */
#include "openmp/model/walk.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/plugin/callbacks.h"
#include "openmp/model/awaited.h"
#include "openmp/model/barrier_arrivals.h"
#include "openmp/model/ended_regions.h"
#include "openmp/model/infer.h"
#include "openmp/model/location.h"
#include "openmp/model/members.h"
#include "openmp/model/model.h"
#include "openmp/model/mutexes.h"
#include "openmp/model/names.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/model/queued.h"
#include "openmp/model/sample_walk.h"
#include "openmp/runtimes/absent.h"
#include "openmp/runtimes/profile.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/model/snapshot_derived.h"
#include "openmp/model/snapshot_icvs.h"
#include "target/nptl.h"

struct walk {
	struct model *m;
	struct plugin *p;
	struct target *t;
	struct snapshot *s;
	struct names names;
	struct snapshot_fields fields;
	size_t tasks_done, parallels_done;
	struct sample_walk *sample;	       /* with SNAPSHOT_SAMPLE */
	const struct sample_walk_known *known; /* of the current thread, if it has slept on */
	bool infers; /* the activity of threads is read from the process, for openmp/model/infer */
};

static struct error *read_field(struct walk *w, void *object, struct icv_def *def, struct snapshot_word *ret)
{
	return snapshot_icvs_read_field(w->s, w->p, object, def, ret);
}

static struct error *read_icvs(struct walk *w, void *object, const struct snapshot_icv_set *set, struct icv_value **ret)
{
	return snapshot_icvs_read(w->s, w->p, object, set, ret);
}

static struct error *read_state(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state = 0;
	int rc = plugin_call(w->p, get_state, object, &state, &wait_id);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_state", "returned no code of OMPD");
	thread->state = (struct snapshot_word){rc, state};
	thread->wait_id = (struct snapshot_word){.rc = rc == ompd_rc_ok ? ompd_rc_unavailable : rc};
	if (rc == ompd_rc_ok && wait_id)
		thread->wait_id = (struct snapshot_word){ompd_rc_ok, (int64_t)wait_id};
	return NULL;
}

/* If memory does not show the state, the futex word may. The state is inferred: its proof comes from the kernel. */
static struct error *read_state_asleep(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_address_t word = {0};
	ompd_word_t state = 0;

	if (thread->state.rc == ompd_rc_ok || !plugin_routines(w->p)->get_state_asleep ||
	    !infer_sleeps_on(w->m, &thread->activity, &word.address))
		return NULL;
	int rc = plugin_call(w->p, get_state_asleep, object, &word, &state);
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_state_asleep", "returned no code of OMPD");
	if (rc == ompd_rc_ok) {
		thread->state = (struct snapshot_word){rc, state};
		thread->state_is_inferred = true;
	}
	return NULL;
}

static struct error *request_awaited(struct walk *w, ompd_thread_handle_t *object, const struct snapshot_thread *thread)
{
	uint32_t index = (uint32_t)(thread - w->s->threads);
	struct target_registers registers;
	struct awaited_place place = {.pc = thread->activity.pc, .registers = &registers};

	if (thread->state.rc != ompd_rc_ok && (w->s->parts & SNAPSHOT_HOLDERS) &&
	    plugin_routines(w->p)->get_awaited_at && infer_spins(w->m, &thread->activity, &place.function) &&
	    target_registers(w->t, thread->tid, &registers))
		return awaited_ask_spinning(w->m, &w->names, object, index, &place);
	return awaited_ask_thread(w->m, &w->names, object, index);
}

/* Reads everything requested about an OpenMP thread. The caller releases @object. */
static struct error *read_thread(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	struct error *err;
	int rc;

	if (w->s->parts & SNAPSHOT_STATES) {
		err = read_state(w, object, thread);
		if (err)
			return err;
		if (!(w->s->parts & SNAPSHOT_SAMPLE))
			err = read_icvs(w, object, &w->s->thread_icvs, &thread->icvs);
		if (err)
			return err;
		if (w->sample)
			w->sample->activity(w->sample->arg, thread, &thread->activity);
		else if (w->infers || (w->s->parts & SNAPSHOT_HOLDERS))
			target_activity(w->t, thread->tid, &thread->activity);
		err = read_state_asleep(w, object, thread);
		if (!err && !w->sample && thread->state.value != ompt_state_idle)
			err = location_ask(w->p, w->s, (struct location_of){.thread = object}, &thread->location);
		if (!err && (w->s->parts & (SNAPSHOT_HOLDERS | SNAPSHOT_DEPENDENCES)))
			err = request_awaited(w, object, thread);
		if (err)
			return err;
		if (w->known && sample_walk_is_same(w->known, thread) &&
		    sample_walk_repeat(w->known, w->s, thread, &err))
			return err;
	}
	rc = plugin_call(w->p, get_curr_parallel_handle, object, &parallel);
	err = names_add_parallel(&w->names, rc, parallel, 0, "ompd_get_curr_parallel_handle", &thread->parallel);
	if (!err && w->sample)
		return sample_walk_thread(w->sample, w->p, w->s, &w->fields, object, thread);
	if (!err)
		err = read_field(w, object, w->fields.thread_num, &thread->thread_num);
	if (err)
		return err;
	rc = plugin_call(w->p, get_curr_task_handle, object, &task);
	return names_add_task(&w->names, rc, task, 0, "ompd_get_curr_task_handle", &thread->task);
}

static int find_thread(struct walk *w, const struct snapshot_thread *thread, ompd_thread_handle_t **ret)
{
	int rc = ompd_rc_unsupported;

	if (thread->pthread) {
		uint64_t pthread = thread->pthread;

		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
				 &pthread, ret);
	}
	if (rc == ompd_rc_unsupported || rc == ompd_rc_bad_input) {
		int32_t tid = thread->tid;

		*ret = NULL;
		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m), OMPD_THREAD_ID_LWP, sizeof(tid), &tid,
				 ret);
	}
	return rc;
}

static struct error *walk_thread(struct walk *w, struct snapshot_thread *thread)
{
	bool slept = false;
	struct sample_walk_known *known = w->sample ? w->sample->known(w->sample->arg, thread, &slept) : NULL;
	struct error *err = NULL;

	if (known && slept && known->is_settled && sample_walk_repeat(known, w->s, thread, &err)) {
		if (w->infers)
			w->sample->activity(w->sample->arg, thread, &thread->activity);
		w->s->n_openmp++;
		return err;
	}
	ompd_thread_handle_t *object = known ? sample_walk_object(known, w->m) : NULL;
	int rc = object ? ompd_rc_ok : find_thread(w, thread, &object);
	err = names_check(rc, object, "ompd_get_thread_handle");

	if (err)
		return err;
	thread->openmp = rc == ompd_rc_ok;
	thread->openmp_rc = rc;
	thread->parallel = thread->task = names_none(rc);
	if (!thread->openmp)
		return NULL;
	w->s->n_openmp++;
	w->known = slept ? known : NULL;
	err = read_thread(w, object, thread);
	if (!known || !sample_walk_keep_object(known, w->m, object, thread))
		plugin_call(w->p, rel_thread_handle, object);
	return err;
}

static struct error *walk_threads(struct walk *w)
{
	const struct target_thread *threads;
	struct error *err;
	size_t n;

	err = target_threads(w->t, &threads, &n);
	if (err)
		return err;
	if (n > MODEL_MAX_THREADS) {
		n = MODEL_MAX_THREADS;
		w->s->truncated = true;
	}
	w->s->threads = calloc(n ? n : 1, sizeof(*w->s->threads));
	if (!w->s->threads)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		struct snapshot_thread *thread = &w->s->threads[w->s->n_threads++];

		thread->tid = threads[i].tid;
		thread->pthread = threads[i].pthread;
		memcpy(thread->comm, threads[i].comm, sizeof(thread->comm));
		if (target_mode(w->t) == TARGET_OBSERVE)
			thread->kernel_state = threads[i].state;
		err = walk_thread(w, thread);
		if (err || callbacks_have_error())
			return err;
	}
	return NULL;
}

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
	ompd_address_t function = {0};
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
	rc = plugin_call(w->p, get_task_function, task.object, &function);
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_function", "returned no code of OMPD");
	/* Some libraries return address 0 for the initial task. */
	if (rc == ompd_rc_ok && function.address == 0)
		rc = ompd_rc_unavailable;
	task.function = (struct snapshot_word){rc, (int64_t)function.address};
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

/* Reads the function of a region from an implicit task, for walks without tasks. */
static struct error *read_function(struct walk *w, struct snapshot_parallel *parallel)
{
	ompd_address_t function = {0};
	ompd_task_handle_t *task = NULL;
	int rc = plugin_call(w->p, get_task_in_parallel, parallel->object, 0, &task);

	if (rc == ompd_rc_ok && !task)
		return ompd_misbehaved("ompd_get_task_in_parallel", "returned no handle");
	if (rc == ompd_rc_ok) {
		rc = plugin_call(w->p, get_task_function, task, &function);
		plugin_call(w->p, rel_task_handle, task);
	}
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_function", "returned no code of OMPD");
	if (rc == ompd_rc_ok && function.address == 0)
		rc = ompd_rc_unavailable;
	parallel->function = (struct snapshot_word){rc, (int64_t)function.address};
	return NULL;
}

static struct error *walk_parallel(struct walk *w, size_t index)
{
	struct snapshot_parallel parallel = w->s->parallels[index];
	ompd_parallel_handle_t *enclosing = NULL;
	struct error *err;
	int rc;

	err = read_field(w, parallel.object, w->fields.levels, &parallel.level);
	if (!err)
		err = read_field(w, parallel.object, w->fields.active_levels, &parallel.active_level);
	if (!err)
		err = read_field(w, parallel.object, w->fields.team_size, &parallel.team_size);
	if (!err)
		err = read_icvs(w, parallel.object, &w->s->parallel_icvs, &parallel.icvs);
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
		err = read_function(w, &parallel);
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

/* Adds implicit tasks: a thread in an explicit task also executes its implicit one, which chains may not reach. */
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
		    s->tasks[thread->task.index].kind != TASK_EXPLICIT)
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
				    "the C library of process %d is not glibc: which of its threads are the OpenMP "
				    "runtime's is not known",
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
		snapshot_icvs_keep_kinds(s);
	if (w->sample)
		sample_walk_begin(w->sample, model_icvs(w->m), s);
	if (s->parts & SNAPSHOT_ICVS) {
		err = read_icvs(w, model_aspace(w->m), &s->process_icvs, &s->icvs);
		if (err)
			return err;
	}
	const struct target_core *core = target_core(w->t);
	if (core && core->n_unknown_threads)
		return target_missing(w->t, 0);
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

	w.infers = runtime && runtime->profile->proofs;
	if (sample)
		sample->ends_with_region = runtime && runtime->profile->ends_with_region;
	names_init(&w.names, model_handles(m), model_index(m), client, s);
	snapshot_deinit(s);
	s->epoch = epoch;
	s->runtime = model_index(m);
	s->parts = parts;
	if (parts & SNAPSHOT_HOLDERS)
		s->origin = target_origin(w.t);
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
