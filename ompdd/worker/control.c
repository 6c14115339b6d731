/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See control.h. */
#include "worker/control.h"

#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/log.h"
#include "openmp/model/handles.h"
#include "target/control.h"
#include "worker/breakpoints.h"
#include "worker/emit.h"
#include "worker/step.h"
#include "worker/worker.h"

/* How long a tracer may take to tell of an end. */
#define EXIT_WAIT_S 1

static void emit_tid(struct worker *w, const char *type, pid_t tid)
{
	struct json_object *params = json_object_new_object();

	json_object_object_add(params, "tid", json_object_new_int(tid));
	worker_emit(w, type, params);
}

/* A stop that a thread's way has led to. */
static void emit_stop(struct worker *w, const char *type)
{
	struct json_object *params = json_object_new_object();
	char address[24];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)w->stop.address);
	json_object_object_add(params, "epoch", json_object_new_int64((int64_t)w->epoch));
	json_object_object_add(params, "tid", json_object_new_int(w->stop.tid));
	if (w->stop.reason == STOP_STEP)
		json_object_object_add(params, "reason", json_object_new_string("step"));
	else
		json_object_object_add(params, "breakpoint", json_object_new_int64(w->stop.breakpoint));
	json_object_object_add(params, "address", json_object_new_string(address));
	if (w->stop.has_event)
		json_object_object_add(params, "event",
				       json_object_new_string(events_name(w->stop.event)));
	worker_emit(w, type, params);
}

void worker_stopped_by_step(struct worker *w, int64_t client, pid_t tid)
{
	struct target_registers registers;

	target_view_begin(w->target);
	w->holder = client;
	w->epoch++;
	w->stop = (struct worker_stop){.reason = STOP_STEP, .tid = tid};
	if (target_registers(w->target, tid, &registers))
		w->stop.address = registers.value[TARGET_REGISTER_PC];
	emit_stop(w, "stopped");
}

/* Only on the way to a stop. If somebody stopped it in the same moment, it is his. */
static void pass(struct worker *w)
{
	int64_t us;
	struct error *err = w->holder >= 0 ? NULL : target_resume(w->target, &us);

	if (err)
		log_err(LOG_WARN, err, "resume target %s", w->target_id);
	error_destroy(err);
}

static void on_hit(struct worker *w, const struct target_event *e)
{
	const struct breakpoint_place *place;

	target_view_begin(w->target);
	const struct breakpoint *b = breakpoints_hit(w, e, &place);
	enum step_verdict verdict = step_hit(w, e);
	if (!b && verdict != STEP_OVER) {
		pass(w);
		return;
	}
	step_end(w);
	if (!b) {
		worker_stopped_by_step(w, step_client(w->step), step_thread(w->step));
		return;
	}
	if (w->holder < 0)
		w->holder = b->client;
	w->epoch++;
	w->stop = (struct worker_stop){
		.reason = STOP_BREAKPOINT,
		.tid = e->tid,
		.breakpoint = b->number,
		.address = e->address,
		.has_event = b->kind == BREAKPOINT_EVENT,
		.event = b->event,
	};
	emit_stop(w, "breakpoint");
}

/* Nothing of the old program is left to be held. */
static void let_go(struct worker *w)
{
	breakpoints_clear(w->breakpoints);
	step_forget(w);
	if (w->holder >= 0)
		handles_epoch_ended(w->handles, w->epoch);
	w->holder = -1;
	w->stop.reason = STOP_NONE;
}

void worker_take_event(struct worker *w, const struct target_event *e)
{
	struct json_object *params;

	w->events_lost += e->n_lost;
	switch (e->kind) {
	case TARGET_EVENT_HIT:
		on_hit(w, e);
		break;
	case TARGET_EVENT_THREAD_STARTED:
		emit_tid(w, "thread_started", e->tid);
		break;
	case TARGET_EVENT_THREAD_EXITED:
		emit_tid(w, "thread_exited", e->tid);
		break;
	case TARGET_EVENT_FORKED:
		params = json_object_new_object();
		json_object_object_add(params, "tid", json_object_new_int(e->tid));
		json_object_object_add(params, "child", json_object_new_int64(e->value));
		worker_emit(w, "fork", params);
		break;
	case TARGET_EVENT_EXECED:
		let_go(w);
		worker_report_exec(w);
		break;
	case TARGET_EVENT_EXITED:
		/* The event comes from worker_target_exited(), which learns it of every target. */
		w->exit_status = e->value;
		let_go(w);
		break;
	case TARGET_EVENT_TRACER_LOST:
		log_error("target %s: its tracer is gone, and with it all breakpoints", w->target_id);
		let_go(w);
		worker_emit(w, "tracer_lost", NULL);
		break;
	}
}

void worker_target_events(struct worker *w)
{
	struct target_event e;

	while (w->target && target_next_event(w->target, &e))
		worker_take_event(w, &e);
}

struct json_object *worker_exit_json(const struct worker *w)
{
	int status = (int)w->exit_status;
	char text[32];

	if (w->exit_status < 0)
		return NULL;
	struct json_object *o = json_object_new_object();
	if (WIFEXITED(status)) {
		json_object_object_add(o, "status", json_object_new_int(WEXITSTATUS(status)));
		return o;
	}
	const char *name = sigabbrev_np(WTERMSIG(status));
	json_object_object_add(o, "signal", json_object_new_int(WTERMSIG(status)));
	if (name) {
		snprintf(text, sizeof(text), "SIG%s", name);
		json_object_object_add(o, "signal_name", json_object_new_string(text));
	}
	json_object_object_add(o, "core_dumped", json_object_new_boolean(WCOREDUMP(status) != 0));
	return o;
}

void worker_await_status(struct worker *w)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		worker_target_events(w);
		struct pollfd fd = {.fd = target_event_fd(w->target), .events = POLLIN};
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (w->exit_status >= 0 || fd.fd < 0 || now.tv_sec - begin.tv_sec > EXIT_WAIT_S)
			break;
		poll(&fd, 1, EXIT_WAIT_S * 1000);
	}
}

void worker_target_exited(struct worker *w)
{
	struct json_object *params = json_object_new_object();

	worker_await_status(w);
	struct json_object *how = worker_exit_json(w);
	if (how)
		json_object_object_add(params, "exit", how);
	worker_emit(w, "exited", params);
}
