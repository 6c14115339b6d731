/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events on their way to who wants them: subscriptions, event.poll, and the ring between them and the targets. Nothing
 * is queued for a reader beyond what its connection takes: it reads from the ring, and learns what it missed when it is
 * too slow for that.
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
	uint64_t since; /* events up to this cursor are older than it */
	uint32_t types; /* bit EVENT_x */
	size_t n_targets;
	char (*targets)[16]; /* NULL: all */
};

/* Report an event of @t with the further members @details, a JSON object or NULL, which is taken. */
void events_emit(struct session_target *t, enum event_type type, struct json_object *details TAKES);

/* Whether @text of @t's worker is an event; then it was reported, or thrown away if it is none that a worker may
 * report. */
bool events_from_worker(struct session_target *t, const char *text, size_t len);

/*
 * Subscribe @c to events after @since of @types (a mask) of the @n targets in @targets; NULL: of all, also later ones.
 * ERR_LIMIT_EXCEEDED; ERR_INVALID_REQUEST where the connection does not take them.
 */
MUST_USE struct error *events_subscribe(struct client *c, uint32_t types, const char *const *targets, size_t n,
					uint64_t since, int64_t *id_ret);
/* End one subscription, or all with @id 0; false: there is no such one. */
bool events_unsubscribe(struct client *c, int64_t id);

/*
 * Let @m, an event.poll, wait for events if it has to. *@waits_ret says whether it does (then @m's contents are moved
 * out); else it can be answered at once.
 */
MUST_USE struct error *events_poll_wait(const struct reply_to *to, struct message *m, bool *waits_ret);
/* The result of event.poll for @c: what there is now. */
MUST_USE struct error *events_poll_result(const struct client *c, uint64_t since, size_t max, struct json_object **ret);

/* Answer the polls whose time is over; whether there are more. */
bool events_tick(struct session *s);

/* Answer all polls with @err. */
void events_end_polls(struct session *s, const struct error *err);

#endif
