/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The observer, an adapter without a native adapter: ompdd alone examines a process or a core; in mode stop it also
 * stops the process. */
#ifndef OMPDD_DAP_OBSERVER_H
#define OMPDD_DAP_OBSERVER_H

#include "launched_program.h"
#include "observer_control.h"

struct observer {
	struct dap_client *client;
	struct debuggee target;
	struct frame_scopes scopes;
	struct custom_events custom;
	struct breakpoint_lists breakpoints;
	struct launched_program program;
	struct observer_control control;
	bool is_launch, stop_on_entry;
	struct json_object *beginning; /* the launch or attach that waits; owned */
};

void observer_init(struct observer *o, struct dap_client *client);
void observer_deinit(struct observer *o);

/* Return whether a `launch` or `attach` requests mode stop. */
bool observer_stops(struct json_object *request);
/* Handle the client's `launch` or `attach`; after that observer_request() handles all other requests. */
void observer_begin(struct observer *o, struct json_object *request);
void observer_request(struct observer *o, struct json_object *request);

#endif
