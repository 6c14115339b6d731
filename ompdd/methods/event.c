/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of a target as notifications to the daemon. */
#include "methods/event.h"

#include "base/buf.h"
#include "base/contract.h"
#include "methods/json/json.h"
#include "openmp/model/events.h"
#include "rpc/message.h"
#include "worker/context/emit.h"
#include "worker/worker.h"

static void put_epoch(struct json_object *params, const struct worker *w)
{
	json_put(params, "epoch", json_object_new_int64((int64_t)w->epoch));
}

/* Add the thread, the place and the reason of a stop that a thread has caused. */
static void put_stop(struct json_object *params, const struct worker *w)
{
	json_put(params, "tid", json_object_new_int(w->stop.tid));
	if (w->stop.reason == STOP_STEP)
		json_put(params, "reason", json_object_new_string("step"));
	else
		json_put(params, "breakpoint", json_object_new_int64(w->stop.breakpoint));
	json_put(params, "address", json_hex(w->stop.address));
	if (w->stop.has_event)
		json_put(params, "event", json_object_new_string(event_name(w->stop.event)));
}

static void put_members(struct json_object *params, const struct worker *w, const struct worker_event *e)
{
	struct json_object *how;

	switch (e->kind) {
	case WORKER_EVENT_STOPPED:
		put_epoch(params, w);
		if (w->stop.reason == STOP_STEP)
			put_stop(params, w);
		break;
	case WORKER_EVENT_BREAKPOINT:
		put_epoch(params, w);
		put_stop(params, w);
		break;
	case WORKER_EVENT_RESUMED:
		put_epoch(params, w);
		break;
	case WORKER_EVENT_THREAD_STARTED:
	case WORKER_EVENT_THREAD_EXITED:
		json_put(params, "tid", json_object_new_int(e->tid));
		break;
	case WORKER_EVENT_FORK:
		json_put(params, "tid", json_object_new_int(e->tid));
		json_put(params, "child", json_object_new_int64(e->child));
		break;
	case WORKER_EVENT_EXITED:
		how = json_exit(w);
		if (how)
			json_put(params, "exit", how);
		break;
	case WORKER_EVENT_LOST:
		json_put(params, "count", json_object_new_int64(e->n_lost));
		break;
	case WORKER_EVENT_EXEC:
	case WORKER_EVENT_TRACER_LOST:
		break;
	}
}

struct error *event_write(const struct worker *w, const struct worker_event *e, struct buf *out)
{
	struct json_object *params = json_object_new_object();

	if (!params)
		return &error_nomem;
	put_members(params, w, e);
	json_put(params, "type", json_object_new_string(worker_event_name(e->kind)));
	struct error *err = message_write_notification(out, CONTRACT_EVENT, params);
	json_object_put(params);
	return err;
}
