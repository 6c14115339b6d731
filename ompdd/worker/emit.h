/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events on their way up to the daemon, which the loop sends behind the answer to the request that is being handled. */
#ifndef OMPDD_WORKER_EMIT_H
#define OMPDD_WORKER_EMIT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct worker;

/* As in protocol/schema/common/definitions.json, event. */
enum worker_event_kind {
	WORKER_EVENT_STOPPED, /* w->stop says why, w->epoch is its view */
	WORKER_EVENT_RESUMED,
	WORKER_EVENT_BREAKPOINT, /* w->stop says which */
	WORKER_EVENT_THREAD_STARTED,
	WORKER_EVENT_THREAD_EXITED,
	WORKER_EVENT_FORK,
	WORKER_EVENT_EXEC,
	WORKER_EVENT_EXITED, /* w->exit_status says how */
	WORKER_EVENT_TRACER_LOST,
	WORKER_EVENT_LOST, /* events that could not be kept */
};

struct worker_event {
	enum worker_event_kind kind;
	pid_t tid;	 /* of THREAD_STARTED, THREAD_EXITED, FORK */
	pid_t child;	 /* of FORK */
	uint32_t n_lost; /* of LOST */
};

/* With more than this unsent, events are dropped: a request that makes so many is no longer served by them. */
#define EMIT_MAX_BYTES (4u << 20)

/* The schema's name of it, a literal. */
const char *worker_event_name(enum worker_event_kind kind);

/* Report @e with what @w now says of it. What cannot be kept is logged, and counted in w->events_lost. */
void worker_emit(struct worker *w, const struct worker_event *e);
/* The same for a kind about which @w says all. */
void worker_emit_kind(struct worker *w, enum worker_event_kind kind);

/* For target_on_stop_ended(); @context is the struct worker: tell the daemon, before the answer that is being made. */
void worker_tell_stop(void *context, int64_t us);

/* Report to the daemon, before the present answer, that the sandbox has refused @n system calls. */
void worker_tell_refused(struct worker *w, uint64_t n);
/* The same of which process the target of @w is. */
MUST_USE struct error *worker_tell_pid(struct worker *w);

/* The event "exec", unless this exec was reported already. */
void worker_report_exec(struct worker *w);

/* target_check(), which reports the event "exec" when that is what it finds, once. There must be a target. */
MUST_USE struct error *worker_check_target(struct worker *w);

#endif
