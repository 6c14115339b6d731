/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target ids and their workers: attach, forward, and every way in which a worker ends. */
#ifndef OMPDD_SESSION_TARGET_TABLE_H
#define OMPDD_SESSION_TARGET_TABLE_H

#include "session/internal.h"
#include "session/recent.h"

struct session_target {
	struct session *session;
	size_t slot;
	char id[16];
	uid_t uid; /* of the peer that attached it */
	pid_t worker_pid;
	void *worker;	     /* NULL: already ended */
	bool attached;	     /* target.attach, .open_core or .launch has succeeded */
	bool exited;	     /* the worker has reported the exit of its process */
	bool is_errand;	     /* not a target, but a worker with one request; invisible to clients */
	const char *mode;    /* static */
	pid_t pid;	     /* 0 for a core, and for a program that is being launched */
	int64_t max_stop_ms; /* 0 for a core */
	int64_t launcher;    /* the client of the unanswered target.launch; else 0 */
	char *core;	     /* as given to target.open_core; NULL for a process */
	struct list queued;  /* requests not yet sent to the worker */
	struct recent recent;
	struct list sent; /* oldest first; the worker answers in this order */
	size_t n_sent;
	uint64_t last_event;	       /* seq of its last event */
	struct histogram request_time; /* of the requests that its worker has answered */
	struct histogram stop_time;
	int64_t busy_since_ms; /* when the worker started the oldest request of sent */
};

/*
 * Start a worker and forward @m of @to->client to it: target.attach, .open_core or .launch. Moves out @m's contents on
 * success; the caller answers an error.
 */
MUST_USE struct error *session_target_attach(struct session *s, const struct reply_to *to, struct message *m);
MUST_USE struct error *session_target_open_core(struct session *s, const struct reply_to *to, struct message *m);
MUST_USE struct error *session_target_launch(struct session *s, const struct reply_to *to, struct message *m);

/* The same for @method, which needs no target: the worker ends with its answer. */
MUST_USE struct error *target_errand(struct session *s, const struct reply_to *to, const struct method *method,
				     struct message *m);

/* Forward @m, a request for @method, to the worker of @t. Moves out @m's contents on success. */
MUST_USE struct error *target_forward(struct session *s, const struct reply_to *to, struct session_target *t,
				      const struct method *method, struct message *m);

/* Find the target @id if @c may use it. Returns ERR_NO_SUCH_TARGET with the reason otherwise. */
MUST_USE struct error *target_find(struct session *s, const struct client *c, const char *id,
				   struct session_target **ret);
bool target_is_visible(const struct session_target *t, const struct client *c);

/*
 * Handle the answers to a launch that its worker has already sent; call it before target_cancel(). Returns false if it
 * read nothing; after true, @r may be destroyed.
 */
bool target_hear_launch(struct request *r);
/* Cancel a worker's request, for request.cancel. */
void target_cancel(struct request *r);

/* Handle the end of @c: drop its requests, and notify the workers that it used. */
void target_client_gone(struct client *c);

/* End the workers that take too long. Returns true if there are more to watch. */
bool target_tick(struct session *s);

/* End all workers; answer pending requests with @err. */
void target_end_all(struct session *s, const struct error *err);

/* The following functions are for target_begin.c and target_answer.c, which implement the rest of a target's life. */

/*
 * Reserve a slot in the table, without a worker. Returns ERR_LIMIT_EXCEEDED if @uid, or all users together, have
 * reached the limit.
 */
MUST_USE struct error *target_create(struct session *s, uid_t uid, bool is_errand, struct session_target **ret);

/* Destroy @t. All of its requests must be answered. */
void session_target_destroy(struct session_target *t);

/* Remove the target: answers its pending requests with @err, then reports @event (EVENT_N_TYPES: no event). */
void target_remove(struct session_target *t, const struct error *err, bool kill_worker, enum event_type event);

/* Queue @r, of @to, for the worker of @t. @r and @t's other requests may be answered when this returns. */
void target_queue(struct session_target *t, const struct reply_to *to, struct request *r);

/* Send requests to the worker, as many as its window allows. */
void target_push(struct session_target *t);

/* Record the target in @r for the audit log: the target may be gone before the request. */
void target_name(struct request *r, const struct session_target *t);

/* Send a notification to the worker. Takes @params; NULL: out of memory. */
void target_notify(struct session_target *t, const char *method, struct json_object *params);

/* Report the event that @t is attached. */
void target_report_attached(struct session_target *t);

#endif
