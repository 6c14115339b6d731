/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process as ompdd knows it: made a target once, looked at whenever it has stopped or somebody asks. */
#ifndef OMPDD_DAP_TARGET_H
#define OMPDD_DAP_TARGET_H

#include "service.h"
#include "view.h"

/* Those who wait until it is attached to and looked at. */
#define TARGET_MAX_WAITERS 256

enum target_state { TARGET_NONE, TARGET_ATTACHING, TARGET_READY, TARGET_FAILED };

typedef void target_fn(void *arg);

struct target_waiter {
	struct target *target;
	uint64_t timer;
	target_fn *done;
	void *arg;
};

struct target {
	struct service service;
	struct loop *loop;
	const char *stacks; /* of snapshot.get: "none", "regions" */
	bool is_lean;	    /* looks leave out the control variables of tasks: target_look_at_icvs() has them */
	enum target_state state;
	char *id;
	char *why;		    /* TARGET_FAILED: for people */
	char *method;		    /* how it was attached, to do it again */
	struct json_object *params; /* of that */
	struct json_object *info;   /* what it answered */
	struct view *view;	    /* of the last look that gave one; NULL */
	uint64_t looks;		    /* of the last that was begun */
	bool is_looking, wants_look, was_anew;
	uint64_t anew_timer; /* 0, or when it is attached to by another worker */
	bool is_fresh;	     /* the view is of the present stop */
	struct target_waiter *waiters[TARGET_MAX_WAITERS];
	size_t n_waiters;
	/* When a look is over, before those who wait are told. NULL: nobody is. */
	target_fn *looked;
	/* When state has become TARGET_READY or TARGET_FAILED. */
	target_fn *attached;
	/* The client's id of a thread of the kernel's. NULL: that. */
	int64_t (*client_id)(void *arg, int64_t tid);
	void *arg;
};

/* Zeroed before, but for what the caller sets: looked, attached, arg, service.event and its arg. */
void target_init(struct target *t, struct loop *loop, const char *uri, const char *token_file);
/* Those who wait are told: there will be nothing. */
void target_close(struct target *t);

/* Make it a target: target.attach, target.open_core or target.launch with @params, which are taken. */
void target_attach(struct target *t, const char *method, struct json_object *params);

/*
 * Make it a target once more, as it was done before, because it could not be done, or because @error says that the
 * process has become another. False: it says something else, or that was so the last time, too.
 */
bool target_attach_anew(struct target *t, struct json_object *error);
/* Whether @error says that there is no such process any more. */
bool target_is_gone(struct json_object *error);

/* Look anew: what is known is of the past. */
void target_look(struct target *t);
/* Put the control variables of all tasks into the view of what stands, and call @done; also when they cannot be had. */
void target_look_at_icvs(struct target *t, target_fn *done, void *arg);
/* What is known is of the past, and nobody needs anything else now. */
void target_forget(struct target *t);

/* Call @done when neither attaching nor a look is under way any more, or after @ms; at once when none is. */
void target_wait(struct target *t, int ms, target_fn *done, void *arg);

/* service_call() with the target's id as `target` in @params. */
void target_call(struct target *t, const char *method, struct json_object *params, service_fn *done, void *arg);

#endif
