/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The structs shared by the files of session/. No other file includes this header. */
#ifndef OMPDD_SESSION_INTERNAL_H
#define OMPDD_SESSION_INTERNAL_H

#include <json-c/json.h>

#include "base/list.h"
#include "rpc/dispatch.h"
#include "session/event_ring.h"
#include "session/limits.h"
#include "session/session.h"

#define SESSION_MAX_LISTENERS 16
/* How many reasons for the end of a target are kept, for later requests. */
#define SESSION_OBITUARIES 64

struct obituary {
	char id[16];
	uid_t uid; /* the user that may see it */
	char *reason;
};

struct session {
	struct session_options options;
	struct list clients;
	struct session_target *targets[LIMIT_TARGETS]; /* NULL: free slot */
	size_t n_targets;
	struct obituary obituaries[SESSION_OBITUARIES]; /* a ring */
	size_t n_obituaries;				/* total number ever written */
	char *listeners[SESSION_MAX_LISTENERS];
	size_t n_listeners;
	int64_t last_client;
	int64_t last_seq;
	uint64_t last_target;
	size_t n_pending; /* existing requests */
	int64_t started_ms;
	struct client *current; /* the client with the request that a handler of this process is answering */
	struct session_stats stats;
	int64_t received_us; /* arrival time of the current text */
	bool shutting_down;
	struct buf scratch; /* an outgoing message */
	struct list polls;  /* waiting event.poll requests: struct request, by target_link */
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
	bool challenged;      /* it has requested the challenge */
	struct client *owner; /* the client that it acts for: client_acts_for(); NULL: itself */
	uint64_t touched;     /* bit i: this client has sent a request to targets[i] */
	struct list requests; /* requests that wait for a worker */
	struct list batches;  /* incomplete batches */
	size_t in_flight;
	size_t held;			    /* bytes of answers in batches */
	struct subscription *subscriptions; /* session/events.h */
	size_t n_subscriptions, cap_subscriptions;
	int64_t last_subscription;
	uint64_t event_cursor; /* of the last event that was sent or filtered out */
};

/* Return the milliseconds of the clock of the server's loop. */
static inline int64_t session_now_ms(const struct session *s)
{
	return s->options.now_ms(s->options.context);
}

/* Return the owner of the handles, breakpoints and stops that the requests of @c create. */
static inline struct client *client_owner(struct client *c)
{
	return c->owner ? c->owner : c;
}

/* The answers to one array of requests, until it is complete. */
struct batch {
	struct list link;
	struct client *client;
	size_t n;
	size_t waiting; /* elements without an answer, plus one while the array is being read */
	struct answer {
		char *text; /* NULL: a notification */
		size_t len;
	} answers[];
};

/* The destination of an answer. */
struct reply_to {
	struct client *client; /* NULL: the client is gone */
	struct batch *batch;   /* NULL: not in a batch */
	size_t index;
};

enum request_kind { REQUEST_FORWARD, REQUEST_ATTACH, REQUEST_ERRAND, REQUEST_DETACH, REQUEST_POLL };

/* A request for a worker, or one that waits for events, from its arrival to its answer. */
struct request {
	struct list client_link;
	struct list target_link; /* in the target's queued or sent list, or in the session's polls */
	struct session *session;
	struct reply_to to;
	enum request_kind kind;
	int64_t client_id;
	int64_t received_us;
	int64_t seq;
	struct json_object *id; /* NULL: a notification */
	char *method;
	bool is_audited;
	char target[16]; /* the id of its target, and the pid of its process; for the audit log */
	pid_t target_pid;
	/*
	 * The text of the params object. It is the client's own text if that fits into a line. Kept until the request
	 * is sent, or longer with max_age_ms.
	 */
	char *params;
	size_t params_len;
	int64_t max_age_ms; /* the maximum age of a reused answer (session/recent.h); 0: only a new answer */
	/* REQUEST_POLL only: the parameters of its answer, when an event or the deadline has come. */
	uint64_t since;
	size_t max_events;
	int64_t deadline_ms;
};

#endif
