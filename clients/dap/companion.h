/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The companion is between a client and the native adapter. It passes on all messages, and adds what OpenMP knows. Each
 * of its parts adds one thing, and knows nothing of the companion.
 */
#ifndef OMPDD_DAP_COMPANION_H
#define OMPDD_DAP_COMPANION_H

#include "event_breakpoints.h"
#include "scope_requests.h"
#include "stack_traces.h"
#include "steps.h"
#include "thread_lists.h"

struct companion {
	struct dap_client *client;
	struct adapter adapter;
	struct debuggee target;
	struct thread_ids ids;
	struct native_stacks stacks;
	struct frame_scopes scopes;
	struct scope_requests scope_requests;
	struct stack_traces traces;
	struct thread_lists lists;
	struct planted_events planted;
	struct event_breakpoints breakpoints;
	struct steps steps;
	struct custom_events custom;
	struct json_object *begins; /* launch or attach that waits for the native adapter's first answer; owned */
	/* Called when the native adapter has answered, or failed, after companion_begin(). */
	void (*started)(void *arg);
	/* Called when the native adapter has exited, and the session is over. */
	void (*ended)(void *arg);
	void *arg;
};

/* Connect the parts. The caller sets started, ended and arg. */
void companion_init(struct companion *c, struct dap_client *client);
void companion_deinit(struct companion *c);

/*
 * Start the native adapter for this `launch` or `attach`: the one that "nativeAdapter" requests; NULL: that of
 * --native, or an installed one. Report its capabilities to the client, then forward the request.
 */
void companion_begin(struct companion *c, struct json_object *choice, struct json_object *request);
/* Return whether the native adapter is starting. Until started() is called, requests must wait. */
bool companion_is_starting(const struct companion *c);
/* Handle a request of the client. */
void companion_request(struct companion *c, struct json_object *request);

#endif
