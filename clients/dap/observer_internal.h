/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declarations shared by the parts of the observer. Each observer_*.c answers some requests. */
#ifndef OMPDD_DAP_OBSERVER_INTERNAL_H
#define OMPDD_DAP_OBSERVER_INTERNAL_H

#include "events.h"
#include "observer.h"
#include "debuggee.h"
#include "variables.h"

/* Frames per sample that are remembered. */
#define OBSERVER_MAX_FRAMES 200000
/* Breakpoints per session. */
#define OBSERVER_MAX_BREAKPOINTS 512

/* The thread and task of a frame. */
struct observed_frame {
	int64_t tid;
	size_t task;
};

/* One of ompdd's breakpoints, and the client's list that it is from. */
struct observer_breakpoint {
	int64_t number;
	char *list; /* "functions", "filters", or the path of a source; owned */
	int event;  /* EVENTS_NONE: a line or a function */
};

struct observer {
	struct dap_session *s;
	struct debuggee target;
	bool has_target, stops, is_core, is_launch, stop_on_entry;
	bool is_shown;		       /* the client treats it as stopped, and shows one sample */
	bool is_held;		       /* mode stop: it is stopped */
	bool is_configured;	       /* the client has finished its configuration, and may be notified of stops */
	int64_t stepping;	       /* the thread that steps; 0: none */
	bool is_over;		       /* it has exited, or can no longer be examined */
	struct json_object *beginning; /* the launch or attach that waits; owned */
	struct variables variables;
	struct observed_frame *frames; /* frame i has id i + 1 */
	size_t n_frames, cap_frames;
	struct observer_breakpoint breakpoints[OBSERVER_MAX_BREAKPOINTS];
	size_t n_breakpoints;
	struct watch output; /* output of a launched program */
	int output_write;    /* the end that it opens; -1 */
};

/* A client's request that waits for ompdd's answer. */
struct observer_asked {
	struct observer *o;
	struct json_object *request; /* owned */
};

struct observer_asked *observer_ask(struct observer *o, struct json_object *request);
void observer_asked_destroy(struct observer_asked *a);
/* A service_fn that answers with an empty body, or with the error's text. @arg: an observer_asked, which it frees. */
void observer_done(void *arg, struct json_object *result, struct json_object *error);

/* Forget all frames and variables of the client: their ids become invalid. */
void observer_forget(struct observer *o);
/* Sample the process, and then report to the client that it is stopped, with @body. Takes ownership of @body. */
void observer_show(struct observer *o, struct json_object *body);
struct json_object *observer_stopped_body(const char *reason, const char *description, int64_t tid);

/* observer_stacks.c */
void observer_stack_trace(struct observer *o, struct json_object *request);
void observer_scopes(struct observer *o, struct json_object *request);
void observer_variables(struct observer *o, struct json_object *request);

/* observer_control.c */
void observer_pause(struct observer *o, struct json_object *request);
void observer_continue(struct observer *o, struct json_object *request);
void observer_step(struct observer *o, struct json_object *request);
void observer_step_in_targets(struct observer *o, struct json_object *request);
/* Handle an event of ompdd about the target. */
void observer_event(void *arg, struct json_object *params);

/* observer_breakpoints.c */
void observer_set_breakpoints(struct observer *o, struct json_object *request);
const struct observer_breakpoint *observer_breakpoint(const struct observer *o, int64_t number);
void observer_drop_breakpoints(struct observer *o);

/* observer_launch.c: return parameters of target.launch; NULL: @request is refused. */
struct json_object *observer_launch_params(struct observer *o, struct json_object *request);
void observer_launched(struct observer *o);
void observer_close_output(struct observer *o);

#endif
