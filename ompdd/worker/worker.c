/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker's start and end, the holder of its stopped target, and the clean-up after a closed connection. */
#include "worker/worker.h"

#include <poll.h>

#include "base/log.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/runtimes.h"
#include "target/control.h"
#include "worker/context/emit.h"
#include "worker/control/breakpoints.h"
#include "worker/control/control.h"
#include "worker/control/serialize.h"
#include "worker/history.h"
#include "worker/sampler/sampler.h"

/* How often to retry while our own tracer still detaches the old program. */
#define EXEC_ATTEMPTS 400
#define EXEC_PAUSE_MS 5

struct error *worker_init(struct worker *w, const char *target_id)
{
	w->target_id = target_id;
	w->target = NULL;
	w->runtimes = NULL;
	w->client = 0;
	w->holder = -1;
	w->epoch = 0;
	w->launch_unanswered = false;
	w->detached = false;
	w->events = (struct buf){0};
	w->told = (struct buf){0};
	w->events_lost = 0;
	w->exec_reported = false;
	w->target_given = false;
	w->stop = (struct worker_stop){0};
	w->exit_status = -1;
	w->sampler = NULL;
	w->history = history_create();
	w->breakpoints = breakpoints_create();
	w->step = step_create();
	w->handles = handles_create(w->plugin_options.timeout_ms);
	return w->history && w->handles && w->breakpoints && w->step ? NULL : &error_nomem;
}

void worker_deinit(struct worker *w)
{
	/* Resume the target first: the library's clean-up may take time. */
	if (w->target && target_is_stopped(w->target)) {
		int64_t us;

		error_destroy(target_resume(w->target, &us));
	}
	sampler_destroy(w->sampler);
	if (w->handles)
		handles_end_all(w->handles);
	runtimes_destroy(w->runtimes);
	handles_destroy(w->handles);
	target_destroy(w->target);
	breakpoints_destroy(w->breakpoints);
	step_destroy(w->step);
	history_destroy(w->history);
	w->history = NULL;
	w->sampler = NULL;
	w->step = NULL;
	w->breakpoints = NULL;
	w->runtimes = NULL;
	w->handles = NULL;
	w->target = NULL;
	buf_deinit(&w->events);
	buf_deinit(&w->told);
}

/*
 * Follow the exec of a launched program: env, taskset, nice and shell scripts do nothing but exec. No state of the old
 * program is kept.
 */
static struct error *follow_exec(struct worker *w)
{
	struct target *fresh;

	/* The tracer may report the exec only now, and detaches then. */
	worker_target_events(w);
	breakpoints_clear(w->breakpoints);
	sampler_finish(w, SAMPLER_EXEC);
	history_clear(w->history);
	struct error *err = target_reopen(w->target, &fresh);
	for (int i = 0; i < EXEC_ATTEMPTS && error_catch(&err, ERR_ALREADY_TRACED); i++) {
		poll(&(struct pollfd){.fd = target_event_fd(w->target), .events = POLLIN}, 1, EXEC_PAUSE_MS);
		worker_target_events(w);
		err = target_reopen(w->target, &fresh);
	}
	if (err)
		return err;
	runtimes_destroy(w->runtimes);
	w->runtimes = NULL;
	target_destroy(w->target);
	w->target = fresh;
	target_on_stop_ended(fresh, worker_report_stop, w);
	/* Handle the tracer's report of this exec, which may have arrived only now. */
	worker_target_events(w);
	w->exec_reported = false;
	err = runtimes_create(fresh, &w->plugin_options, w->handles, &w->runtimes);
	if (err) {
		target_destroy(fresh);
		w->target = NULL;
		return err;
	}
	return NULL;
}

struct error *worker_need_target(struct worker *w)
{
	if (!w->target)
		return error_hint(error_create(ERR_NO_SUCH_TARGET, "no process is attached yet"),
				  "call target.attach first");
	bool is_first = !w->target_given;
	struct error *err = worker_check_target(w);

	w->target_given = true;
	if (!is_first || !target_is_launched(w->target) || !error_catch(&err, ERR_TARGET_EXEC))
		return err;
	return follow_exec(w);
}

struct error *worker_hold(struct worker *w, struct view *ret)
{
	struct error *err = worker_need_target(w);

	if (!err)
		err = worker_check_holder(w);
	if (err)
		return err;
	/* A client that already holds the target keeps holding it. */
	if (w->holder < 0) {
		err = target_stop(w->target, 0);
		if (err)
			return err;
		step_end(w);
		target_view_begin(w->target);
		w->holder = w->client;
		w->stop = (struct worker_stop){.reason = STOP_REQUEST};
		w->epoch++;
		worker_emit_kind(w, WORKER_EVENT_STOPPED);
	}
	*ret = (struct view){
		.epoch = w->epoch,
		.consistency = VIEW_STOPPED,
		.stopped_us = target_stopped_us(w->target),
	};
	return NULL;
}

static struct error *release_target(struct worker *w, int64_t *stopped_us_ret)
{
	serialize_settle(w);
	struct error *err = target_resume(w->target, stopped_us_ret);

	w->holder = -1;
	w->stop.reason = STOP_NONE;
	handles_epoch_ended(w->handles, w->epoch);
	if (!err)
		worker_emit_kind(w, WORKER_EVENT_RESUMED);
	return err;
}

struct error *worker_release(struct worker *w, int64_t *stopped_us_ret)
{
	if (!w->target)
		return worker_need_target(w);
	if (target_mode(w->target) != TARGET_STOP)
		return target_resume(w->target, stopped_us_ret); /* its error says why not */
	struct error *err = worker_check_holder(w);
	if (err)
		return err;
	if (w->holder < 0) {
		/* If the target was held and has died, return that error instead. */
		err = target_check(w->target);
		return err ? err : error_create(ERR_NOT_STOPPED, "target %s is not held stopped", w->target_id);
	}
	return release_target(w, stopped_us_ret);
}

struct error *worker_step(struct worker *w, enum step_kind kind, pid_t tid)
{
	int64_t us;
	struct error *err = worker_need_target(w);

	if (!err)
		err = step_begin(w, kind, tid);
	if (err)
		return err;
	if (kind != STEP_INSTRUCTION)
		return worker_release(w, &us);
	err = target_step(w->target, tid);
	if (err)
		return err;
	handles_epoch_ended(w->handles, w->epoch);
	worker_stopped_by_step(w, w->client, tid);
	return NULL;
}

void worker_client_gone(struct worker *w, int64_t client)
{
	sampler_client_gone(w, client);
	if (w->target) {
		step_client_gone(w, client);
		breakpoints_client_gone(w, client);
		serialize_client_gone(w, client);
	}
	if (w->target && w->holder >= 0 && w->holder == client) {
		int64_t us;
		struct error *err = release_target(w, &us);

		if (err)
			log_err(LOG_WARN, err, "resume target %s after its holder left", w->target_id);
		else
			log_info("resumed target %s: its holder left", w->target_id);
		error_destroy(err);
	}
	handles_client_gone(w->handles, client);
}
