/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the daemon knows: clients, targets with their workers, and the requests between them.
 * server/ feeds it with messages and the time. It sees a worker as {start, send, end} and a
 * connection as {send, finish}, so that tests replace both. One thread.
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

/* Who is at the other end of a connection. Zeroes allow the least. */
struct session_peer {
	uid_t uid;
	gid_t gid;
	pid_t pid;	       /* 0: not known */
	char program[64];      /* of that process; "": not known */
	enum method_tier tier; /* what it may do */
	char setting[192];     /* and which option says so, for who is refused */
};

/* How a worker is ended. */
enum worker_ending {
	WORKER_LEAVES,	  /* soon */
	WORKER_HEARS_OUT, /* first it is to take what was sent last, if it is slow, too */
	WORKER_KILLED,	  /* at once, with SIGKILL */
};

/* How to reach worker processes. None of these calls back into the session before it returns. */
struct worker_ops {
	/*
	 * Start the worker of target @id as @uid/@gid. Its messages and its end are then reported
	 * with session_worker_message() and session_worker_died() for @target.
	 */
	struct error *(*start)(void *context, struct session_target *target, const char *id, uid_t uid, gid_t gid,
			       void **worker_ret, pid_t *pid_ret);
	/* Queue one JSON text (no newline). A worker that cannot be reached dies later. */
	void (*send)(void *worker, const char *text, size_t len);
	/* Nothing is reported of it any more. */
	void (*end)(void *worker, enum worker_ending how);
	/* Report now what it has said already, also if it has died since. NULL: nothing waits to be reported. */
	void (*hear)(void *worker);
};

/* How to reach a connection. None of these calls back into the session. */
struct client_ops {
	/* Queue one JSON text (no newline). */
	void (*send)(void *conn, const char *text, size_t len);
	/* Bytes that are queued and not sent yet. NULL: never more than one answer is. */
	size_t (*queued)(void *conn);
	/* Close the connection as soon as what was queued is sent. */
	void (*finish)(void *conn);
	/*
	 * Whether there is room for an event now; when there is again, client_flush_events() is to be
	 * called. NULL: this kind of connection takes none.
	 */
	bool (*takes_events)(void *conn);
	/* Queue an event, @params as JSON. NULL: it goes out as a notification, with send. */
	void (*send_event)(void *conn, uint64_t cursor, const char *type, const char *params, size_t len);
};

struct session_options {
	int64_t request_timeout_ms;
	struct quota quota;
	const char *token;     /* for rpc.authenticate; NULL: there is none */
	const char *challenge; /* what credentials are to be made for; NULL: none are taken */
	struct error *(*check_credential)(void *context,
					  const char *credential); /* ERR_UNAUTHORIZED; NULL: it is good */
	const struct worker_ops *workers;
	void *workers_context;
	int64_t (*now_ms)(void *context); /* a monotonic clock */
	/* Something has a time limit from now on: call session_tick() now and then. May be NULL. */
	void (*arm)(void *context);
	void *context; /* of check_credential, now_ms and arm */
};

/* Counters for /metrics; only ever grow. */
struct session_stats {
	uint64_t requests_ok;
	uint64_t requests_error;
	uint64_t requests_cancelled;
	uint64_t requests_timeout;
	uint64_t requests_dropped; /* the client was gone */
	uint64_t notifications;
	uint64_t workers_started;
	uint64_t workers_failed;
	uint64_t calls_refused;	       /* system calls, by the sandboxes of workers */
	struct histogram request_time; /* from the text to its answer; without event.poll, which waits */
	struct histogram stop_time;    /* of all targets */
};

/* What GET /metrics tells of one target; the strings are borrowed. */
struct session_target_stats {
	const char *id;
	const char *mode;
	pid_t pid; /* 0 for a core */
	const struct histogram *request_time;
	const struct histogram *stop_time;
};

/* @options is copied; the strings and tables in it are borrowed for the session's life. */
MUST_USE struct error *session_create(const struct session_options *options, struct session **ret);
/* All clients must be gone; ends the workers that are left, without waiting for them. */
void session_destroy(struct session *s);

/* From now on, for requests and connections to come. */
void session_set_limits(struct session *s, int64_t request_timeout_ms, struct quota quota);

/* A line for daemon.info.listeners, such as "unix:/run/user/1000/ompdd/ompdd.sock"; copied. */
MUST_USE struct error *session_add_listener(struct session *s, const char *uri);

/*
 * A new connection of @peer, which is copied. @authenticated: it need not begin with rpc.authenticate.
 */
MUST_USE struct error *client_create(struct session *s, const struct client_ops *ops, void *conn,
				     const struct session_peer *peer, bool authenticated, struct client **ret);
/*
 * The connection is gone: its waiting requests are dropped, the workers it used are told. Not to
 * be called from within client_ops.
 */
void client_destroy(struct client *c);
/*
 * From now on what @c asks is asked for @owner, a client of the same user: handles, breakpoints and stops that come of
 * it belong to that one and last until its end. With NULL, @c asks for itself again. The caller sees to it that @owner
 * is there for as long.
 */
void client_acts_for(struct client *c, struct client *owner);
/* Whether every request of @c that wants an answer has got it. */
bool client_is_idle(const struct client *c);
bool client_is_authenticated(const struct client *c);

/*
 * One JSON text from @c. Answers go out through client_ops, now or later; *@answered_ret says
 * whether there will be (or was) one. Fails only when the connection must be closed: a parse
 * error, already answered.
 */
MUST_USE struct error *session_receive(struct client *c, const char *text, size_t len, bool *answered_ret);
/* Compare with options.token in constant time; false when there is none. */
bool session_token_matches(const struct session *s, const char *token, size_t len);

/* Send the events that @c waits for, as far as it takes them. Not to be called from within client_ops. */
void client_flush_events(struct client *c);
/*
 * Subscribe @c to all events of its targets, as GET /events does: those to come, with @has_since those after the cursor
 * @since.
 */
MUST_USE struct error *client_subscribe_all(struct client *c, bool has_since, uint64_t since);

/* Answer @err with "id":null: for errors of the framing, before there is a message. */
void client_send_error(struct client *c, const struct error *err);

/* One JSON text from the worker of @t. */
void session_worker_message(struct session_target *t, const char *text, size_t len);
/* The worker of @t has ended by itself with @wait_status (waitpid); @t is gone after this. */
void session_worker_died(struct session_target *t, int wait_status);
/* The same for one that could not be started: @why, which is taken. */
void session_worker_failed(struct session_target *t, struct error *why);

/* End workers that do not answer in time. Returns whether it must be called again. */
bool session_tick(struct session *s);

/* Answer everything that waits with ERR_SHUTTING_DOWN, and all that comes; end all workers. */
void session_shutdown(struct session *s);

const struct session_stats *session_stats(const struct session *s);
/*
 * Whether @uid may have one more connection, where @all are open, of all users. ERR_LIMIT_EXCEEDED as quota_check().
 */
MUST_USE struct error *session_check_connection(const struct session *s, uid_t uid, size_t all);
size_t session_count_targets(const struct session *s);
size_t session_count_pending(const struct session *s);
/* Call @fn for each target that @c may use; the first error ends it. */
MUST_USE struct error *session_each_target(const struct client *c,
					   struct error *(*fn)(const struct session_target_stats *, void *), void *arg);

#endif
