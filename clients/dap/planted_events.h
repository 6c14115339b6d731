/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenMP's events as breakpoints of the native adapter, by address if it supports that, otherwise by lldb's own
 * command.
 */
#ifndef OMPDD_DAP_PLANTED_EVENTS_H
#define OMPDD_DAP_PLANTED_EVENTS_H

#include "adapter.h"
#include "debuggee.h"
#include "events.h"

/* Breakpoints that represent events. */
#define PLANTED_EVENTS_MAX 512

struct planted_event {
	int event;
	uint64_t address;
	int64_t id; /* its number in the native adapter; 0: not known yet */
};

struct planted_events {
	struct dap_client *client;
	struct adapter *adapter;
	struct debuggee *target;
	const struct events *wanted;
	struct planted_event list[PLANTED_EVENTS_MAX];
	size_t n;
	struct json_object *client_instructions; /* arguments of the client's own breakpoints at addresses; owned */
	size_t n_waits;				 /* outstanding answers of the native adapter */
	bool is_requested;			 /* the addresses of events were requested */
	bool is_outdated;			 /* and must be requested again */
	bool was_retried;			 /* attaching to the process was tried again */
	bool is_reported[EVENTS_N];		 /* the client was notified that it is planted */
	char *why[EVENTS_N];			 /* the reason, known to the client, why it is not planted; NULL */
	bool holds;				 /* the stop is ours: resume when all are planted */
	int64_t held_thread;
	/* Called before the program is resumed after such a stop. */
	void (*resumes)(void *arg);
	/* Called when the program has no runtime yet. */
	void (*waits_for_runtime)(void *arg);
	void *arg;
};

/* Return whether the native adapter accepts addresses. */
bool planted_events_are_possible(const struct planted_events *p);
/* Plant the wanted events that are missing, if the runtime is loaded. Remove those that are no longer wanted. */
void planted_events_update(struct planted_events *p);
/* The program has stopped at @thread only so that events can be planted: resume it after planted_events_update(). */
void planted_events_hold(struct planted_events *p, int64_t thread);

/* Return the planted breakpoint with that number; NULL: it is not ours. */
const struct planted_event *planted_events_find(const struct planted_events *p, int64_t id);
/* Return DAP's `Breakpoint` of a requested event; EVENTS_NONE: an unknown event. The caller owns it. */
struct json_object *planted_events_describe(const struct planted_events *p, enum events_request by, int event);

/* Handle the client's own breakpoints at addresses. */
void planted_events_set_instructions(struct planted_events *p, struct json_object *request);
void planted_events_deinit(struct planted_events *p);

#endif
