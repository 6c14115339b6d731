/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of a target as one word, and the members `stop` and `step`: the reason of the stop, and the running or last
 * step.
 */
#include "methods/stop.h"

#include <poll.h>

#include "methods/ompd/ompd_call.h"
#include "target/modules/modules.h"
#include "worker/control/breakpoints.h"
#include "worker/control/control.h"
#include "worker/control/serialize.h"
#include "worker/control/step.h"

static bool has_exited(struct worker *w)
{
	struct pollfd fd = {.fd = target_exit_fd(w->target), .events = POLLIN};

	return fd.fd >= 0 && poll(&fd, 1, 0) > 0;
}

const char *stop_state_name(struct worker *w, bool seen_running)
{
	if (target_mode(w->target) == TARGET_CORE)
		return "core";
	if (!seen_running && has_exited(w))
		return "exited";
	if (w->holder < 0)
		return "running";
	return w->stop.reason == STOP_BREAKPOINT ? "breakpoint" : "held";
}

static int call_thread(struct plugin *p, struct ompd_call *call)
{
	const pid_t *tid = call->data;

	return plugin_call(p, get_thread_handle, call->args[0].object, OMPD_THREAD_ID_LWP, sizeof(*tid), tid,
			   (ompd_thread_handle_t **)&call->object);
}

static int call_parallel(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_curr_parallel_handle, call->args[0].object, (ompd_parallel_handle_t **)&call->object);
}

static int call_task(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_curr_task_handle, call->args[0].object, (ompd_task_handle_t **)&call->object);
}

/* Return the handle that @call creates, or why there is no handle. */
static struct json_object *handle_or_reason(struct worker *w, struct ompd_call *call)
{
	struct error *err = ompd_call_run(w, call);
	struct json_object *o = err ? json_reason(err) : ompd_call_handle_json(call);

	error_destroy(err);
	return o;
}

/* Add the region and the task of the thread that hit the breakpoint. */
static void put_openmp(struct worker *w, struct json_object *o)
{
	struct ompd_call thread = {
		.routine = "ompd_get_thread_handle",
		.needs = NEEDS_VIEW,
		.args = {{NULL, HANDLE_ASPACE, "", NULL}},
		.fn = call_thread,
		.data = &w->stop.tid,
		.creates = true,
		.creates_kind = HANDLE_THREAD,
	};
	struct ompd_call parallel = {
		.routine = "ompd_get_curr_parallel_handle",
		.needs = NEEDS_VIEW,
		.args = {{NULL, HANDLE_THREAD, "", NULL}},
		.fn = call_parallel,
		.creates = true,
		.creates_kind = HANDLE_PARALLEL,
	};
	struct ompd_call task = {
		.routine = "ompd_get_curr_task_handle",
		.needs = NEEDS_VIEW,
		.args = {{NULL, HANDLE_THREAD, "", NULL}},
		.fn = call_task,
		.creates = true,
		.creates_kind = HANDLE_TASK,
	};
	thread.model = w->stop.runtime ? worker_model_of(w, w->stop.runtime) : NULL;
	struct json_object *handle = handle_or_reason(w, &thread);

	if (!json_object_is_type(handle, json_type_string)) {
		json_put(o, "parallel", json_object_get(handle));
		json_put(o, "task", handle);
		return;
	}
	parallel.args[0].text = task.args[0].text = json_object_get_string(handle);
	json_put(o, "parallel", handle_or_reason(w, &parallel));
	json_put(o, "task", handle_or_reason(w, &task));
	json_object_put(handle);
}

static void put_place(struct worker *w, struct json_object *o)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	json_put(o, "address", json_hex(w->stop.address));
	if (!target_symbol_at(w->target, w->stop.address, symbol, sizeof(symbol), &offset))
		return;
	json_put(o, "function", json_function(symbol));
	json_put(o, "offset", json_object_new_int64((int64_t)offset));
}

static struct json_object *arrived_json(struct worker *w)
{
	size_t n;
	const pid_t *tids = step_arrived(w->step, &n);
	struct json_object *array = json_object_new_array_ext((int)n);

	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, json_object_new_int(tids[i]));
	return array;
}

struct json_object *stop_step_json(struct worker *w)
{
	if (!step_is_active(w->step))
		return NULL;
	struct json_object *o = json_object_new_object();
	json_put(o, "kind", json_object_new_string(step_kind_name(step_kind(w->step))));
	json_put(o, "thread", json_object_new_int(step_thread(w->step)));
	json_put(o, "own", json_object_new_boolean(step_client(w->step) == w->client));
	json_put(o, "arrived", arrived_json(w));
	return o;
}

struct json_object *stop_serialize_json(struct worker *w)
{
	uint32_t left = serialize_left(w);

	if (!left)
		return NULL;
	struct json_object *o = json_object_new_object();
	json_put(o, "left", json_object_new_int64(left));
	if (w->serialize.tid)
		json_put(o, "thread", json_object_new_int(w->serialize.tid));
	json_put(o, "own", json_object_new_boolean(w->serialize.client == w->client));
	return o;
}

struct json_object *stop_json(struct worker *w)
{
	if (w->holder < 0 || w->stop.reason == STOP_NONE)
		return NULL;
	struct json_object *o = json_object_new_object();
	const char *const reasons[] = {
		[STOP_NONE] = "",	  [STOP_REQUEST] = "request", [STOP_BREAKPOINT] = "breakpoint",
		[STOP_LAUNCH] = "launch", [STOP_STEP] = "step",
	};

	json_put(o, "reason", json_object_new_string(reasons[w->stop.reason]));
	json_put(o, "own", json_object_new_boolean(w->holder == w->client));
	if (w->stop.reason == STOP_LAUNCH) {
		json_put(o, "tid", json_object_new_int(w->stop.tid));
		/* After the exec, the thread is in the dynamic loader: its address is of no interest. */
		if (w->stop.address)
			put_place(w, o);
	}
	if (w->stop.reason != STOP_BREAKPOINT && w->stop.reason != STOP_STEP)
		return o;
	if (w->stop.reason == STOP_STEP) {
		json_put(o, "step", json_object_new_string(step_kind_name(step_kind(w->step))));
		if (step_kind(w->step) == STEP_INTO_PARALLEL)
			json_put(o, "threads", arrived_json(w));
	} else {
		json_put(o, "breakpoint", json_object_new_int64(w->stop.breakpoint));
	}
	json_put(o, "tid", json_object_new_int(w->stop.tid));
	if (w->stop.has_event)
		json_put(o, "event", json_object_new_string(event_name(w->stop.event)));
	put_place(w, o);
	put_openmp(w, o);
	return o;
}
