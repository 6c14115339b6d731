/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.*: attaching, holding and leaving the process. target.list is the daemon's. */
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

#include "methods/json.h"
#include "methods/state.h"
#include "methods_worker.h"
#include "openmp/model.h"
#include "rpc/utf8.h"
#include "worker/worker.h"

static bool has_exited(struct worker *w)
{
	struct pollfd fd = {.fd = target_exit_fd(w->target), .events = POLLIN};

	return fd.fd >= 0 && poll(&fd, 1, 0) > 0;
}

/* procfs counts a link per thread beside "." and "..". */
static struct json_object *n_threads_json(struct worker *w)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target_pid(w->target));
	if (stat(path, &st) < 0 || st.st_nlink < 2)
		return json_rc(1);
	return json_object_new_int64((int64_t)st.st_nlink - 2);
}

static struct error *info(struct worker *w, struct json_object **ret)
{
	struct json_object *o = json_result(w);
	bool exited = has_exited(w);

	if (!o)
		return &error_nomem;
	json_put(o, "mode",
		 json_object_new_string(target_mode(w->target) == TARGET_STOP ? "stop" : "observe"));
	json_put(o, "exe", utf8_json(target_exe(w->target)));
	json_put(o, "max_stop_ms", json_object_new_int64(target_max_stop_ms(w->target)));
	json_put(o, "state",
		 json_object_new_string(exited ? "exited" : w->holder >= 0 ? "held" : "running"));
	json_put(o, "epoch", json_object_new_int64((int64_t)w->epoch));
	json_put(o, "n_threads", exited ? json_rc(1) : n_threads_json(w));
	json_put(o, "runtime", state_runtime_json(w));
	json_put(o, "plugin", state_plugin_json(w));
	*ret = o;
	return NULL;
}

struct error *handle_target_attach(struct worker *w, const struct target_attach_params *p,
				   struct json_object **ret)
{
	struct target *target = NULL;
	struct error *err;

	if (w->target)
		return error_create(ERR_INVALID_REQUEST, "this worker has attached to process %d already",
				    (int)target_pid(w->target));
	err = target_attach((pid_t)p->pid,
			    p->mode == TARGET_ATTACH_MODE_OBSERVE ? TARGET_OBSERVE : TARGET_STOP,
			    (unsigned)p->max_stop_ms, &target);
	if (err)
		return err;
	err = model_create(target, &w->plugin_options, w->handles, &w->model);
	if (err) {
		target_destroy(target);
		return err;
	}
	w->target = target;
	model_warm_up(w->model);
	return info(w, ret);
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
