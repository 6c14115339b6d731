/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handle events of the target's tracer one by one: update the holder and the stop, and emit notifications. */
#include "worker/control/control.h"

#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "openmp/model/handle/handles.h"
#include "target/control.h"
#include "worker/context/context.h"
#include "worker/context/emit.h"
#include "worker/control/breakpoints.h"
#include "worker/control/serialize.h"
#include "worker/control/step.h"

/* How long to wait until a tracer reports an exit. */
#define EXIT_WAIT_S 1

void worker_stopped_by_step(struct worker *w, int64_t client, pid_t tid)
{
	struct target_registers registers;

	target_view_begin(w->target);
	w->holder = client;
	w->epoch++;
	w->stop = (struct worker_stop){.reason = STOP_STEP, .tid = tid, .runtime = step_runtime(w->step)};
	if (target_registers(w->target, tid, &registers))
		w->stop.address = registers.value[TARGET_REGISTER_PC];
	worker_emit_kind(w, WORKER_EVENT_STOPPED);
}

/*
 * Resume the target after an event that stops it for no client. If a client stopped it in the same moment, that client
 * holds it.
 */
static void resume_target(struct worker *w)
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
		resume_target(w);
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
		.runtime = place->at.runtime,
		.has_event = b->kind == BREAKPOINT_EVENT,
		.event = b->event,
	};
	worker_emit_kind(w, WORKER_EVENT_BREAKPOINT);
}

/* Drop all state of the old program. */
static void release_target(struct worker *w)
{
	breakpoints_clear(w->breakpoints);
	step_forget(w);
	serialize_forget(w);
	if (w->holder >= 0)
		handles_epoch_ended(w->handles, w->epoch);
	w->holder = -1;
	w->stop.reason = STOP_NONE;
}

void worker_take_event(struct worker *w, const struct target_event *e)
{
	w->events_lost += e->n_lost;
	switch (e->kind) {
	case TARGET_EVENT_HIT:
		on_hit(w, e);
		break;
	case TARGET_EVENT_ASK:
		breakpoints_answer(w, e);
		break;
	case TARGET_EVENT_THREAD_STARTED:
		breakpoints_threads_changed(w);
		worker_emit(w, &(struct worker_event){.kind = WORKER_EVENT_THREAD_STARTED, .tid = e->tid});
		break;
	case TARGET_EVENT_THREAD_EXITED:
		breakpoints_threads_changed(w);
		worker_emit(w, &(struct worker_event){.kind = WORKER_EVENT_THREAD_EXITED, .tid = e->tid});
		step_thread_gone(w, e->tid);
		break;
	case TARGET_EVENT_FORKED:
		worker_emit(w,
			    &(struct worker_event){.kind = WORKER_EVENT_FORK, .tid = e->tid, .child = (pid_t)e->value});
		break;
	case TARGET_EVENT_EXECED:
		release_target(w);
		worker_report_exec(w);
		break;
	case TARGET_EVENT_EXITED:
		/* worker_target_exited() emits the event, as for every target. */
		w->exit_status = e->value;
		release_target(w);
		break;
	case TARGET_EVENT_TRACER_LOST:
		log_error("target %s: its tracer is lost, and with it all breakpoints", w->target_id);
		release_target(w);
		worker_emit_kind(w, WORKER_EVENT_TRACER_LOST);
		break;
	}
}

void worker_target_events(struct worker *w)
{
	struct target_event e;

	while (w->target && target_next_event(w->target, &e))
		worker_take_event(w, &e);
}

void worker_await_status(struct worker *w)
{
	int64_t end_us = clock_now_us() + EXIT_WAIT_S * INT64_C(1000000);

	for (;;) {
		worker_target_events(w);
		struct pollfd fd = {.fd = target_event_fd(w->target), .events = POLLIN};
		if (w->exit_status >= 0 || fd.fd < 0 || clock_now_us() > end_us)
			break;
		poll(&fd, 1, EXIT_WAIT_S * 1000);
	}
}

void worker_target_exited(struct worker *w)
{
	worker_await_status(w);
	worker_emit_kind(w, WORKER_EVENT_EXITED);
}
