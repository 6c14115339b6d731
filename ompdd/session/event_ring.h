/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last events of all targets, each with its cursor: the number of the event in this daemon's life, from 1. Filled
 * by session/events.c, which also reads it for whoever is behind. Pure.
 */
#ifndef OMPDD_SESSION_EVENT_RING_H
#define OMPDD_SESSION_EVENT_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "session/limits.h"

/* In the order of the schema's enum: the generated names of event.subscribe's types. */
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
	EVENT_LOST, /* in the ring: a worker could not keep some; else what is said of events that have left it */
	EVENT_N_TYPES,
};

/* "attached" and so on. */
const char *event_type_name(enum event_type type);
/* EVENT_N_TYPES when there is none of this name. */
enum event_type event_type_find(const char *name);

struct event {
	uint64_t cursor;
	uid_t uid; /* whose target it was */
	char target[16];
	enum event_type type;
	char *text; /* its params as JSON; NULL: there was no memory for it */
	size_t len;
};

/* All zeroes is an empty ring. */
struct event_ring {
	struct event items[LIMIT_EVENTS];
	uint64_t last; /* cursor of the newest; 0: none yet */
};

void event_ring_deinit(struct event_ring *r);

/* Put in the event of cursor r->last + 1, in the place of the oldest when full. @text was allocated; it is taken. */
void event_ring_push(struct event_ring *r, const char *target, uid_t uid, enum event_type type, char *text TAKES);

/* The cursor of the oldest event that is there; r->last + 1 when none is. */
uint64_t event_ring_oldest(const struct event_ring *r);

/* The event @cursor, or NULL when it is not there any more, or yet. */
const struct event *event_ring_get(const struct event_ring *r, uint64_t cursor);

#endif
