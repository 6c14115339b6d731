/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events on their way up to the daemon: one notification per line, kept until the loop sends them. */
#include "worker/emit.h"

#include <json-c/json.h>

#include "base/contract.h"
#include "base/log.h"
#include "rpc/message.h"
#include "worker/worker.h"

static struct error *append_one(struct worker *w, const char *type, struct json_object *params)
{
	if (!params || json_object_object_add(params, "type", json_object_new_string(type)))
		return &error_nomem;
	if (w->events.len > EMIT_MAX_BYTES)
		return error_create(ERR_LIMIT_EXCEEDED, "more than %u bytes of events wait", EMIT_MAX_BYTES);
	size_t before = w->events.len;
	struct error *err = message_write_notification(&w->events, CONTRACT_EVENT, params);
	if (!err)
		err = buf_append(&w->events, "\n", 1);
	if (err)
		w->events.len = before;
	return err;
}

/* First that some before it are missing, if so. */
static struct error *append(struct worker *w, const char *type, struct json_object *params)
{
	struct error *err = NULL;

	if (w->events_lost) {
		struct json_object *lost = json_object_new_object();

		if (lost)
			json_object_object_add(lost, "count", json_object_new_int64(w->events_lost));
		err = append_one(w, "lost", lost);
		json_object_put(lost);
	}
	if (!err) {
		w->events_lost = 0;
		err = append_one(w, type, params);
	}
	if (err)
		w->events_lost++;
	return err;
}

void worker_emit(struct worker *w, const char *type, struct json_object *params)
{
	if (!params)
		params = json_object_new_object();
	struct error *err = append(w, type, params);
	if (err)
		log_err(LOG_WARN, err, "event %s of target %s", type, w->target_id);
	error_destroy(err);
	json_object_put(params);
}

void worker_emit_epoch(struct worker *w, const char *type)
{
	struct json_object *params = json_object_new_object();

	if (params)
		json_object_object_add(params, "epoch", json_object_new_int64((int64_t)w->epoch));
	worker_emit(w, type, params);
}

void worker_report_exec(struct worker *w)
{
	if (!w->exec_reported)
		worker_emit(w, "exec", NULL);
	w->exec_reported = true;
}

struct error *worker_check_target(struct worker *w)
{
	struct error *err = target_check(w->target);

	if (error_is(err, ERR_TARGET_EXEC))
		worker_report_exec(w);
	return err;
}
