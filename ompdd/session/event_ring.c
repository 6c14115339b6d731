/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the last events of all targets, indexed by cursor. */
#include "session/event_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[EVENT_N_TYPES] = {
	[EVENT_ATTACHED] = "attached",
	[EVENT_DETACHED] = "detached",
	[EVENT_STOPPED] = "stopped",
	[EVENT_RESUMED] = "resumed",
	[EVENT_BREAKPOINT] = "breakpoint",
	[EVENT_THREAD_STARTED] = "thread_started",
	[EVENT_THREAD_EXITED] = "thread_exited",
	[EVENT_EXEC] = "exec",
	[EVENT_FORK] = "fork",
	[EVENT_EXITED] = "exited",
	[EVENT_TRACER_LOST] = "tracer_lost",
	[EVENT_PLUGIN_FAILED] = "plugin_failed",
	[EVENT_WORKER_FAILED] = "worker_failed",
	[EVENT_LOST] = "lost",
};

const char *event_type_name(enum event_type type)
{
	return names[type];
}

enum event_type event_type_find(const char *name)
{
	int type = 0;

	while (type < EVENT_N_TYPES && strcmp(names[type], name) != 0)
		type++;
	return (enum event_type)type;
}

void event_ring_deinit(struct event_ring *r)
{
	for (size_t i = 0; i < LIMIT_EVENTS; i++)
		free(r->items[i].text);
	*r = (struct event_ring){0};
}

void event_ring_push(struct event_ring *r, const char *target, uid_t uid, enum event_type type, char *text)
{
	uint64_t cursor = ++r->last;
	struct event *e = &r->items[cursor % LIMIT_EVENTS];

	free(e->text);
	*e = (struct event){
		.cursor = cursor,
		.uid = uid,
		.type = type,
		.text = text,
		.len = text ? strlen(text) : 0,
	};
	snprintf(e->target, sizeof(e->target), "%s", target);
}

uint64_t event_ring_oldest(const struct event_ring *r)
{
	return r->last > LIMIT_EVENTS ? r->last - LIMIT_EVENTS + 1 : 1;
}

const struct event *event_ring_get(const struct event_ring *r, uint64_t cursor)
{
	if (cursor < event_ring_oldest(r) || cursor > r->last)
		return NULL;
	return &r->items[cursor % LIMIT_EVENTS];
}
