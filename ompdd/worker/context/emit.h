/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Notifications to the daemon. The loop sends them after the answer to the current request. */
#ifndef OMPDD_WORKER_EMIT_H
#define OMPDD_WORKER_EMIT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct worker;

/* As in protocol/schema/common/definitions.json, event. */
enum worker_event_kind {
	WORKER_EVENT_STOPPED, /* w->stop is the reason, w->epoch its view */
	WORKER_EVENT_RESUMED,
	WORKER_EVENT_BREAKPOINT, /* w->stop has the number */
	WORKER_EVENT_THREAD_STARTED,
	WORKER_EVENT_THREAD_EXITED,
	WORKER_EVENT_FORK,
	WORKER_EVENT_EXEC,
	WORKER_EVENT_EXITED, /* w->exit_status has the status */
	WORKER_EVENT_TRACER_LOST,
	WORKER_EVENT_LOST, /* events that could not be kept */
};

struct worker_event {
	enum worker_event_kind kind;
	pid_t tid;	 /* for THREAD_STARTED, THREAD_EXITED, FORK */
	pid_t child;	 /* for FORK */
	uint32_t n_lost; /* for LOST */
};

/* With more unsent bytes than this, events are dropped: a single request that emits so many has no use for them. */
#define EMIT_MAX_BYTES (4u << 20)

/* Return the schema's name of @kind, a literal. */
const char *worker_event_name(enum worker_event_kind kind);

/* Emit @e with the present state of @w. An event that cannot be kept is logged and counted in w->events_lost. */
void worker_emit(struct worker *w, const struct worker_event *e);
/* Emit an event of @kind that needs no data beyond @w. */
void worker_emit_kind(struct worker *w, enum worker_event_kind kind);

/*
 * Report to the daemon, before the present answer, a stop of @us microseconds. A callback for target_on_stop_ended();
 * @context is the struct worker.
 */
void worker_report_stop(void *context, int64_t us);

/* Report to the daemon, before the present answer, that the sandbox has refused @n system calls. */
void worker_report_refused(struct worker *w, uint64_t n);
/* Report to the daemon, before the present answer, the process id of the target. */
MUST_USE struct error *worker_report_pid(struct worker *w);

/* Emit the event "exec", unless this exec was emitted already. */
void worker_report_exec(struct worker *w);

/* Call target_check(). Emits the event "exec" once if the target has called exec(). Needs a target. */
MUST_USE struct error *worker_check_target(struct worker *w);

#endif
