/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The companion is between a client and the native adapter. It passes on all messages, and adds what OpenMP knows.
 * Each of the companion_*.c files adds one thing.
 */
#ifndef OMPDD_DAP_COMPANION_H
#define OMPDD_DAP_COMPANION_H

#include "companion_steps.h"
#include "events.h"
#include "frames.h"
#include "native.h"
#include "relay.h"
#include "session.h"
#include "debuggee.h"
#include "variables.h"

/* Frames per native stack that are examined. A deeper stack is passed on unchanged. */
#define COMPANION_MAX_FRAMES 512
/* Frames per stop whose threads are remembered. */
#define COMPANION_MAX_NOTED 200000
/* Regions per stop whose functions are looked up. */
#define COMPANION_MAX_NAMED 8

/* The native stack of a thread at this stop. */
struct companion_stack {
	int64_t tid;
	struct json_object *response; /* owned; NULL: it was requested */
	bool is_over;		      /* its stop is over, so the response is not needed */
	struct companion *companion;
};

/* The thread and task of a frame. */
struct companion_frame {
	int64_t id;
	int64_t tid;
	size_t task; /* in the view; OVERVIEW_NONE: not known */
};

struct companion {
	struct dap_session *s;
	struct native native;
	bool has_native;
	bool has_left;		    /* it has answered `disconnect`, and no longer holds a program */
	char *native_why;	    /* why there is no native adapter */
	struct json_object *begins; /* launch or attach that waits for the native adapter's first answer; owned */
	struct json_object *early;  /* array of the requests after that; owned; NULL: none */
	struct relay relay;
	struct json_object *capabilities; /* of the native adapter */
	struct debuggee target;
	bool has_target, is_launch;
	int64_t pid;
	bool is_stopped;
	uint64_t stop;	      /* counts stops and resumes */
	uint64_t asked_again; /* the stop at which the list of threads was too short, and requested again */
	struct companion_stack **stacks;
	size_t n_stacks;
	struct companion_frame *frames; /* of this stop */
	size_t n_frames, cap_frames;
	struct companion_frame *labels; /* label i has id MESSAGE_OWN_IDS + i */
	size_t n_labels, cap_labels;
	struct variables variables;
	struct companion_job *jobs;  /* stacks under construction */
	struct companion_held *held; /* lists of threads that wait for their names */
	size_t n_naming;	     /* stacks requested for names */
	bool was_nameless;	     /* a list was sent without names */
	uint64_t quiet_timer;	     /* 0, or names are requested when it expires, unless the client sends a request */
	int64_t asked_ms;	     /* loop_now_ms() of the client's last request */
	struct json_object *ids;     /* [native id, kernel id] of each thread, if they differ; owned */
	size_t n_asked_ids;	     /* requests for ids that the native adapter has not answered */
	struct events events;
	struct steps steps;
};

void companion_init(struct companion *c, struct dap_session *s);
void companion_deinit(struct companion *c);

/* Handle a request of the client. */
void companion_request(struct companion *c, struct json_object *request);

/* Forward the client's `launch` or `attach`, without our own settings. */
void companion_begin(struct companion *c, struct json_object *request);

/* Note that the process has stopped, as @event says, or runs: knowledge of an earlier stop is discarded. */
void companion_stopped(struct companion *c, struct json_object *event);
void companion_ran(struct companion *c);
/* Note that the debugged process is known: it becomes the target. */
void companion_found_process(struct companion *c, int64_t pid);
bool companion_native_can(const struct companion *c, const char *what);
/* Return how long an answer to the client may be delayed for our additions, in milliseconds. */
int companion_patience(const struct companion *c);

/* companion_native.c */
/*
 * Start the native adapter for this `launch` or `attach`: the one that "nativeAdapter" requests; NULL: that of
 * --native, or an installed one. Report its capabilities to the client, then call companion_begin().
 */
void companion_choose_native(struct companion *c, struct json_object *wish, struct json_object *request);
/* Return whether @request is held until the native adapter has started. The order of requests is preserved. */
bool companion_holds(struct companion *c, struct json_object *request);
/* Read the messages of c->native, which is open. */
void companion_listen(struct companion *c);
/* Drop the unanswered requests to the native adapter. Our own requests have data to free. */
void companion_drop_questions(struct companion *c);
/* Pass on the client's response to a request of the native adapter. */
void companion_response(struct companion *c, struct json_object *response);
/* Send @request of the client to the native adapter. */
void companion_forward(struct companion *c, struct json_object *request, relay_fn *done);
/* Send it with other @arguments, and take ownership of those. Returns false if it was refused; then @done is not
 * called. */
bool companion_forward_changed(struct companion *c, struct json_object *request, struct json_object *arguments,
			       relay_fn *done);
void companion_ask(struct companion *c, const char *command, struct json_object *arguments, relay_fn *done, void *arg);
/* Pass a native response on to the client as the answer to @request. */
void companion_pass(struct companion *c, struct json_object *request, struct json_object *response);

/* companion_ids.c */
/* Convert between the native adapter's thread @id and the kernel's id; -1: not known. */
int64_t companion_tid(const struct companion *c, int64_t id);
int64_t companion_id(const struct companion *c, int64_t tid);
/* The process has stopped: request the ids of threads, if the native adapter has its own. */
void companion_ask_ids(struct companion *c);
void companion_forget_ids(struct companion *c);

/* companion_threads.c */
void companion_threads(struct companion *c, struct json_object *request);
/* Find the functions of regions in the known stacks; companion_name_regions() also requests missing stacks. */
void companion_learn_names(struct companion *c);
void companion_name_regions(struct companion *c);
/* companion_stacks.c */
void companion_stack_trace(struct companion *c, struct json_object *request);
void companion_need_stack(struct companion *c, int64_t tid);
/* Return the frames of a stack that has arrived; otherwise NULL. */
struct json_object *companion_frames_of(const struct companion *c, int64_t tid, bool *is_there_ret);
void companion_stack_came(struct companion *c);
/* Continue the jobs that waited for the ids of threads. */
void companion_ids_came(struct companion *c);
void companion_forget_stacks(struct companion *c);
/* Drop all jobs at the end, without answers. */
void companion_drop_jobs(struct companion *c);
void companion_drop_held(struct companion *c);
/* companion_scopes.c */
void companion_scopes(struct companion *c, struct json_object *request);
void companion_variables(struct companion *c, struct json_object *request);
const struct companion_frame *companion_label(const struct companion *c, int64_t id);
/* companion_events.c */
/* Store the numbers of the native breakpoints in the @body of a `stopped`, at most @max. Returns their number. */
size_t companion_hit_ids(struct json_object *body, int64_t *ids, size_t max);
void companion_set_function_breakpoints(struct companion *c, struct json_object *request);
void companion_set_exception_breakpoints(struct companion *c, struct json_object *request);
/* Before the program runs, make sure that events can be planted once its runtime is loaded. */
void companion_arm(struct companion *c);
/* Return whether this `stopped` is only for us, so that the client does not get it. Otherwise @event may be
 * extended. */
bool companion_is_own_stop(struct companion *c, struct json_object *event);
/* companion_plant.c */
void companion_set_instruction_breakpoints(struct companion *c, struct json_object *request);
/* Return whether the native adapter accepts addresses. */
bool companion_can_plant(const struct companion *c);
/* Plant the missing breakpoints, if the runtime is loaded. A stop that is only for that ends afterwards. */
void companion_plant(struct companion *c);
/* Return DAP's `Breakpoint` of a requested event; EVENTS_NONE: an unknown event. The caller owns it. */
struct json_object *companion_breakpoint_of(const struct companion *c, enum events_wish wish, int event);

#endif
