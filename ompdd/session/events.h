/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Delivers events: subscriptions, event.poll, and the ring between them and the targets. A reader gets no more queued
 * events than its connection accepts: it reads from the ring. A reader that is too slow is notified of the events that
 * it missed.
 */
#ifndef OMPDD_SESSION_EVENTS_H
#define OMPDD_SESSION_EVENTS_H

#include "session/event_ring.h"
#include "session/internal.h"

struct session_target;
struct event_poll_params;

/* One event.subscribe. */
struct subscription {
	int64_t id;
	uint64_t since; /* events up to this cursor are too old */
	uint32_t types; /* bit mask of EVENT_x */
	size_t n_targets;
	char (*targets)[16]; /* NULL: all targets */
};

/* Report an event of @t with the additional members @details, a JSON object or NULL; takes @details. */
void events_emit(struct session_target *t, enum event_type type, struct json_object *details TAKES);

/*
 * Return true if @text of @t's worker is an event. Reports the event, or drops it if a worker may not report its type.
 */
bool events_from_worker(struct session_target *t, const char *text, size_t len);

/*
 * Subscribe @c to events after @since of @types (a mask) of the @n targets in @targets. NULL: of all targets, including
 * later ones. Returns ERR_LIMIT_EXCEEDED, or ERR_INVALID_REQUEST if the connection cannot receive events.
 */
MUST_USE struct error *events_subscribe(struct client *c, uint32_t types, const char *const *targets, size_t n,
					uint64_t since, int64_t *id_ret);
/* End one subscription, or all of them if @id is 0. Returns false if there is no such subscription. */
bool events_unsubscribe(struct client *c, int64_t id);

/*
 * Queue @m, an event.poll, if it has to wait for events. Then sets *@waits_ret and moves out @m's contents; otherwise
 * the caller can answer at once.
 */
MUST_USE struct error *events_poll_wait(const struct reply_to *to, struct message *m, bool *waits_ret);
/* Build the result of event.poll for @c from the events in the ring. */
MUST_USE struct error *events_poll_result(const struct client *c, uint64_t since, size_t max, struct json_object **ret);

/* Answer the polls whose timeout has expired. Returns true if more polls wait. */
bool events_tick(struct session *s);

/* Answer all polls with @err. */
void events_end_polls(struct session *s, const struct error *err);

#endif
