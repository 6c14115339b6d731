/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass through the OMPD library. Threads first, each with the names of its region and task; then
 * every task and every region that was named, which may name more, until none is new. An object is met once:
 * interning finds it by the library's own compare routine, so a cyclic chain ends by itself.
 */
#include "openmp/walk.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/callbacks.h"
#include "openmp/ended.h"
#include "openmp/handles.h"
#include "openmp/members.h"
#include "openmp/model.h"
#include "openmp/ompd.h"
#include "openmp/plugin.h"
#include "openmp/runtime.h"

struct walk {
	struct model *m;
	struct plugin *p;
	struct target *t;
	struct handles *handles;
	int64_t client;
	uint64_t serial;
	struct snapshot *s;
	/* Variables that become fields of their own; NULL when the library has none such. */
	struct icv_def *thread_num, *levels, *active_levels, *team_size;
	size_t tasks_done, parallels_done;
};

/* Walks of this process: marks in handles are never mistaken for those of an earlier walk. */
static uint64_t last_serial;

static struct error *check_object(int rc, const void *object, const char *routine)
{
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned no code of OMPD");
	if (rc == ompd_rc_ok && !object)
		return ompd_misbehaved(routine, "returned ok without a handle");
	return NULL;
}

static bool grow(void **array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return true;
	size_t bigger = *cap ? *cap * 2 : 64;
	void *p = realloc(*array, bigger * size);

	if (!p)
		return false;
	*array = p;
	*cap = bigger;
	return true;
}

static struct snapshot_ref no_ref(int rc)
{
	return (struct snapshot_ref){.rc = rc, .index = SNAPSHOT_NONE};
}

/* Name @object; *@is_new_ret when this walk has not met it yet. NULL in *@handle_ret: there are too many. */
static struct error *name(struct walk *w, enum handle_kind kind, TAKES void *object,
			  struct handle **handle_ret, bool *is_new_ret)
{
	struct handle *handle = NULL;
	struct error *err =
		handles_intern(w->handles, w->client, w->s->epoch, kind, object, &handle);

	if (error_catch(&err, ERR_LIMIT_EXCEEDED)) {
		w->s->truncated = true;
		*handle_ret = NULL;
		return NULL;
	}
	if (err)
		return err;
	*handle_ret = handle;
	*is_new_ret = handle->walk != w->serial;
	return NULL;
}

static struct error *name_parallel(struct walk *w, int rc, TAKES void *object, unsigned depth,
				   const char *routine, struct snapshot_ref *ret)
{
	struct snapshot *s = w->s;
	struct handle *handle;
	bool is_new = false;
	struct error *err = check_object(rc, object, routine);

	if (err)
		return err;
	*ret = no_ref(rc == ompd_rc_ok ? ompd_rc_incomplete : rc);
	if (rc != ompd_rc_ok)
		return NULL;
	err = name(w, HANDLE_PARALLEL, object, &handle, &is_new);
	if (err || !handle)
		return err;
	if (is_new) {
		if (depth > MODEL_MAX_DEPTH) {
			s->truncated = true;
			return NULL;
		}
		if (!grow((void **)&s->parallels, s->n_parallels, &s->parallels_cap,
			  sizeof(*s->parallels)))
			return &error_nomem;
		handle->walk = w->serial;
		handle->index = (uint32_t)s->n_parallels;
		s->parallels[s->n_parallels++] = (struct snapshot_parallel){
			.number = handle->number,
			.depth = depth,
			.object = handle->object,
		};
	}
	*ret = (struct snapshot_ref){ompd_rc_ok, handle->index, handle->number};
	return NULL;
}

static struct error *name_task(struct walk *w, int rc, TAKES void *object, unsigned depth,
			       const char *routine, struct snapshot_ref *ret)
{
	struct snapshot *s = w->s;
	struct handle *handle;
	bool is_new = false;
	struct error *err = check_object(rc, object, routine);

	if (err)
		return err;
	*ret = no_ref(rc == ompd_rc_ok ? ompd_rc_incomplete : rc);
	if (rc != ompd_rc_ok)
		return NULL;
	err = name(w, HANDLE_TASK, object, &handle, &is_new);
	if (err || !handle)
		return err;
	if (is_new) {
		if (depth > MODEL_MAX_DEPTH) {
			s->truncated = true;
			return NULL;
		}
		if (!grow((void **)&s->tasks, s->n_tasks, &s->tasks_cap, sizeof(*s->tasks)))
			return &error_nomem;
		handle->walk = w->serial;
		handle->index = (uint32_t)s->n_tasks;
		s->tasks[s->n_tasks++] = (struct snapshot_task){
			.number = handle->number,
			.depth = depth,
			.object = handle->object,
			.thread = SNAPSHOT_NONE,
		};
	}
	*ret = (struct snapshot_ref){ompd_rc_ok, handle->index, handle->number};
	return NULL;
}

/* A variable that becomes a field. */
static struct error *read_word(struct walk *w, void *object, struct icv_def *def,
			       struct snapshot_word *ret)
{
	struct icv_value value;
	struct error *err;

	*ret = (struct snapshot_word){.rc = ompd_rc_unsupported};
	if (!def)
		return NULL;
	err = icv_read(w->p, object, def, &w->s->arena, &value);
	if (err)
		return err;
	ret->rc = value.rc;
	if (value.rc == ompd_rc_ok && !value.has_number)
		ret->rc = ompd_rc_incompatible;
	if (ret->rc == ompd_rc_ok && value.number < 0)
		return ompd_misbehaved("ompd_get_icv_from_scope", "gave a negative size or level");
	ret->value = value.number;
	return NULL;
}

static struct error *read_icvs(struct walk *w, void *object, const struct snapshot_icv_set *set,
			       struct icv_value **ret)
{
	struct icv_value *values;
	struct error *err;

	if (set->n == 0)
		return NULL;
	values = arena_alloc(&w->s->arena, set->n * sizeof(*values));
	if (!values)
		return &error_nomem;
	for (size_t i = 0; i < set->n; i++) {
		err = icv_read(w->p, object, set->defs[i], &w->s->arena, &values[i]);
		if (err)
			return err;
	}
	*ret = values;
	return NULL;
}

static struct error *read_state(struct walk *w, ompd_thread_handle_t *object,
				struct snapshot_thread *thread)
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

/* What is asked of an OpenMP thread; the caller releases @object. */
static struct error *look_at(struct walk *w, ompd_thread_handle_t *object,
			     struct snapshot_thread *thread)
{
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	struct error *err;
	int rc;

	if (w->s->parts & SNAPSHOT_STATES) {
		err = read_state(w, object, thread);
		if (err)
			return err;
		err = read_icvs(w, object, &w->s->thread_icvs, &thread->icvs);
		if (err)
			return err;
		target_activity(w->t, thread->tid, &thread->activity);
	}
	err = read_word(w, object, w->thread_num, &thread->thread_num);
	if (err)
		return err;
	rc = plugin_call(w->p, get_curr_parallel_handle, object, &parallel);
	err = name_parallel(w, rc, parallel, 0, "ompd_get_curr_parallel_handle", &thread->parallel);
	if (err)
		return err;
	rc = plugin_call(w->p, get_curr_task_handle, object, &task);
	return name_task(w, rc, task, 0, "ompd_get_curr_task_handle", &thread->task);
}

static int find_thread(struct walk *w, const struct snapshot_thread *thread,
		       ompd_thread_handle_t **ret)
{
	int rc = ompd_rc_unsupported;

	if (thread->pthread) {
		uint64_t pthread = thread->pthread;

		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m),
				 OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread, ret);
	}
	if (rc == ompd_rc_unsupported || rc == ompd_rc_bad_input) {
		int32_t tid = thread->tid;

		*ret = NULL;
		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m), OMPD_THREAD_ID_LWP,
				 sizeof(tid), &tid, ret);
	}
	return rc;
}

static struct error *walk_thread(struct walk *w, struct snapshot_thread *thread)
{
	ompd_thread_handle_t *object = NULL;
	int rc = find_thread(w, thread, &object);
	struct error *err = check_object(rc, object, "ompd_get_thread_handle");

	if (err)
		return err;
	thread->openmp = rc == ompd_rc_ok;
	thread->openmp_rc = rc;
	thread->parallel = thread->task = no_ref(rc);
	if (!thread->openmp)
		return NULL;
	w->s->n_openmp++;
	err = look_at(w, object, thread);
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
		err = walk_thread(w, thread);
		if (err || callbacks_have_error())
			return err;
	}
	return NULL;
}

/* Whether variable @name among the values of a task says so; -1: it is not there. */
static int task_flag(const struct walk *w, const struct snapshot_task *task, const char *var)
{
	const struct snapshot_icv_set *set = &w->s->task_icvs;

	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->defs[i]->name, var) == 0 && task->icvs[i].rc == ompd_rc_ok &&
		    task->icvs[i].has_number)
			return task->icvs[i].number != 0;
	return -1;
}

static struct error *read_task_icvs(struct walk *w, struct snapshot_task *task)
{
	const struct snapshot_icv_set *set = &w->s->task_icvs;
	struct error *err;

	task->kind_rc = ompd_rc_unsupported;
	if (set->n == 0)
		return NULL;
	task->icvs = arena_alloc(&w->s->arena, set->n * sizeof(*task->icvs));
	if (!task->icvs)
		return &error_nomem;
	/* The set has those of implicit tasks at its end: by then the kind of this one is known. */
	for (size_t i = 0; i < set->n; i++) {
		if (set->defs[i]->scope == ompd_scope_implicit_task) {
			if (task->kind == TASK_UNKNOWN) {
				int is_explicit = task_flag(w, task, "explicit-task-var");
				int is_implicit = task_flag(w, task, "implicit-task-var");

				if (is_explicit == 1 || is_implicit == 0)
					task->kind = TASK_EXPLICIT;
			}
			if (task->kind == TASK_EXPLICIT) {
				task->icvs[i].rc = SNAPSHOT_ICV_NOT_HERE;
				continue;
			}
		}
		err = icv_read(w->p, task->object, set->defs[i], &w->s->arena, &task->icvs[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Frames are worth having, but no task is refused for them. */
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
	err = name_parallel(w, rc, parallel, 0, "ompd_get_task_parallel_handle", &task.parallel);
	if (err)
		return err;
	rc = plugin_call(w->p, get_generating_task_handle, task.object, &generating);
	err = name_task(w, rc, generating, task.depth + 1, "ompd_get_generating_task_handle",
			&task.generating);
	if (err)
		return err;
	rc = plugin_call(w->p, get_scheduling_task_handle, task.object, &scheduling);
	err = name_task(w, rc, scheduling, task.depth + 1, "ompd_get_scheduling_task_handle",
			&task.scheduling);
	if (err)
		return err;
	rc = plugin_call(w->p, get_task_function, task.object, &function);
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_function", "returned no code of OMPD");
	/* Address 0 is what some libraries give for the initial task. */
	if (rc == ompd_rc_ok && function.address == 0)
		rc = ompd_rc_unavailable;
	task.function = (struct snapshot_word){rc, (int64_t)function.address};
	err = read_task_icvs(w, &task);
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

	err = read_word(w, parallel.object, w->levels, &parallel.level);
	if (!err)
		err = read_word(w, parallel.object, w->active_levels, &parallel.active_level);
	if (!err)
		err = read_word(w, parallel.object, w->team_size, &parallel.team_size);
	if (!err)
		err = read_icvs(w, parallel.object, &w->s->parallel_icvs, &parallel.icvs);
	if (err)
		return err;
	rc = plugin_call(w->p, get_enclosing_parallel_handle, parallel.object, &enclosing);
	err = name_parallel(w, rc, enclosing, parallel.depth + 1,
			    "ompd_get_enclosing_parallel_handle", &parallel.enclosing);
	if (err)
		return err;
	parallel.function.rc = ompd_rc_unavailable;
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
 * A thread in an explicit task also executes its implicit one, which no chain need lead to.
 */
static struct error *add_implicit_tasks(struct walk *w)
{
	struct snapshot *s = w->s;

	for (size_t i = 0; i < s->n_threads && !callbacks_have_error(); i++) {
		const struct snapshot_thread *thread = &s->threads[i];
		ompd_task_handle_t *task = NULL;
		struct snapshot_ref ref;
		struct error *err;

		if (!thread->openmp || thread->task.index == SNAPSHOT_NONE ||
		    thread->parallel.index == SNAPSHOT_NONE || thread->thread_num.rc != ompd_rc_ok ||
		    thread->thread_num.value > INT32_MAX ||
		    s->tasks[thread->task.index].kind != TASK_EXPLICIT)
			continue;
		int rc = plugin_call(w->p, get_task_in_parallel,
				     s->parallels[thread->parallel.index].object,
				     (int)thread->thread_num.value, &task);

		err = name_task(w, rc, task, 1, "ompd_get_task_in_parallel", &ref);
		if (err)
			return err;
		if (ref.index != SNAPSHOT_NONE)
			s->tasks[ref.index].thread = (uint32_t)i;
	}
	return NULL;
}

/* Initial, implicit or explicit: what the variables say, and the level of the region. */
static void classify_tasks(struct walk *w)
{
	for (size_t i = 0; i < w->tasks_done; i++) {
		struct snapshot_task *task = &w->s->tasks[i];
		int is_explicit = task_flag(w, task, "explicit-task-var");
		int is_implicit = task_flag(w, task, "implicit-task-var");

		if (is_explicit == 1 || is_implicit == 0) {
			task->kind = TASK_EXPLICIT;
		} else if (is_explicit == 0 || is_implicit == 1) {
			const struct snapshot_parallel *parallel =
				task->parallel.index == SNAPSHOT_NONE ?
					NULL :
					&w->s->parallels[task->parallel.index];

			if (parallel && parallel->level.rc == ompd_rc_ok)
				task->kind = parallel->level.value == 0 ? TASK_INITIAL : TASK_IMPLICIT;
			else
				task->kind = TASK_IMPLICIT;
		}
	}
}

static void give_functions(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_tasks; i++) {
		const struct snapshot_task *task = &s->tasks[i];

		if (task->kind == TASK_IMPLICIT && task->function.rc == ompd_rc_ok &&
		    task->parallel.index != SNAPSHOT_NONE)
			s->parallels[task->parallel.index].function = task->function;
	}
}

/* Where a region's level is not that of its encloser and one more, the library has left some out. */
static void find_gaps(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_parallels; i++) {
		const struct snapshot_parallel *inner = &s->parallels[i];
		int64_t below = -1;

		if (inner->level.rc != ompd_rc_ok || inner->enclosing.rc == ompd_rc_incomplete)
			continue;
		if (inner->enclosing.index != SNAPSHOT_NONE) {
			const struct snapshot_word *outer = &s->parallels[inner->enclosing.index].level;

			if (outer->rc != ompd_rc_ok)
				continue;
			below = outer->value;
		}
		/* The library may say anything: the largest number has no next one. */
		if (below == INT64_MAX || inner->level.value != below + 1)
			s->has_gaps = true;
	}
}

static void add_to(struct snapshot_icv_set *set, struct icv_def *def)
{
	set->defs[set->n++] = def;
}

/* Sort the library's variables by where they are shown. */
static void sort_icvs(struct walk *w)
{
	struct icv_table *table = model_icvs(w->m);
	struct snapshot *s = w->s;

	w->thread_num = icv_find(table, "thread-num-var");
	w->levels = icv_find(table, "levels-var");
	w->active_levels = icv_find(table, "active-levels-var");
	w->team_size = icv_find(table, "team-size-var");
	for (size_t i = 0; i < table->n; i++) {
		struct icv_def *def = &table->defs[i];

		if (def->is_alias)
			continue;
		switch (def->scope) {
		case ompd_scope_global:
		case ompd_scope_address_space:
			add_to(&s->process_icvs, def);
			break;
		case ompd_scope_thread:
			if (def != w->thread_num)
				add_to(&s->thread_icvs, def);
			break;
		case ompd_scope_parallel:
			if (def != w->levels && def != w->active_levels && def != w->team_size)
				add_to(&s->parallel_icvs, def);
			break;
		case ompd_scope_task:
			add_to(&s->task_icvs, def);
			break;
		case ompd_scope_implicit_task: /* below */
		case ompd_scope_teams:
		case ompd_scope_target:
		default:
			break;
		}
	}
	for (size_t i = 0; i < table->n; i++)
		if (!table->defs[i].is_alias && table->defs[i].scope == ompd_scope_implicit_task)
			add_to(&s->task_icvs, &table->defs[i]);
	/* A field comes from an object of its own kind only. */
	if (w->thread_num && w->thread_num->scope != ompd_scope_thread)
		w->thread_num = NULL;
	if (w->levels && w->levels->scope != ompd_scope_parallel)
		w->levels = NULL;
	if (w->active_levels && w->active_levels->scope != ompd_scope_parallel)
		w->active_levels = NULL;
	if (w->team_size && w->team_size->scope != ompd_scope_parallel)
		w->team_size = NULL;
}

static struct error *walk_all(struct walk *w)
{
	struct snapshot *s = w->s;
	struct error *err;

	err = model_open(w->m);
	if (err)
		return err;
	sort_icvs(w);
	if (s->parts & SNAPSHOT_ICVS) {
		err = read_icvs(w, model_aspace(w->m), &s->process_icvs, &s->icvs);
		if (err)
			return err;
	}
	err = walk_threads(w);
	if (err)
		return err;
	if (s->n_openmp == 0 && !callbacks_have_error()) {
		err = target_missing(w->t, 0);
		return err ? err
			   : error_create(ERR_OPENMP_NOT_STARTED,
					  "no thread of process %d has used the OpenMP runtime yet",
					  (int)target_pid(w->t));
	}
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
		classify_tasks(w);
		give_functions(s);
		if (plugin_has_quirk(w->p, "ended_regions"))
			err = ended_drop(s);
		find_gaps(s);
		if (!err)
			err = members_find(w->m, s);
	}
	return err;
}

struct error *walk_snapshot(struct model *m, int64_t client, uint64_t epoch, unsigned parts,
			    unsigned timeout_ms, struct snapshot *s)
{
	const struct error *why;
	struct walk w = {
		.m = m,
		.p = model_plugin(m, &why),
		.t = model_target(m),
		.handles = model_handles(m),
		.client = client,
		.serial = ++last_serial,
		.s = s,
	};
	struct error *err, *broken;

	snapshot_deinit(s);
	s->epoch = epoch;
	s->parts = parts;
	guard_enter(timeout_ms);
	err = walk_all(&w);
	guard_leave();
	broken = callbacks_take_error();
	if (!broken)
		return err;
	/* The library only saw a failed read; this is why. */
	error_destroy(err);
	return broken;
}
