/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What happens in a target that is traced: hits of breakpoints, threads that come and go, the end. */
#ifndef OMPDD_WORKER_CONTROL_H
#define OMPDD_WORKER_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/events.h"

struct target_event;
struct worker;

/* Why the target is held stopped. */
enum stop_reason { STOP_NONE, STOP_REQUEST, STOP_BREAKPOINT, STOP_LAUNCH, STOP_STEP };

struct worker_stop {
	enum stop_reason reason;
	pid_t tid;	     /* of BREAKPOINT: who came there; of STEP: whose it was */
	uint32_t breakpoint; /* number of it */
	uint64_t address;    /* where */
	unsigned runtime;    /* whose event or region it was, as struct event_place has it */
	bool has_event;
	enum event_kind event;
};

/* Take in what has happened in the target since; emits events. */
void worker_target_events(struct worker *w);
/* Take in one event that somebody else was given by target_next_event(). */
void worker_take_event(struct worker *w, const struct target_event *e);

/* A step of w->client, or what step_client() says, has come to its end; @tid stands there. Emits the event. */
void worker_stopped_by_step(struct worker *w, int64_t client, pid_t tid);

/*
 * The process has exited: hear of its status, if it is traced or launched. Waits a moment for the tracer, which may
 * hear of the end later than we do.
 */
void worker_await_status(struct worker *w);
/* The same, and report its end. */
void worker_target_exited(struct worker *w);

#endif
