/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The client's lists of breakpoints that may name OpenMP events, and the stop in main(). A program that is being
 * started has no runtime yet. The stop in main(), which the client does not see, lasts until the requested events are
 * planted.
 */
#ifndef OMPDD_DAP_EVENT_BREAKPOINTS_H
#define OMPDD_DAP_EVENT_BREAKPOINTS_H

#include "planted_events.h"

struct event_breakpoints {
	struct dap_client *client;
	struct adapter *adapter;
	struct events wanted;
	struct planted_events *planted;
	struct json_object *client_functions; /* arguments of the client's own function breakpoints; owned */
	bool is_launch;			      /* the program is started, not attached to */
	bool is_armed, was_in_main;
	int64_t main_id; /* the native adapter's number of our breakpoint in main(); 0: not known */
};

void event_breakpoints_set_functions(struct event_breakpoints *b, struct json_object *request);
void event_breakpoints_set_exceptions(struct event_breakpoints *b, struct json_object *request);

/* Before the program runs, make sure that events can be planted once its runtime is loaded. */
void event_breakpoints_arm(struct event_breakpoints *b);
/* Return whether this `stopped` is only for us, so that the client does not get it. Otherwise the body of @event may be
 * extended. */
bool event_breakpoints_take_stop(struct event_breakpoints *b, struct json_object *event);
void event_breakpoints_deinit(struct event_breakpoints *b);

#endif
