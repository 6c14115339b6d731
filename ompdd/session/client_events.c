/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends events of the ring to the clients that subscribed. */
#include "session/client_events.h"

#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/log.h"
#include "session/events.h"
#include "session/json.h"

bool event_is_visible(const struct event *e, const struct client *c)
{
	return e->text && (c->peer.uid == 0 || c->peer.uid == e->uid);
}

struct json_object *event_lost_json(uint64_t from, uint64_t to)
{
	struct json_object *o = json_object_new_object();

	if (o && !json_add(o, "cursor", json_object_new_uint64(to)) &&
	    !json_add(o, "type", json_object_new_string("lost")) &&
	    !json_add(o, "from", json_object_new_uint64(from)) && !json_add(o, "to", json_object_new_uint64(to)))
		return o;
	json_object_put(o);
	return NULL;
}

static bool subscription_wants(const struct subscription *sub, const struct event *e)
{
	/* Every reader is notified of lost events. */
	if (e->cursor <= sub->since || !((sub->types | 1u << EVENT_LOST) & 1u << e->type))
		return false;
	for (size_t i = 0; i < sub->n_targets; i++) {
		if (!strcmp(sub->targets[i], e->target))
			return true;
	}
	return sub->n_targets == 0;
}

static bool client_wants(const struct client *c, const struct event *e)
{
	if (!event_is_visible(e, c))
		return false;
	for (size_t i = 0; i < c->n_subscriptions; i++) {
		if (subscription_wants(&c->subscriptions[i], e))
			return true;
	}
	return false;
}

static void send_params(struct client *c, uint64_t cursor, enum event_type type, const char *params, size_t len)
{
	static const char head[] = EVENT_NOTIFICATION ",\"params\":";
	struct buf text = {0};

	if (c->ops->send_event) {
		c->ops->send_event(c->conn, cursor, event_type_name(type), params, len);
		return;
	}
	struct error *err = buf_append(&text, head, sizeof(head) - 1);
	if (!err)
		err = buf_append(&text, params, len);
	if (!err)
		err = buf_append(&text, "}", 1);
	if (err)
		log_err(LOG_WARN, err, "client %" PRId64 ": event", c->id);
	else
		c->ops->send(c->conn, buf_head(&text), text.len);
	error_destroy(err);
	buf_deinit(&text);
}

static void send_lost(struct client *c, uint64_t from, uint64_t to)
{
	_cleanup_json_ struct json_object *o = event_lost_json(from, to);
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN) : NULL;

	if (text)
		send_params(c, to, EVENT_LOST, text, strlen(text));
}

void client_flush_events(struct client *c)
{
	const struct event_ring *ring = &c->session->events;

	/* The answers of a batch precede the events that its requests caused. */
	if (c->n_subscriptions == 0 || !list_is_empty(&c->batches))
		return;
	while (c->event_cursor < ring->last && c->ops->takes_events(c->conn)) {
		uint64_t next = c->event_cursor + 1;
		uint64_t oldest = event_ring_oldest(ring);

		if (next < oldest) {
			c->event_cursor = oldest - 1;
			send_lost(c, next, oldest - 1);
			continue;
		}
		const struct event *e = event_ring_get(ring, next);
		c->event_cursor = next;
		if (client_wants(c, e))
			send_params(c, e->cursor, e->type, e->text, e->len);
	}
}
