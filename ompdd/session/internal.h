/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The structs that the files of session/ share. Nobody else includes this. */
#ifndef OMPDD_SESSION_INTERNAL_H
#define OMPDD_SESSION_INTERNAL_H

#include <json-c/json.h>

#include "base/list.h"
#include "rpc/dispatch.h"
#include "session/event_ring.h"
#include "session/limits.h"
#include "session/session.h"

#define SESSION_MAX_LISTENERS 16
/* Why the last targets ended, for who asks for them later. */
#define SESSION_OBITUARIES 64

struct obituary {
	char id[16];
	uid_t uid; /* who may know */
	char *reason;
};

struct session {
	struct session_options options;
	struct list clients;
	struct session_target *targets[LIMIT_TARGETS]; /* NULL: the slot is free */
	size_t n_targets;
	struct obituary obituaries[SESSION_OBITUARIES]; /* a ring */
	size_t n_obituaries;				/* ever written */
	char *listeners[SESSION_MAX_LISTENERS];
	size_t n_listeners;
	int64_t last_client;
	int64_t last_seq;
	uint64_t last_target;
	size_t n_pending; /* requests that exist */
	int64_t started_ms;
	struct client *current; /* whose request a handler of this process answers */
	struct session_stats stats;
	int64_t received_us; /* when the text came that is being handled */
	bool shutting_down;
	struct buf scratch; /* a message on its way out */
	struct list polls;  /* struct request, by target_link: event.poll that wait */
	struct event_ring events;
};

struct client {
	struct list link;
	struct session *session;
	const struct client_ops *ops;
	void *conn;
	int64_t id;
	struct session_peer peer;
	bool authenticated;
	bool challenged;      /* it has asked for the challenge */
	struct client *owner; /* for whom it asks now: client_acts_for(); NULL: itself */
	uint64_t touched;     /* bit i: targets[i] has seen a request of this client */
	struct list requests; /* that wait for a worker */
	struct list batches;  /* that are not complete */
	size_t in_flight;
	size_t held;			    /* bytes of answers in batches */
	struct subscription *subscriptions; /* session/events.h */
	size_t n_subscriptions;
	int64_t last_subscription;
	uint64_t event_cursor; /* of the last event that was sent, or not wanted */
};

/* Milliseconds of the clock by which the server's loop goes. */
static inline int64_t session_now_ms(const struct session *s)
{
	return s->options.now_ms(s->options.context);
}

/* Whose handles, breakpoints and stops come of what @c asks. */
static inline struct client *client_owner(struct client *c)
{
	return c->owner ? c->owner : c;
}

/* The answers to one array of requests, until all are there. */
struct batch {
	struct list link;
	struct client *client;
	size_t n;
	size_t waiting; /* elements without answer; one more while the array is being read */
	struct answer {
		char *text; /* NULL for a notification */
		size_t len;
	} answers[];
};

/* Where an answer goes. */
struct reply_to {
	struct client *client; /* NULL: nobody waits */
	struct batch *batch;   /* NULL: not part of one */
	size_t index;
};

enum request_kind { REQUEST_FORWARD, REQUEST_ATTACH, REQUEST_ERRAND, REQUEST_DETACH, REQUEST_POLL };

/* A request for a worker, or one that waits for events, from its arrival to its answer. */
struct request {
	struct list client_link;
	struct list target_link; /* in the target's queued or sent list, or the session's polls */
	struct session *session;
	struct reply_to to;
	enum request_kind kind;
	int64_t client_id;
	int64_t received_us;
	int64_t seq;
	struct json_object *id; /* NULL: a notification */
	char *method;
	bool is_audited;
	char target[16]; /* whose it is, and which process that is; for the audit log */
	pid_t target_pid;
	/* The text of an object, as the client wrote it where that fits into a line; until it is sent, or with
	 * max_age_ms. */
	char *params;
	size_t params_len;
	int64_t max_age_ms; /* how old an answer may be (session/recent.h); 0: it must be a new one */
	/* REQUEST_POLL only: what to answer when an event or the deadline has come. */
	uint64_t since;
	size_t max_events;
	int64_t deadline_ms;
};

#endif
