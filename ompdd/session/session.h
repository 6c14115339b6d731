/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The daemon's state: clients, targets with their workers, and the requests between them. server/ feeds it with
 * messages and the time. The session sees a worker as {start, send, end} and a connection as {send, finish}, so that
 * tests can replace both. One thread.
 */
#ifndef OMPDD_SESSION_SESSION_H
#define OMPDD_SESSION_SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/histogram.h"
#include "rpc/dispatch.h"
#include "session/quota.h"

struct client;
struct json_object;
struct session;
struct session_target;

/* The peer of a connection. All zeroes give the fewest rights. */
struct session_peer {
	uid_t uid;
	gid_t gid;
	pid_t pid;	       /* 0: unknown */
	char program[64];      /* name of that process's program; "": unknown */
	enum method_tier tier; /* its permissions */
	char setting[192];     /* the option that set the tier, for refusals */
};

/* How a worker ends. */
enum worker_ending {
	WORKER_LEAVES,	  /* soon */
	WORKER_HEARS_OUT, /* first it reads the last message, even if it is slow */
	WORKER_KILLED,	  /* at once, with SIGKILL */
};

/* The interface to worker processes. No function calls back into the session before it returns. */
struct worker_ops {
	/*
	 * Start the worker of target @id as @uid/@gid. Afterwards session_worker_message() and session_worker_died()
	 * report its messages and its end for @target.
	 */
	struct error *(*start)(void *context, struct session_target *target, const char *id, uid_t uid, gid_t gid,
			       void **worker_ret, pid_t *pid_ret);
	/* Queue one JSON text (no newline). An unreachable worker dies later. */
	void (*send)(void *worker, const char *text, size_t len);
	/* End the worker; nothing more is reported about it. */
	void (*end)(void *worker, enum worker_ending how);
	/*
	 * Report the output that the worker has already sent, also of a worker that has died since. NULL: output never
	 * waits.
	 */
	void (*hear)(void *worker);
};

/* The interface to a connection. No function calls back into the session. */
struct client_ops {
	/* Queue one JSON text (no newline). */
	void (*send)(void *conn, const char *text, size_t len);
	/* Return the bytes that are queued and not sent yet. NULL: at most one answer is ever queued. */
	size_t (*queued)(void *conn);
	/* Close the connection after the queued output is sent. */
	void (*finish)(void *conn);
	/*
	 * Check the credential of MUNGE in the current request: NULL if it is valid, else ERR_UNAUTHORIZED. Called only
	 * if the session has a challenge.
	 */
	struct error *(*check_credential)(void *conn, const char *credential);
	/*
	 * Return true if there is room for an event now. When there is room again, the connection calls
	 * client_flush_events(). NULL: this kind of connection takes no events.
	 */
	bool (*takes_events)(void *conn);
	/* Queue an event, @params as JSON. NULL: the event is sent as a notification, with send. */
	void (*send_event)(void *conn, uint64_t cursor, const char *type, const char *params, size_t len);
};

struct session_options {
	int64_t request_timeout_ms;
	struct quota quota;
	const char *token;     /* for rpc.authenticate; NULL: no token */
	const char *challenge; /* the text that credentials must carry; NULL: credentials are not accepted */
	const struct worker_ops *workers;
	void *workers_context;
	int64_t (*now_ms)(void *context); /* a monotonic clock */
	/* Called when a time limit starts: call session_tick() regularly from now on. May be NULL. */
	void (*arm)(void *context);
	void *context; /* of now_ms and arm */
};

/* Counters for /metrics; they only grow. */
struct session_stats {
	uint64_t requests_ok;
	uint64_t requests_error;
	uint64_t requests_cancelled;
	uint64_t requests_timeout;
	uint64_t requests_dropped; /* the client was gone */
	uint64_t notifications;
	uint64_t workers_started;
	uint64_t workers_failed;
	uint64_t calls_refused;	       /* system calls that workers' sandboxes refused */
	struct histogram request_time; /* from a text to its answer; without event.poll, which waits */
	struct histogram stop_time;    /* of all targets */
};

/* The metrics of one target in GET /metrics; the strings are borrowed. */
struct session_target_stats {
	const char *id;
	const char *mode;
	pid_t pid; /* 0 for a core */
	const struct histogram *request_time;
	const struct histogram *stop_time;
};

/* Create a session. Copies @options; borrows its strings and tables for the session's life. */
MUST_USE struct error *session_create(const struct session_options *options, struct session **ret);
/* Destroy the session. All clients must be gone. Ends the remaining workers without waiting for them. */
void session_destroy(struct session *s);

/* Set the limits for future requests and connections. */
void session_set_limits(struct session *s, int64_t request_timeout_ms, struct quota quota);

/* Add a line to daemon.info.listeners, such as "unix:/run/user/1000/ompdd/ompdd.sock"; copied. */
MUST_USE struct error *session_add_listener(struct session *s, const char *uri);

/* Create a client for a new connection of @peer, which is copied. @authenticated: rpc.authenticate is not required. */
MUST_USE struct error *client_create(struct session *s, const struct client_ops *ops, void *conn,
				     const struct session_peer *peer, bool authenticated, struct client **ret);
/*
 * Destroy @c after its connection has closed. Drops its pending requests, and notifies the workers that it used. Must
 * not be called from within client_ops.
 */
void client_destroy(struct client *c);
/*
 * Let @c act for @owner, a client of the same user. The handles, breakpoints and stops from @c's requests then belong
 * to @owner and last until its end. NULL: @c acts for itself again. The caller ensures that @owner exists for that
 * time.
 */
void client_acts_for(struct client *c, struct client *owner);
/* Return true if every request of @c that expects an answer has one. */
bool client_is_idle(const struct client *c);
bool client_is_authenticated(const struct client *c);

/*
 * Handle one JSON text from @c. Sends answers through client_ops, now or later; *@answered_ret is true if there is an
 * answer. Fails only if the connection must be closed: after a parse error, which is already answered.
 */
MUST_USE struct error *session_receive(struct client *c, const char *text, size_t len, bool *answered_ret);
/* Compare @token with options.token in constant time; false if there is no token. */
bool session_token_matches(const struct session *s, const char *token, size_t len);

/* Send the events that @c waits for, as far as it accepts them. Must not be called from within client_ops. */
void client_flush_events(struct client *c);
/*
 * Subscribe @c to all events of its targets, as GET /events does. With @has_since: to those after the cursor @since,
 * too.
 */
MUST_USE struct error *client_subscribe_all(struct client *c, bool has_since, uint64_t since);

/* Answer @err with "id":null, for framing errors that precede any message. */
void client_send_error(struct client *c, const struct error *err);

/* Handle one JSON text from the worker of @t. */
void session_worker_message(struct session_target *t, const char *text, size_t len);
/* Handle the death of @t's worker with @wait_status (waitpid). Destroys @t. */
void session_worker_died(struct session_target *t, int wait_status);
/* The same for a worker that could not start. Takes @why, the reason. */
void session_worker_failed(struct session_target *t, struct error *why);

/* End workers that do not answer in time. Returns true if it must be called again. */
bool session_tick(struct session *s);

/* Answer all pending and all future requests with ERR_SHUTTING_DOWN; end all workers. */
void session_shutdown(struct session *s);

const struct session_stats *session_stats(const struct session *s);
/*
 * Check that @uid may open one more connection. @all: the number of open connections of all users. Returns
 * ERR_LIMIT_EXCEEDED as quota_check() does.
 */
MUST_USE struct error *session_check_connection(const struct session *s, uid_t uid, size_t all);
size_t session_count_targets(const struct session *s);
size_t session_count_pending(const struct session *s);
/* Call @fn for each target that @c may use; stops at the first error. */
MUST_USE struct error *session_each_target(const struct client *c,
					   struct error *(*fn)(const struct session_target_stats *, void *), void *arg);

#endif
