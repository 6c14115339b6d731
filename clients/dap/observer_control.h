/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pausing, resuming and stepping, by ompdd itself in mode stop. In mode observe a pause is a sample. */
#ifndef OMPDD_DAP_OBSERVER_CONTROL_H
#define OMPDD_DAP_OBSERVER_CONTROL_H

#include "breakpoint_lists.h"
#include "custom_events.h"
#include "frame_scopes.h"

struct observer_control {
	struct dap_client *client;
	struct debuggee *target;
	struct frame_scopes *scopes;
	struct custom_events *custom;
	const struct breakpoint_lists *breakpoints;
	bool stops, is_core; /* mode stop; a core file. Otherwise mode observe */
	bool is_shown;	     /* the client treats it as stopped, and shows one sample */
	bool is_held;	     /* mode stop: it is stopped */
	bool is_configured;  /* the client has finished its configuration, and may be notified of stops */
	bool is_over;	     /* it has exited, or can no longer be examined */
	int64_t stepping;    /* the thread that steps; 0: none */
};

/* Requests of the client. */
void observer_control_pause(struct observer_control *c, struct json_object *request);
void observer_control_continue(struct observer_control *c, struct json_object *request);
void observer_control_step(struct observer_control *c, struct json_object *request);
void observer_control_list_step_targets(struct observer_control *c, struct json_object *request);

/* Show the first sample of a process or core file that was opened. */
void observer_control_show_first(struct observer_control *c);
/* The program was launched and is held in main(): show it, or resume it. */
void observer_control_launched(struct observer_control *c, bool stop_on_entry);
/* Handle an event of ompdd about the target. @arg: the control. */
void observer_control_event(void *arg, struct json_object *params);

#endif
