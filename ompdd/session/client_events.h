/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends events of the ring to the clients that subscribed; client_flush_events() is in session.h. */
#ifndef OMPDD_SESSION_CLIENT_EVENTS_H
#define OMPDD_SESSION_CLIENT_EVENTS_H

#include "base/contract.h"
#include "session/event_ring.h"
#include "session/internal.h"

struct json_object;

/* The prefix of an event, from a worker or to a client, as message_write_notification() writes it. */
#define EVENT_NOTIFICATION "{\"jsonrpc\":\"2.0\",\"method\":\"" CONTRACT_EVENT "\""

/* Return whether @c may see @e: events of its user, or all if it is root. */
bool event_is_visible(const struct event *e, const struct client *c);

/* Return the event for a reader that has missed the events from cursor @from to @to; NULL if memory is exhausted. */
struct json_object *event_lost_json(uint64_t from, uint64_t to);

#endif
