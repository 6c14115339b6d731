/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Common part of target.attach and target.launch: the worker takes the target, loads the library, and describes the
 * target.
 */
#include "methods/begin.h"

#include <stdio.h>
#include <string.h>

#include "methods/json/json.h"
#include "methods/state.h"
#include "methods/stop.h"
#include "openmp/model/runtimes.h"
#include "rpc/json_write.h"
#include "target/control.h"
#include "target/sandbox/sandbox.h"
#include "target/stop/stopper.h"
#include "worker/context/emit.h"
#include "worker/control/control.h"
#include "worker/worker.h"

static struct json_object *n_threads_json(struct worker *w)
{
	size_t n;

	return target_count_threads(w->target, &n) ? json_object_new_int64((int64_t)n) : json_rc(1);
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

	json_put(o, "path", json_text(core->path));
	json_put(o, "processor", json_object_new_string(core->processor));
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

struct error *begin_info(struct worker *w, bool seen_running, struct json_object **ret)
{
	struct json_object *o = json_result(w);
	const struct target_core *core = target_core(w->target);
	const char *state = stop_state_name(w, seen_running);
	struct json_object *warnings = state_warnings_json(w, NULL);

	if (!o)
		return &error_nomem;
	if (!strcmp(state, "exited"))
		worker_await_status(w);
	json_put(o, "mode", json_object_new_string(mode_name(target_mode(w->target))));
	json_put(o, "exe", json_text(target_exe(w->target)));
	if (core)
		json_put(o, "core", core_json(core));
	if (target_is_launched(w->target))
		json_put(o, "launched", json_object_new_boolean(true));
	if (!core)
		json_put(o, "max_stop_ms", json_object_new_int64(target_max_stop_ms(w->target)));
	json_put(o, "state", json_object_new_string(state));
	struct json_object *stop = stop_json(w), *step = stop_step_json(w), *serialize = stop_serialize_json(w);
	if (stop)
		json_put(o, "stop", stop);
	if (step)
		json_put(o, "step", step);
	if (serialize)
		json_put(o, "serialize", serialize);
	struct json_object *how = strcmp(state, "exited") ? NULL : json_exit(w);
	if (how)
		json_put(o, "exit", how);
	json_put(o, "epoch", json_object_new_int64((int64_t)w->epoch));
	json_put(o, "n_threads", !strcmp(state, "exited") ? json_rc(1) : n_threads_json(w));
	json_put(o, "runtime", state_runtime_json(worker_model(w)));
	json_put(o, "plugin", state_plugin_json(worker_model(w)));
	json_put(o, "runtimes", state_runtimes_json(w));
	if (warnings)
		json_put(o, "warnings", warnings);
	*ret = o;
	return NULL;
}

struct error *begin_refuse(struct worker *w)
{
	if (!w->target)
		return NULL;
	return error_create(ERR_INVALID_REQUEST, "this worker has a target already (process %d)",
			    (int)target_pid(w->target));
}

struct error *begin_target(struct worker *w, struct target *target TAKES, struct json_object **ret)
{
	struct error *err = NULL;

	/*
	 * A launched program enters the sandbox here, because it may use setuid programs. Other targets have entered it
	 * already.
	 */
	err = sandbox_enter(SANDBOX_TRACE, target_pid(target), stopper_prepare);
	for (size_t i = 0; i < w->n_debug_dirs && !err && target_mode(target) != TARGET_CORE; i++)
		err = target_add_debug_dir(target, w->debug_dirs[i]);
	/* A launched program has run since the first check. */
	if (!err && target_is_launched(target))
		target_view_begin(target);
	target_warm_up(target, true);
	if (!err)
		err = runtimes_create(target, &w->plugin_options, w->handles, &w->runtimes);
	if (err) {
		target_destroy(target);
		return err;
	}
	w->target = target;
	target_on_stop_ended(target, worker_report_stop, w);
	runtimes_warm_up(w->runtimes);
	target_warm_up(target, false);
	runtimes_main(w->runtimes);
	return begin_info(w, false, ret);
}
