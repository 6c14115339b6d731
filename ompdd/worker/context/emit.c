/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Notifications to the daemon: one per line, kept until the loop sends them. */
#include "worker/context/emit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/contract.h"
#include "base/log.h"
#include "worker/context/context.h"

static const char *const names[] = {
	[WORKER_EVENT_STOPPED] = "stopped",
	[WORKER_EVENT_RESUMED] = "resumed",
	[WORKER_EVENT_BREAKPOINT] = "breakpoint",
	[WORKER_EVENT_THREAD_STARTED] = "thread_started",
	[WORKER_EVENT_THREAD_EXITED] = "thread_exited",
	[WORKER_EVENT_FORK] = "fork",
	[WORKER_EVENT_EXEC] = "exec",
	[WORKER_EVENT_EXITED] = "exited",
	[WORKER_EVENT_TRACER_LOST] = "tracer_lost",
	[WORKER_EVENT_LOST] = "lost",
};

const char *worker_event_name(enum worker_event_kind kind)
{
	return names[kind];
}

static struct error *append_one(struct worker *w, const struct worker_event *e)
{
	if (w->events.len > EMIT_MAX_BYTES)
		return error_create(ERR_LIMIT_EXCEEDED, "more than %u bytes of events wait", EMIT_MAX_BYTES);
	size_t before = w->events.len;
	struct error *err = w->write_event(w, e, &w->events);
	if (!err)
		err = buf_append(&w->events, "\n", 1);
	if (err)
		w->events.len = before;
	return err;
}

/* Append the notification of @e. Reports lost events first, if there were any. */
static struct error *append_event(struct worker *w, const struct worker_event *e)
{
	const struct worker_event lost = {.kind = WORKER_EVENT_LOST, .n_lost = w->events_lost};
	struct error *err = w->events_lost ? append_one(w, &lost) : NULL;

	if (!err) {
		w->events_lost = 0;
		err = append_one(w, e);
	}
	if (err)
		w->events_lost++;
	return err;
}

void worker_emit(struct worker *w, const struct worker_event *e)
{
	struct error *err = append_event(w, e);

	if (err)
		log_err(LOG_WARN, err, "event %s of target %s", worker_event_name(e->kind), w->target_id);
	error_destroy(err);
}

void worker_emit_kind(struct worker *w, enum worker_event_kind kind)
{
	worker_emit(w, &(struct worker_event){.kind = kind});
}

/* Append a line for the daemon, in the form that message_split_number() parses. */
static struct error *append_line(struct worker *w, const char *method, const char *member, int64_t value)
{
	char line[128];

	int n = snprintf(line, sizeof(line),
			 "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"%s\":%" PRId64 "}}\n", method, member,
			 value);
	return buf_append(&w->told, line, (size_t)n);
}

void worker_report_stop(void *context, int64_t us)
{
	struct worker *w = context;

	/* If this line is lost, only a statistic is wrong. */
	if (w->told.len <= EMIT_MAX_BYTES)
		error_destroy(append_line(w, CONTRACT_STOP_ENDED, "us", us));
}

void worker_report_refused(struct worker *w, uint64_t n)
{
	if (w->told.len <= EMIT_MAX_BYTES)
		error_destroy(append_line(w, CONTRACT_BOX_REFUSED, "calls", (int64_t)n));
}

struct error *worker_report_pid(struct worker *w)
{
	return append_line(w, CONTRACT_TARGET_PID, "pid", target_pid(w->target));
}

void worker_report_exec(struct worker *w)
{
	if (!w->exec_reported)
		worker_emit_kind(w, WORKER_EVENT_EXEC);
	w->exec_reported = true;
}

struct error *worker_check_target(struct worker *w)
{
	struct error *err = target_check(w->target);

	if (error_is(err, ERR_TARGET_EXEC))
		worker_report_exec(w);
	return err;
}
