/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.*: attaching, holding and leaving the process. target.list is the daemon's. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "methods/json.h"
#include "methods/state.h"
#include "methods/stop.h"
#include "methods_worker.h"
#include "openmp/model.h"
#include "rpc/utf8.h"
#include "worker/worker.h"

/* procfs counts a link per thread beside "." and "..". */
static struct json_object *n_threads_json(struct worker *w)
{
	const struct target_thread *threads;
	char path[64];
	struct stat st;
	size_t n;

	if (target_mode(w->target) == TARGET_CORE) {
		struct error *err = target_threads(w->target, &threads, &n);

		error_destroy(err);
		return err ? json_rc(1) : json_object_new_int64((int64_t)n);
	}
	snprintf(path, sizeof(path), "/proc/%d/task", (int)target_pid(w->target));
	if (stat(path, &st) < 0 || st.st_nlink < 2)
		return json_rc(1);
	return json_object_new_int64((int64_t)st.st_nlink - 2);
}

static const char *mode_name(enum target_mode mode)
{
	switch (mode) {
	case TARGET_OBSERVE:
		return "observe";
	case TARGET_STOP:
		return "stop";
	case TARGET_CORE:
		break;
	}
	return "core";
}

static struct json_object *core_json(const struct target_core *core)
{
	struct json_object *o = json_object_new_object();
	const char *name = core->signal > 0 ? sigabbrev_np(core->signal) : NULL;
	char text[32];

	json_put(o, "path", utf8_json(core->path));
	if (core->signal <= 0)
		return o;
	json_put(o, "signal", json_object_new_int(core->signal));
	if (name) {
		snprintf(text, sizeof(text), "SIG%s", name);
		json_put(o, "signal_name", json_object_new_string(text));
	}
	json_put(o, "signal_tid", json_object_new_int(core->signal_tid));
	return o;
}

static struct error *info(struct worker *w, struct json_object **ret)
{
	struct json_object *o = json_result(w);
	const struct target_core *core = target_core(w->target);
	const char *state = stop_state_name(w);
	struct json_object *warnings = state_warnings_json(w, NULL);

	if (!o)
		return &error_nomem;
	json_put(o, "mode", json_object_new_string(mode_name(target_mode(w->target))));
	json_put(o, "exe", utf8_json(target_exe(w->target)));
	if (core)
		json_put(o, "core", core_json(core));
	else
		json_put(o, "max_stop_ms", json_object_new_int64(target_max_stop_ms(w->target)));
	json_put(o, "state", json_object_new_string(state));
	struct json_object *stop = stop_json(w);
	if (stop)
		json_put(o, "stop", stop);
	json_put(o, "epoch", json_object_new_int64((int64_t)w->epoch));
	json_put(o, "n_threads", !strcmp(state, "exited") ? json_rc(1) : n_threads_json(w));
	json_put(o, "runtime", state_runtime_json(w));
	json_put(o, "plugin", state_plugin_json(w));
	if (warnings)
		json_put(o, "warnings", warnings);
	*ret = o;
	return NULL;
}

static struct error *refuse_second(struct worker *w)
{
	if (!w->target)
		return NULL;
	return error_create(ERR_INVALID_REQUEST, "this worker has a target already (process %d)",
			    (int)target_pid(w->target));
}

/* Give the worker its target; answers with what is known of it. */
static struct error *begin(struct worker *w, struct target *target TAKES, struct json_object **ret)
{
	struct error *err = NULL;

	for (size_t i = 0; i < w->n_debug_dirs && !err && target_mode(target) != TARGET_CORE; i++)
		err = target_add_debug_dir(target, w->debug_dirs[i]);
	if (!err)
		err = model_create(target, &w->plugin_options, w->handles, &w->model);
	if (err) {
		target_destroy(target);
		return err;
	}
	w->target = target;
	model_warm_up(w->model);
	return info(w, ret);
}

struct error *handle_target_open_core(struct worker *w, const struct target_open_core_params *p,
				      struct json_object **ret)
{
	const char *dirs[2 * WORKER_MAX_DEBUG_DIRS];
	struct target_core_options options = {
		.core = p->core,
		.exe = p->exe,
		.sysroot = p->sysroot,
		.debug_dirs = dirs,
	};
	struct target *target = NULL;
	struct error *err = refuse_second(w);

	for (size_t i = 0; i < p->n_debug_dirs && i < WORKER_MAX_DEBUG_DIRS; i++)
		dirs[options.n_debug_dirs++] = p->debug_dirs[i];
	for (size_t i = 0; i < w->n_debug_dirs; i++)
		dirs[options.n_debug_dirs++] = w->debug_dirs[i];
	if (!err)
		err = target_open_core(&options, &target);
	return err ? err : begin(w, target, ret);
}

struct error *handle_target_attach(struct worker *w, const struct target_attach_params *p,
				   struct json_object **ret)
{
	struct target *target = NULL;
	struct error *err = refuse_second(w);

	if (!err)
		err = target_attach((pid_t)p->pid,
				    p->mode == TARGET_ATTACH_MODE_OBSERVE ? TARGET_OBSERVE : TARGET_STOP,
				    (unsigned)p->max_stop_ms, &target);
	for (size_t i = 0; i < p->n_debug_dirs && !err; i++)
		err = target_add_debug_dir(target, p->debug_dirs[i]);
	if (!err)
		return begin(w, target, ret);
	target_destroy(target);
	return err;
}

/* Neither of these looks whether the process is still there: they tell what is known. */
static struct error *need_attached(struct worker *w)
{
	if (w->target)
		return NULL;
	return error_hint(error_create(ERR_NO_SUCH_TARGET, "no process is attached yet"),
			  "target.attach comes first");
}

struct error *handle_target_info(struct worker *w, const struct target_info_params *p,
				 struct json_object **ret)
{
	struct error *err = need_attached(w);

	(void)p;
	return err ? err : info(w, ret);
}

struct error *handle_target_stop(struct worker *w, const struct target_stop_params *p,
				 struct json_object **ret)
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

struct error *handle_target_resume(struct worker *w, const struct target_resume_params *p,
				   struct json_object **ret)
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

struct error *handle_target_detach(struct worker *w, const struct target_detach_params *p,
				   struct json_object **ret)
{
	struct error *err = need_attached(w);
	struct json_object *o;

	(void)p;
	if (err)
		return err;
	if (w->holder >= 0 && w->holder != w->client)
		return error_create(ERR_TARGET_HELD, "another connection holds target %s stopped",
				    w->target_id);
	if (w->holder >= 0) {
		int64_t stopped_us;

		/* It goes on to run, or is gone: detaching succeeds either way. */
		error_destroy(worker_release(w, &stopped_us));
	}
	o = json_result(w);
	if (!o)
		return &error_nomem;
	w->detached = true;
	*ret = o;
	return NULL;
}
