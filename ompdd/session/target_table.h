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
	void *worker;	     /* NULL: it is already ended */
	bool attached;	     /* target.attach, .open_core or .launch was answered with a result */
	bool exited;	     /* its process has: the worker has said so */
	bool is_errand;	     /* no target at all, but a worker with one request; nobody sees it */
	const char *mode;    /* static */
	pid_t pid;	     /* 0 for a core, and for what is being launched */
	int64_t max_stop_ms; /* 0 for a core */
	int64_t launcher;    /* the client whose target.launch it is, until that is answered; else 0 */
	char *core;	     /* as given to target.open_core; NULL for a process */
	struct list queued;  /* requests that the worker has not got yet */
	struct recent recent;
	struct list sent; /* oldest first; the worker answers in this order */
	size_t n_sent;
	uint64_t last_event;	       /* seq of its last event */
	struct histogram request_time; /* of those that its worker has answered */
	struct histogram stop_time;
	int64_t busy_since_ms; /* when the worker began with the oldest of sent */
};

/*
 * Start a worker and forward @m, one of these three methods, of @to->client to it. On success @m's contents are moved
 * out; the caller answers the error.
 */
MUST_USE struct error *target_attach(struct session *s, const struct reply_to *to, struct message *m);
MUST_USE struct error *target_open_core(struct session *s, const struct reply_to *to, struct message *m);
MUST_USE struct error *target_launch(struct session *s, const struct reply_to *to, struct message *m);

/* The same for @method, which is about no target: the worker ends with its answer. */
MUST_USE struct error *target_errand(struct session *s, const struct reply_to *to, const struct method *method,
				     struct message *m);

/* Forward @m, which is for @method, to the worker of @t; on success @m's contents are moved out. */
MUST_USE struct error *target_forward(struct session *s, const struct reply_to *to, struct session_target *t,
				      const struct method *method, struct message *m);

/* The target @id if @c may use it, else ERR_NO_SUCH_TARGET with the reason. */
MUST_USE struct error *target_find(struct session *s, const struct client *c, const char *id,
				   struct session_target **ret);
bool target_is_visible(const struct session_target *t, const struct client *c);

/*
 * Before target_cancel(): of a launch, take in what its worker has answered already. Whether anything was done; @r may
 * be gone then.
 */
bool target_hear_launch(struct request *r);
/* request.cancel for a request of a worker. */
void target_cancel(struct request *r);

/* @c leaves: drop its requests, tell the workers that it used. */
void target_client_gone(struct client *c);

/* End the workers that take too long; whether there are more to watch. */
bool target_tick(struct session *s);

/* End all workers; what waits is answered with @err. */
void target_end_all(struct session *s, const struct error *err);

/* What follows is for target_begin.c and target_answer.c, which have the rest of a target's life. */

/* A place in the table, without a worker; limit_exceeded when @uid or all have theirs already. */
MUST_USE struct error *target_create(struct session *s, uid_t uid, bool is_errand, struct session_target **ret);

/* All requests of @t must have been answered. */
void target_destroy(struct session_target *t);

/*
 * The target is no more; what still waits for it is answered with @err, and then @event is
 * reported (EVENT_N_TYPES: none).
 */
void target_remove(struct session_target *t, const struct error *err, bool kill_worker, enum event_type event);

/* Let @r, of @to, wait for the worker of @t; it may be answered, and @t's other requests, when this returns. */
void target_queue(struct session_target *t, const struct reply_to *to, struct request *r);

/* Give the worker what its window has room for. */
void target_push(struct session_target *t);

/* For the audit log: the target may be gone before the request is. */
void target_name(struct request *r, const struct session_target *t);

/* Tell the worker; @params is put, NULL: there was no memory for them. */
void target_notify(struct session_target *t, const char *method, struct json_object *params);

/* The event that @t is attached. */
void target_report_attached(struct session_target *t);

#endif
