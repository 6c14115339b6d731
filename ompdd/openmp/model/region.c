/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asks the library about one thread: its region, the members of the team and the encountering thread. No handle
 * outlives the call.
 */
#include "openmp/model/region.h"

#include "openmp/model/handle_thread.h"
#include "openmp/model/icv.h"
#include "openmp/model/model.h"
#include "openmp/model/task_function.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "target/target.h"

/* The bits of ompt_frame_flag_t that give the meaning of the address. */
#define FRAME_KIND (ompt_frame_cfa | ompt_frame_framepointer)

struct request {
	struct model *m;
	struct plugin *p;
};

static int find_thread(struct request *a, pid_t tid, ompd_thread_handle_t **ret)
{
	const struct target_thread *thread = target_thread_by_tid(model_target(a->m), tid);
	ompd_thread_handle_t *object = NULL;
	int rc = ompd_rc_unsupported;

	if (!thread)
		return ompd_rc_unavailable;
	if (thread->pthread) {
		uint64_t pthread = thread->pthread;

		rc = plugin_call(a->p, get_thread_handle, model_aspace(a->m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
				 &pthread, &object);
	}
	if (rc == ompd_rc_unsupported || rc == ompd_rc_bad_input) {
		int32_t lwp = tid;

		rc = plugin_call(a->p, get_thread_handle, model_aspace(a->m), OMPD_THREAD_ID_LWP, sizeof(lwp), &lwp,
				 &object);
	}
	*ret = object;
	return rc == ompd_rc_ok && !object ? ompd_rc_error : rc;
}

/* Finds the innermost region of @tid. Returns the library's code. */
static int find_region(struct request *a, pid_t tid, ompd_parallel_handle_t **ret)
{
	ompd_thread_handle_t *object;
	int rc = find_thread(a, tid, &object);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = NULL;
	rc = plugin_call(a->p, get_curr_parallel_handle, object, ret);
	plugin_call(a->p, rel_thread_handle, object);
	return rc == ompd_rc_ok && !*ret ? ompd_rc_error : rc;
}

static void release_region(struct request *a, ompd_parallel_handle_t *region)
{
	plugin_call(a->p, rel_parallel_handle, region);
}

static bool is_same_region(struct request *a, ompd_parallel_handle_t *one, ompd_parallel_handle_t *other)
{
	int order = 1;

	return plugin_call(a->p, parallel_handle_compare, one, other, &order) == ompd_rc_ok && order == 0;
}

static int64_t read_team_size(struct request *a, ompd_parallel_handle_t *region)
{
	const struct icv_def *def = icv_find(model_icvs(a->m), "team-size-var");
	ompd_word_t size = 0;

	if (!def || def->scope != ompd_scope_parallel ||
	    plugin_call(a->p, get_icv_from_scope, region, def->scope, def->id, &size) != ompd_rc_ok)
		return 0;
	return size > 0 ? size : 0;
}

struct members {
	const pid_t *tids;
	size_t n;
	bool *is_member;
	int64_t *size_ret;
};

static struct error *request_members(struct request *a, ompd_parallel_handle_t *region, void *arg)
{
	struct members *members = arg;

	*members->size_ret = read_team_size(a, region);
	for (size_t i = 0; i < members->n; i++) {
		ompd_parallel_handle_t *other;

		members->is_member[i] = false;
		if (find_region(a, members->tids[i], &other) != ompd_rc_ok)
			continue;
		members->is_member[i] = is_same_region(a, region, other);
		release_region(a, other);
	}
	return NULL;
}

struct encountering {
	pid_t tid;
	struct region_encounter *ret;
};

/* Returns the kernel id of @object; 0: not known. */
static pid_t get_thread_id(struct request *a, ompd_thread_handle_t *object)
{
	const struct target_thread *found = handle_thread(a->m, object, NULL);

	return found ? found->tid : 0;
}

/* Returns the address in the frame of the task that encountered @region; 0: not known. */
static uint64_t find_entry_address(struct request *a, ompd_parallel_handle_t *region)
{
	ompd_task_handle_t *task = NULL, *outer = NULL;
	ompd_frame_info_t leave = {0}, enter = {0};
	const struct error *why;
	const struct runtime *runtime = model_runtime(a->m, &why);
	int rc = plugin_call(a->p, get_task_in_parallel, region, 0, &task);

	if (rc != ompd_rc_ok || !task)
		return 0;
	rc = plugin_call(a->p, get_generating_task_handle, task, &outer);
	plugin_call(a->p, rel_task_handle, task);
	if (rc != ompd_rc_ok || !outer)
		return 0;
	rc = plugin_call(a->p, get_task_frame, outer, &leave, &enter);
	plugin_call(a->p, rel_task_handle, outer);
	if (rc != ompd_rc_ok || !runtime || runtime->descriptor->has_wrong_frame_kinds ||
	    (enter.frame_flag & FRAME_KIND) != ompt_frame_cfa)
		return 0;
	return enter.frame_address.address;
}

/* Counts the consecutive regions, from @region outward, whose first thread is @tid. Takes @region. */
static unsigned count_encountered(struct request *a, ompd_parallel_handle_t *region, pid_t tid)
{
	unsigned n = 0;

	while (region) {
		ompd_thread_handle_t *first = NULL;
		ompd_parallel_handle_t *outer = NULL;
		/* The outermost region is the initial one. */
		bool is_encountered = n < MODEL_MAX_DEPTH &&
				      plugin_call(a->p, get_enclosing_parallel_handle, region, &outer) == ompd_rc_ok &&
				      outer &&
				      plugin_call(a->p, get_thread_in_parallel, region, 0, &first) == ompd_rc_ok &&
				      first && get_thread_id(a, first) == tid;

		if (first)
			plugin_call(a->p, rel_thread_handle, first);
		release_region(a, region);
		n += is_encountered;
		if (!is_encountered && outer)
			release_region(a, outer);
		region = is_encountered ? outer : NULL;
	}
	return n;
}

static struct error *request_encountering(struct request *a, ompd_parallel_handle_t *region, void *arg)
{
	struct encountering *e = arg;
	ompd_parallel_handle_t *other = NULL, *next;
	ompd_thread_handle_t *object = NULL;
	unsigned depth = 0;
	pid_t tid = 0;

	int rc = plugin_call(a->p, get_enclosing_parallel_handle, region, &other);
	if (rc != ompd_rc_ok || !other)
		return error_create(ERR_STEP_IMPOSSIBLE, "thread %d is in no parallel region", (int)e->tid);
	release_region(a, other);
	rc = plugin_call(a->p, get_thread_in_parallel, region, 0, &object);
	if (rc == ompd_rc_ok && object) {
		tid = get_thread_id(a, object);
		plugin_call(a->p, rel_thread_handle, object);
	}
	rc = tid ? find_region(a, tid, &other) : ompd_rc_unavailable;
	/* Search outwards from the thread's current region. */
	while (rc == ompd_rc_ok && !is_same_region(a, region, other)) {
		next = NULL;
		rc = ++depth == MODEL_MAX_DEPTH ? ompd_rc_error
						: plugin_call(a->p, get_enclosing_parallel_handle, other, &next);
		release_region(a, other);
		other = next;
		if (!other)
			rc = ompd_rc_unavailable;
	}
	if (rc != ompd_rc_ok)
		return error_create(ERR_STEP_IMPOSSIBLE,
				    "the thread that encountered the region of thread %d is not known", (int)e->tid);
	*e->ret =
		(struct region_encounter){tid, depth, count_encountered(a, other, tid), find_entry_address(a, region)};
	return NULL;
}

struct function {
	pid_t tid;
	uint64_t *ret;
};

static struct error *request_function(struct request *a, ompd_parallel_handle_t *region, void *arg)
{
	struct function *f = arg;
	struct snapshot_word function;
	struct error *err = task_function_read_region(a->p, region, &function);

	if (err)
		return err;
	*f->ret = (uint64_t)function.value;
	if (function.rc == ompd_rc_ok)
		return NULL;
	return error_create(ERR_STEP_IMPOSSIBLE, "the function of the region that thread %d starts is not known",
			    (int)f->tid);
}

static int read_word(struct request *a, void *object, const char *name, ompd_scope_t scope, int64_t *ret)
{
	const struct icv_def *def = icv_find(model_icvs(a->m), name);
	ompd_word_t value = 0;

	if (!def || def->scope != scope)
		return ompd_rc_unsupported;
	int rc = plugin_call(a->p, get_icv_from_scope, object, scope, def->id, &value);
	if (rc == ompd_rc_ok)
		*ret = value;
	return rc;
}

/* Libraries have the variable in the scope of tasks, or of threads: then of the thread's current task. */
static int read_default_device(struct request *a, ompd_thread_handle_t *thread, int64_t *ret)
{
	static const char name[] = "default-device-var";
	ompd_task_handle_t *task = NULL;
	int rc = read_word(a, thread, name, ompd_scope_thread, ret);

	if (rc != ompd_rc_unsupported)
		return rc;
	rc = plugin_call(a->p, get_curr_task_handle, thread, &task);
	if (rc != ompd_rc_ok || !task)
		return rc == ompd_rc_ok ? ompd_rc_error : rc;
	rc = read_word(a, task, name, ompd_scope_task, ret);
	plugin_call(a->p, rel_task_handle, task);
	return rc;
}

struct position {
	pid_t tid;
	struct region_position *ret;
};

static struct error *request_position(struct request *a, ompd_parallel_handle_t *region, void *arg)
{
	const struct position *position = arg;
	struct region_position *ret = position->ret;
	ompd_thread_handle_t *object;
	struct snapshot_word function;
	struct error *err = task_function_read_region(a->p, region, &function);

	if (err)
		return err;
	ret->function_rc = function.rc;
	ret->function = (uint64_t)function.value;
	ret->level_rc = read_word(a, region, "levels-var", ompd_scope_parallel, &ret->level);
	ret->thread_num_rc = ret->default_device_rc = find_thread(a, position->tid, &object);
	if (ret->thread_num_rc != ompd_rc_ok)
		return NULL;
	ret->default_device_rc = read_default_device(a, object, &ret->default_device);
	ret->thread_num_rc = read_word(a, object, "thread-num-var", ompd_scope_thread, &ret->thread_num);
	plugin_call(a->p, rel_thread_handle, object);
	return NULL;
}

typedef struct error *(*request_fn)(struct request *a, ompd_parallel_handle_t *region, void *arg);

/* Calls @fn on the innermost region of @tid. */
static struct error *run_request(struct model *m, unsigned timeout_ms, pid_t tid, request_fn fn, void *arg)
{
	const struct error *why;
	ompd_parallel_handle_t *region;
	struct error *err = model_need_plugin(m);

	if (err)
		return err;
	struct request a = {.m = m, .p = model_plugin(m, &why)};
	guard_enter(timeout_ms);
	err = model_open(m);
	if (!err) {
		int rc = find_region(&a, tid, &region);

		if (rc != ompd_rc_ok && ompd_rc_is_valid(rc))
			err = error_create_ompd(rc, "ompd_get_curr_parallel_handle");
		else if (rc != ompd_rc_ok)
			err = ompd_misbehaved("ompd_get_curr_parallel_handle", "returned an unknown code");
		if (!err) {
			err = fn(&a, region, arg);
			release_region(&a, region);
		}
	}
	guard_leave();
	return callbacks_why(err);
}

struct error *region_members(struct model *m, unsigned timeout_ms, pid_t tid, const pid_t *tids, size_t n,
			     bool *is_member, int64_t *size_ret)
{
	struct members arg = {.tids = tids, .n = n, .is_member = is_member, .size_ret = size_ret};

	return run_request(m, timeout_ms, tid, request_members, &arg);
}

struct error *region_function(struct model *m, unsigned timeout_ms, pid_t tid, uint64_t *ret)
{
	struct function arg = {.tid = tid, .ret = ret};

	return run_request(m, timeout_ms, tid, request_function, &arg);
}

struct error *region_can_tell(struct model *m, unsigned timeout_ms)
{
	struct error *err = model_need_plugin(m);

	if (err)
		return err;
	guard_enter(timeout_ms);
	err = model_open(m);
	guard_leave();
	return callbacks_why(err);
}

struct error *region_position(struct model *m, unsigned timeout_ms, pid_t tid, struct region_position *ret)
{
	struct position arg = {.tid = tid, .ret = ret};

	*ret = (struct region_position){0};
	return run_request(m, timeout_ms, tid, request_position, &arg);
}

struct error *region_encountering(struct model *m, unsigned timeout_ms, pid_t tid, struct region_encounter *ret)
{
	struct encountering arg = {.tid = tid, .ret = ret};

	return run_request(m, timeout_ms, tid, request_encountering, &arg);
}
