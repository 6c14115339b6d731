/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Between a client and the native adapter: all goes through, and what OpenMP knows is added. Each of the companion_*.c
 * files adds one thing.
 */
#ifndef OMPDD_DAP_COMPANION_H
#define OMPDD_DAP_COMPANION_H

#include "companion_steps.h"
#include "events.h"
#include "frames.h"
#include "native.h"
#include "relay.h"
#include "session.h"
#include "target.h"
#include "variables.h"

/* Frames of one native stack that are looked at: a deeper one is passed on as it is. */
#define COMPANION_MAX_FRAMES 512
/* Frames of one stop whose threads are remembered. */
#define COMPANION_MAX_NOTED 200000
/* Regions whose functions are looked for at one stop. */
#define COMPANION_MAX_NAMED 8

/* The native stack of a thread at this stop. */
struct companion_stack {
	int64_t tid;
	struct json_object *response; /* owned; NULL: it was asked for */
	bool is_over;		      /* the stop is, so nobody wants it any more */
	struct companion *companion;
};

/* What a frame is of. */
struct companion_frame {
	int64_t id;
	int64_t tid;
	size_t task; /* in the view; SNAPSHOT_NONE: not known */
};

struct companion {
	struct session *s;
	struct native native;
	bool has_native;
	bool has_left;		    /* it has answered `disconnect`: it holds no program any more */
	char *native_why;	    /* why there is none */
	struct json_object *begins; /* the launch or attach that waits for the native adapter's first answer; owned */
	struct json_object *early;  /* array of the requests behind that; owned; NULL: none */
	struct relay relay;
	struct json_object *capabilities; /* the native adapter's */
	struct target target;
	bool has_target, is_launch;
	int64_t pid;
	bool is_stopped;
	uint64_t stop;	      /* counts stops and resumes */
	uint64_t asked_again; /* the stop at which a list of threads was too short, and asked for once more */
	struct companion_stack **stacks;
	size_t n_stacks;
	struct companion_frame *frames; /* of this stop */
	size_t n_frames, cap_frames;
	struct companion_frame *labels; /* id MESSAGE_OWN_IDS + i */
	size_t n_labels, cap_labels;
	struct variables variables;
	struct companion_job *jobs;  /* stacks that are being put together */
	struct companion_held *held; /* lists of threads that wait for their names */
	size_t n_naming;	     /* stacks that are under way for names */
	bool was_nameless;	     /* a list has gone without */
	uint64_t quiet_timer;	     /* 0, or when names are asked for if the client asks nothing else */
	int64_t asked_ms;	     /* loop_now_ms() of its last request */
	struct json_object *ids;     /* [its id, the kernel's] of each thread, where they differ; owned */
	size_t n_asked_ids;	     /* times that it was asked for them and has not answered */
	struct events events;
	struct steps steps;
};

void companion_init(struct companion *c, struct session *s);
void companion_deinit(struct companion *c);

/* A request of the client's. */
void companion_request(struct companion *c, struct json_object *request);

/* The client's `launch` or `attach`, without what is meant for us. */
void companion_begin(struct companion *c, struct json_object *request);

/* It has stopped, as @event says; it runs: what is known is of the past. */
void companion_stopped(struct companion *c, struct json_object *event);
void companion_ran(struct companion *c);
/* The process that is debugged is known: it is the target. */
void companion_found_process(struct companion *c, int64_t pid);
bool companion_native_can(const struct companion *c, const char *what);
/* How long a client is let wait for what is added. */
int companion_patience(const struct companion *c);

/* companion_native.c */
/*
 * Start the native adapter for this `launch` or `attach`: that of @wish ("nativeAdapter"; NULL: of --native, else one
 * that is installed). The client is told what it can do; then companion_begin().
 */
void companion_choose_native(struct companion *c, struct json_object *wish, struct json_object *request);
/* Whether @request waits until the native adapter has begun: the order of requests stays as it was. */
bool companion_holds(struct companion *c, struct json_object *request);
/* c->native is open: read what it sends. */
void companion_listen(struct companion *c);
/* What it was asked and will not answer any more: our own questions have something to free. */
void companion_drop_questions(struct companion *c);
/* The client's answer to a request of the native adapter's. */
void companion_response(struct companion *c, struct json_object *response);
/* Send to the native adapter: what the client asked, or something of our own (@request NULL, @message taken). */
void companion_forward(struct companion *c, struct json_object *request, relay_fn *done);
/* The same with other arguments, which are taken. False: it was refused, and @done will not be called. */
bool companion_forward_changed(struct companion *c, struct json_object *request, struct json_object *arguments,
			       relay_fn *done);
void companion_ask(struct companion *c, const char *command, struct json_object *arguments, relay_fn *done, void *arg);
/* Pass a native response on to the client as the answer to @request. */
void companion_pass(struct companion *c, struct json_object *request, struct json_object *response);

/* companion_ids.c */
/* The kernel's id of the native adapter's thread @id, and the other way; -1: not known. */
int64_t companion_tid(const struct companion *c, int64_t id);
int64_t companion_id(const struct companion *c, int64_t tid);
/* It has stopped: ask which is which, where that must be asked. */
void companion_ask_ids(struct companion *c);
void companion_forget_ids(struct companion *c);

/* companion_threads.c */
void companion_threads(struct companion *c, struct json_object *request);
/* The functions of regions, by the stacks that are there; the same, and ask for those that are not. */
void companion_learn_names(struct companion *c);
void companion_name_regions(struct companion *c);
/* companion_stacks.c */
void companion_stack_trace(struct companion *c, struct json_object *request);
void companion_need_stack(struct companion *c, int64_t tid);
/* The frames of a stack that is there; NULL. */
struct json_object *companion_frames_of(const struct companion *c, int64_t tid, bool *is_there_ret);
void companion_stack_came(struct companion *c);
/* Those who waited for the ids of threads go on. */
void companion_ids_came(struct companion *c);
void companion_forget_stacks(struct companion *c);
/* At the end: nobody is answered any more. */
void companion_drop_jobs(struct companion *c);
void companion_drop_held(struct companion *c);
/* companion_scopes.c */
void companion_scopes(struct companion *c, struct json_object *request);
void companion_variables(struct companion *c, struct json_object *request);
const struct companion_frame *companion_label(const struct companion *c, int64_t id);
/* companion_events.c */
/* The numbers of the native breakpoints that the @body of a `stopped` tells of, at most @max. */
size_t companion_hit_ids(struct json_object *body, int64_t *ids, size_t max);
void companion_set_function_breakpoints(struct companion *c, struct json_object *request);
void companion_set_exception_breakpoints(struct companion *c, struct json_object *request);
/* Before the program runs: see to it that events can be planted when it has its runtime. */
void companion_arm(struct companion *c);
/* Whether this `stopped` is for ourselves: the client is not told. Else @event may be made say more. */
bool companion_is_own_stop(struct companion *c, struct json_object *event);
/* companion_plant.c */
void companion_set_instruction_breakpoints(struct companion *c, struct json_object *request);
/* Whether the native adapter can be given addresses. */
bool companion_can_plant(const struct companion *c);
/* Plant what is not planted yet, if the runtime is there; a stop that is for that alone ends then. */
void companion_plant(struct companion *c);
/* The `Breakpoint` of DAP of an event that was asked for so; EVENTS_NONE: one that there is not. The caller owns it. */
struct json_object *companion_breakpoint_of(const struct companion *c, enum events_wish wish, int event);

#endif
