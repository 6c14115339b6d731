/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process in ompdd: attached once, and sampled at each stop or on request. */
#ifndef OMPDD_DAP_TARGET_H
#define OMPDD_DAP_TARGET_H

#include "service.h"
#include "view.h"

/* Callbacks that wait until it is attached and sampled. */
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
	const char *stacks; /* for snapshot.get: "none", "regions" */
	bool is_lean;	    /* samples leave out the control variables of tasks; target_look_at_icvs() gets them */
	enum target_state state;
	char *id;
	char *why;		    /* TARGET_FAILED: the reason, for the user */
	char *method;		    /* how it was attached, for another attempt */
	struct json_object *params; /* its params */
	struct json_object *info;   /* its result */
	struct view *view;	    /* of the last successful sample; NULL */
	uint64_t looks;		    /* number of the last sample that was started */
	bool is_looking, wants_look, was_anew;
	uint64_t anew_timer; /* 0, or the time to attach with another worker */
	bool is_fresh;	     /* the view is of the present stop */
	struct target_waiter *waiters[TARGET_MAX_WAITERS];
	size_t n_waiters;
	/* Called when a sample is complete, before the waiting callbacks. May be NULL. */
	target_fn *looked;
	/* Called when state has become TARGET_READY or TARGET_FAILED. */
	target_fn *attached;
	/* Converts a kernel thread id into the client's. NULL: they are equal. */
	int64_t (*client_id)(void *arg, int64_t tid);
	void *arg;
};

/* Prepare @t, which the caller has zeroed except for: looked, attached, arg, service.event and its arg. */
void target_init(struct target *t, struct loop *loop, const char *uri, const char *token_file);
/* Close the target, and call the waiting callbacks: no result will come. */
void target_close(struct target *t);

/* Create the target: target.attach, target.open_core or target.launch with @params. Takes ownership of @params. */
void target_attach(struct target *t, const char *method, struct json_object *params);

/*
 * Attach once more, as before, because attaching failed, or because @error says that the process called exec().
 * Returns false if @error says something else, or if that was also so the last time.
 */
bool target_attach_anew(struct target *t, struct json_object *error);
/* Return whether @error says that the process no longer exists. */
bool target_is_gone(struct json_object *error);

/* Sample again: the current view is outdated. */
void target_look(struct target *t);
/* Put the control variables of all tasks into the current view, and call @done, also after a failure. */
void target_look_at_icvs(struct target *t, target_fn *done, void *arg);
/* Note that the current view is outdated, without a new sample. */
void target_forget(struct target *t);

/* Call @done when neither attaching nor a sample is in progress, or after @ms milliseconds; at once if neither is. */
void target_wait(struct target *t, int ms, target_fn *done, void *arg);

/* Call service_call() with the target's id as `target` in @params. */
void target_call(struct target *t, const char *method, struct json_object *params, service_fn *done, void *arg);

#endif
