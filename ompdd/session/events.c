/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delivers events: subscriptions, event.poll, and the ring that they read from. */
#include "session/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/contract.h"
#include "base/log.h"
#include "base/vector.h"
#include "methods.h"
#include "rpc/message_text.h"
#include "session/client_events.h"
#include "session/json.h"
#include "session/request.h"
#include "session/target_table.h"

/* The event types that a worker may report; only the daemon reports the others. */
#define WORKER_TYPES                                                                                                   \
	(1u << EVENT_STOPPED | 1u << EVENT_RESUMED | 1u << EVENT_BREAKPOINT | 1u << EVENT_THREAD_STARTED |             \
	 1u << EVENT_THREAD_EXITED | 1u << EVENT_EXEC | 1u << EVENT_FORK | 1u << EVENT_EXITED |                        \
	 1u << EVENT_TRACER_LOST | 1u << EVENT_LOST)

/* Format a new event; NULL if out of memory. */
static char *format_event(uint64_t cursor, const char *target, uint64_t seq, enum event_type type,
			  struct json_object *details)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();

	if (!o || json_add(o, "cursor", json_object_new_uint64(cursor)) ||
	    json_add(o, "target", json_object_new_string(target)) || json_add(o, "seq", json_object_new_uint64(seq)) ||
	    json_add(o, "type", json_object_new_string(event_type_name(type))))
		return NULL;
	if (details) {
		json_object_object_foreach(details, key, value)
		{
			if (json_object_object_get_ex(o, key, NULL))
				continue;
			struct json_object *member = json_object_get(value);
			if (json_object_object_add(o, key, member)) {
				json_object_put(member);
				return NULL;
			}
		}
	}
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	return text ? strdup(text) : NULL;
}

/* Return the position of a reader that has seen all events up to @since. */
static uint64_t find_start(const struct event_ring *ring, uint64_t since)
{
	/* A cursor above our last one belongs to an earlier ompdd: start at our first event. */
	return since > ring->last ? 0 : since;
}

/* Return true if there are events for @c after @since. */
static bool has_news(const struct client *c, uint64_t since)
{
	const struct event_ring *ring = &c->session->events;
	uint64_t cursor = find_start(ring, since) + 1;

	if (cursor < event_ring_oldest(ring))
		return true;
	for (; cursor <= ring->last; cursor++) {
		if (event_is_visible(event_ring_get(ring, cursor), c))
			return true;
	}
	return false;
}

struct error *events_poll_result(const struct client *c, uint64_t since, size_t max, struct json_object **ret)
{
	const struct event_ring *ring = &c->session->events;
	_cleanup_json_ struct json_object *o = json_object_new_object();
	struct json_object *a = json_object_new_array();
	uint64_t cursor = find_start(ring, since);
	uint64_t oldest = event_ring_oldest(ring);

	if (!o) {
		json_object_put(a);
		return &error_nomem;
	}
	if (json_add(o, "events", a))
		return &error_nomem;
	if (cursor + 1 < oldest) {
		struct json_object *lost = event_lost_json(cursor + 1, oldest - 1);
		if (!lost || json_object_array_add(a, lost)) {
			json_object_put(lost);
			return &error_nomem;
		}
		cursor = oldest - 1;
	}
	while (cursor < ring->last && json_object_array_length(a) < max) {
		const struct event *e = event_ring_get(ring, ++cursor);
		struct json_object *event;

		if (!event_is_visible(e, c))
			continue;
		struct error *err = message_text_parse(e->text, e->len, NULL, &event);
		if (err)
			return err;
		if (json_object_array_add(a, event)) {
			json_object_put(event);
			return &error_nomem;
		}
	}
	if (json_add(o, "cursor", json_object_new_uint64(cursor)))
		return &error_nomem;
	*ret = no_cleanup(o);
	return NULL;
}

/* Answer a waiting poll: with events, or without them after its timeout. */
static void answer_poll(struct request *r)
{
	struct json_object *result = NULL;

	struct error *err = events_poll_result(r->to.client, r->since, r->max_events, &result);
	if (err)
		request_answer_error(r, err);
	else
		request_answer_result(r, result);
	json_object_put(result);
	error_destroy(err);
}

struct error *events_poll_wait(const struct reply_to *to, struct message *m, bool *waits_ret)
{
	struct session *s = to->client->session;
	struct event_poll_params p;
	struct request *r;

	*waits_ret = false;
	struct error *err = event_poll_params_decode(m->params, &p);
	if (err)
		return err;
	uint64_t since = p.has_since ? (uint64_t)p.since : event_ring_oldest(&s->events) - 1;
	/* A notification has no answer. */
	if (!m->id || p.timeout_ms == 0 || has_news(to->client, since))
		return NULL;
	err = request_create(s, REQUEST_POLL, to, m, &r);
	if (err)
		return err;
	r->since = find_start(&s->events, since);
	r->max_events = (size_t)p.max;
	r->deadline_ms = session_now_ms(s) + p.timeout_ms;
	list_append(&s->polls, &r->target_link);
	if (s->options.arm)
		s->options.arm(s->options.context);
	*waits_ret = true;
	return NULL;
}

bool events_tick(struct session *s)
{
	list_for_each (it, tmp, &s->polls) {
		struct request *r = list_entry(it, struct request, target_link);

		if (session_now_ms(s) >= r->deadline_ms)
			answer_poll(r);
	}
	return !list_is_empty(&s->polls);
}

void events_end_polls(struct session *s, const struct error *err)
{
	while (!list_is_empty(&s->polls))
		request_answer_error(list_entry(s->polls.next, struct request, target_link), err);
}

void events_emit(struct session_target *t, enum event_type type, struct json_object *details)
{
	struct session *s = t->session;
	uint64_t cursor = s->events.last + 1;

	char *text = format_event(cursor, t->id, ++t->last_event, type, details);
	json_object_put(details);
	event_ring_push(&s->events, t->id, t->uid, type, text);
	list_for_each (it, tmp, &s->clients)
		client_flush_events(list_entry(it, struct client, link));
	const struct event *e = event_ring_get(&s->events, cursor);
	list_for_each (it, tmp, &s->polls) {
		struct request *r = list_entry(it, struct request, target_link);

		if (event_is_visible(e, r->to.client))
			answer_poll(r);
	}
}

bool events_from_worker(struct session_target *t, const char *text, size_t len)
{
	_cleanup_json_ struct json_object *message = NULL;
	struct json_object *params, *name;

	if (len < sizeof(EVENT_NOTIFICATION) || strncmp(text, EVENT_NOTIFICATION, sizeof(EVENT_NOTIFICATION) - 1) != 0)
		return false;
	struct error *err = len > LIMIT_EVENT_BYTES ? error_create(ERR_LIMIT_EXCEEDED, "the event has %zu bytes", len)
						    : message_text_parse(text, len, NULL, &message);
	if (err) {
		log_err(LOG_WARN, err, "%s", t->id);
		error_destroy(err);
		return true;
	}
	enum event_type type = EVENT_N_TYPES;
	if (json_object_object_get_ex(message, "params", &params) && json_object_is_type(params, json_type_object) &&
	    json_object_object_get_ex(params, "type", &name) && json_object_is_type(name, json_type_string))
		type = event_type_find(json_object_get_string(name));
	if (type == EVENT_N_TYPES || !(WORKER_TYPES & 1u << type)) {
		log_warn("%s: not an event of a worker: %.*s", t->id, (int)(len > 200 ? 200 : len), text);
		return true;
	}
	t->exited |= type == EVENT_EXITED;
	/* No client knows the target before the answer to target.attach. */
	if (t->attached)
		events_emit(t, type, json_object_get(params));
	return true;
}

struct error *events_subscribe(struct client *c, uint32_t types, const char *const *targets, size_t n, uint64_t since,
			       int64_t *id_ret)
{
	if (!c->ops->takes_events)
		return error_hint(error_create(ERR_INVALID_REQUEST, "events cannot be sent on this connection"),
				  "over HTTP, use GET /events or event.poll");
	if (c->n_subscriptions == LIMIT_SUBSCRIPTIONS)
		return error_detail(error_create(ERR_LIMIT_EXCEEDED, "this connection has %d subscriptions already",
						 LIMIT_SUBSCRIPTIONS),
				    "limit", "subscriptions");
	if (!VECTOR_GROW(c->subscriptions, c->n_subscriptions, c->cap_subscriptions))
		return &error_nomem;
	struct subscription sub = {
		.id = c->last_subscription + 1,
		.since = find_start(&c->session->events, since),
		.types = types,
		.n_targets = n,
		.targets = n ? calloc(n, sizeof(*sub.targets)) : NULL,
	};
	if (n && !sub.targets)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		memcpy(sub.targets[i], targets[i], strnlen(targets[i], sizeof(*sub.targets) - 1));
	if (c->n_subscriptions == 0)
		c->event_cursor = sub.since;
	c->subscriptions[c->n_subscriptions++] = sub;
	*id_ret = ++c->last_subscription;
	return NULL;
}

bool events_unsubscribe(struct client *c, int64_t id)
{
	size_t kept = 0;
	size_t n = c->n_subscriptions;

	for (size_t i = 0; i < n; i++) {
		if (id && c->subscriptions[i].id != id)
			c->subscriptions[kept++] = c->subscriptions[i];
		else
			free(c->subscriptions[i].targets);
	}
	c->n_subscriptions = kept;
	return !id || kept < n;
}

struct error *client_subscribe_all(struct client *c, bool has_since, uint64_t since)
{
	int64_t id;

	return events_subscribe(c, UINT32_MAX, NULL, 0, has_since ? since : c->session->events.last, &id);
}
