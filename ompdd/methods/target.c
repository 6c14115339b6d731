/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.*: attach, hold and detach the process. target.launch is in launch.c; the daemon handles target.list. */
#include "methods/begin.h"
#include "methods/json/json.h"
#include "methods_worker.h"
#include "target/control.h"
#include "target/sandbox/sandbox.h"
#include "target/stop/stopper.h"
#include "worker/control/breakpoints.h"
#include "worker/worker.h"

struct error *handle_target_open_core(struct worker *w, const struct target_open_core_params *p,
				      struct json_object **ret)
{
	const char *dirs[2 * WORKER_MAX_DEBUG_DIRS];
	struct target_core_options options = {
		.core = p->core,
		.exe = p->exe,
		.sysroot = p->sysroot,
		.debug_dirs = dirs,
		.space = w->core_space,
	};
	struct target *target = NULL;
	struct error *err = begin_refuse(w);

	for (size_t i = 0; i < p->n_debug_dirs && i < WORKER_MAX_DEBUG_DIRS; i++)
		dirs[options.n_debug_dirs++] = p->debug_dirs[i];
	for (size_t i = 0; i < w->n_debug_dirs; i++)
		dirs[options.n_debug_dirs++] = w->debug_dirs[i];
	if (!err)
		err = sandbox_enter(SANDBOX_CORE, 0, NULL);
	if (!err)
		err = target_open_core(&options, &target);
	return err ? err : begin_target(w, target, ret);
}

struct error *handle_target_attach(struct worker *w, const struct target_attach_params *p, struct json_object **ret)
{
	struct target *target = NULL;
	struct error *err = begin_refuse(w);

	bool observes = p->mode == TARGET_ATTACH_MODE_OBSERVE;
	if (!err)
		err = sandbox_enter(observes ? SANDBOX_LOOK : SANDBOX_TRACE, (pid_t)p->pid,
				    observes ? NULL : stopper_prepare);
	if (!err)
		err = target_attach((pid_t)p->pid, observes ? TARGET_OBSERVE : TARGET_STOP, (unsigned)p->max_stop_ms,
				    &target);
	for (size_t i = 0; i < p->n_debug_dirs && !err; i++)
		err = target_add_debug_dir(target, p->debug_dirs[i]);
	if (!err)
		return begin_target(w, target, ret);
	target_destroy(target);
	return err;
}

/* Check that a target is attached. Does not check whether the process still exists: the answers show recorded facts. */
static struct error *need_attached(struct worker *w)
{
	if (w->target)
		return NULL;
	return error_hint(error_create(ERR_NO_SUCH_TARGET, "no process is attached yet"), "call target.attach first");
}

struct error *handle_target_info(struct worker *w, const struct target_info_params *p, struct json_object **ret)
{
	struct error *err = need_attached(w);

	(void)p;
	if (err)
		return err;
	/* A launched target may have exited or called exec() by now. Its record is shown nevertheless. */
	if (!target_is_launched(w->target))
		return begin_info(w, w->seen_running, ret);
	error_destroy(worker_need_target(w));
	return begin_info(w, false, ret);
}

struct error *handle_target_stop(struct worker *w, const struct target_stop_params *p, struct json_object **ret)
{
	struct view view;
	struct error *err = worker_hold(w, &view);
	struct json_object *o;

	(void)p;
	if (err)
		return err;
	o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "state", json_object_new_string("held"));
	json_put_view(o, &view);
	*ret = o;
	return NULL;
}

struct error *handle_target_resume(struct worker *w, const struct target_resume_params *p, struct json_object **ret)
{
	int64_t stopped_us;
	struct error *err = worker_release(w, &stopped_us);
	struct json_object *o;

	(void)p;
	if (err)
		return err;
	o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "state", json_object_new_string("running"));
	json_put(o, "epoch", json_object_new_int64((int64_t)w->epoch));
	json_put(o, "stopped_us", json_object_new_int64(stopped_us));
	*ret = o;
	return NULL;
}

struct error *handle_target_detach(struct worker *w, const struct target_detach_params *p, struct json_object **ret)
{
	struct error *err = need_attached(w);
	struct json_object *o;

	(void)p;
	if (!err)
		err = worker_check_holder(w);
	if (err)
		return err;
	if (w->holder >= 0) {
		int64_t stopped_us;

		/* The target resumes, or has exited: detaching succeeds either way. */
		error_destroy(worker_release(w, &stopped_us));
	}
	/* Before the answer: another debugger may attach as soon as it arrives. */
	breakpoints_end(w);
	o = json_result(w);
	if (!o)
		return &error_nomem;
	w->detached = true;
	*ret = o;
	return NULL;
}
