/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process in ompdd: attached once, and sampled at each stop or on request. */
#ifndef OMPDD_DAP_DEBUGGEE_H
#define OMPDD_DAP_DEBUGGEE_H

#include "service.h"
#include "view.h"

/* Callbacks that wait until it is attached and sampled. */
#define DEBUGGEE_MAX_WAITERS 256

enum debuggee_state { DEBUGGEE_NONE, DEBUGGEE_ATTACHING, DEBUGGEE_READY, DEBUGGEE_FAILED };

typedef void debuggee_fn(void *arg);

struct debuggee_waiter {
	struct debuggee *target;
	uint64_t timer;
	debuggee_fn *done;
	void *arg;
};

struct debuggee {
	struct service service;
	struct loop *loop;
	const char *stacks; /* for view.get: "none", "regions" */
	int64_t pid;	    /* beside a native adapter: of the process that it debugs; 0: not known */
	bool is_stopped;    /* as the native adapter says */
	uint64_t stop;	    /* counts stops and resumes */
	enum debuggee_state state;
	char *id;
	char *why;		    /* DEBUGGEE_FAILED: the reason, for the user */
	char *method;		    /* how it was attached, for another attempt */
	struct json_object *params; /* its params */
	struct json_object *info;   /* its result */
	struct json_object *names;  /* result of runtime.names */
	struct view *view;	    /* of the last successful sample; NULL */
	uint64_t n_samples;	    /* number of the last sample that was started */
	bool is_sampling, wants_sample, was_anew;
	uint64_t anew_timer; /* 0, or the time to attach with another worker */
	bool is_fresh;	     /* the view is of the present stop */
	struct debuggee_waiter *waiters[DEBUGGEE_MAX_WAITERS];
	size_t n_waiters;
	/* Called when a sample is complete, before the waiting callbacks. May be NULL. */
	debuggee_fn *sampled;
	/* Called when state has become DEBUGGEE_READY or DEBUGGEE_FAILED. */
	debuggee_fn *attached;
	void *arg;
};

/* Open the service. The caller sets sampled, attached, arg, service.event and its arg before. */
void debuggee_init(struct debuggee *t, struct loop *loop, const char *uri, const char *token_file);
bool debuggee_is_open(const struct debuggee *t);
/* Close the target, and call the waiting callbacks: no result will come. */
void debuggee_close(struct debuggee *t);

/* Create the target: target.attach, target.open_core or target.launch with @params. Takes ownership of @params. */
void debuggee_attach(struct debuggee *t, const char *method, struct json_object *params);

/*
 * Attach once more, as before, because attaching failed, or because @error says that the process called exec().
 * Returns false if @error says something else, or if that was also so the last time.
 */
bool debuggee_attach_anew(struct debuggee *t, struct json_object *error);
/* Return whether @error says that the process no longer exists. */
bool debuggee_is_gone(struct json_object *error);

/* Sample again: the current view is outdated. */
void debuggee_sample(struct debuggee *t);
/* Request a sample with these @stacks, without making it the current view: a result for view_create(). */
void debuggee_request_sample(struct debuggee *t, const char *stacks, service_fn *done, void *arg);
/* Put the control variables of all tasks into the current view, and call @done, also after a failure. */
void debuggee_request_icvs(struct debuggee *t, debuggee_fn *done, void *arg);
/* Note that the process has stopped, and sample it. */
void debuggee_stopped(struct debuggee *t);
/* Note that the process runs: the current view is outdated. */
void debuggee_ran(struct debuggee *t);
/* Return the view of the present stop; NULL: none yet. */
struct view *debuggee_view(const struct debuggee *t);

/* Call @done when neither attaching nor a sample is in progress, or after @ms milliseconds; at once if neither is. */
void debuggee_wait(struct debuggee *t, int ms, debuggee_fn *done, void *arg);

/* Call service_call() with the target's id as `target` in @params. */
void debuggee_call(struct debuggee *t, const char *method, struct json_object *params, service_fn *done, void *arg);

#endif
