/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last events of all targets, each with its cursor: the number of the event in this daemon's life, from 1.
 * session/events.c fills the ring, and reads it for slow readers. Pure.
 */
#ifndef OMPDD_SESSION_EVENT_RING_H
#define OMPDD_SESSION_EVENT_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "session/limits.h"

/* In the order of the schema's enum: the generated type names of event.subscribe. */
enum event_type {
	EVENT_ATTACHED,
	EVENT_DETACHED,
	EVENT_STOPPED,
	EVENT_RESUMED,
	EVENT_BREAKPOINT,
	EVENT_THREAD_STARTED,
	EVENT_THREAD_EXITED,
	EVENT_EXEC,
	EVENT_FORK,
	EVENT_EXITED,
	EVENT_TRACER_LOST,
	EVENT_PLUGIN_FAILED,
	EVENT_WORKER_FAILED,
	EVENT_LOST, /* a worker could not keep some events; also synthesized for events that have left the ring */
	EVENT_N_TYPES,
};

/* Return the name of @type: "attached" and so on. */
const char *event_type_name(enum event_type type);
/* Find a type by name; EVENT_N_TYPES if there is no such type. */
enum event_type event_type_find(const char *name);

struct event {
	uint64_t cursor;
	uid_t uid; /* the owner of the target */
	char target[16];
	enum event_type type;
	char *text; /* its params as JSON; NULL: out of memory */
	size_t len;
};

/* All zeroes is an empty ring. */
struct event_ring {
	struct event items[LIMIT_EVENTS];
	uint64_t last; /* cursor of the newest event; 0: no event yet */
};

void event_ring_deinit(struct event_ring *r);

/* Add the event with the cursor r->last + 1; it replaces the oldest event if the ring is full. Takes @text. */
void event_ring_push(struct event_ring *r, const char *target, uid_t uid, enum event_type type, char *text TAKES);

/* Return the cursor of the oldest event in the ring; r->last + 1 if the ring is empty. */
uint64_t event_ring_oldest(const struct event_ring *r);

/* Return the event with @cursor, or NULL if it has left the ring or has not occurred yet. */
const struct event *event_ring_get(const struct event_ring *r, uint64_t cursor);

#endif
