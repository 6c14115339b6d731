/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's `stackTrace` requests, which wait for the view and for the stacks of several threads. */
#ifndef OMPDD_DAP_STACK_TRACES_H
#define OMPDD_DAP_STACK_TRACES_H

#include "frame_scopes.h"
#include "native_stacks.h"

struct stack_trace;

struct stack_traces {
	struct dap_client *client;
	struct adapter *adapter;
	struct debuggee *target;
	struct thread_ids *ids;
	struct native_stacks *stacks;
	struct frame_scopes *scopes;
	struct stack_trace *first; /* list, owned */
};

void stack_traces_request(struct stack_traces *t, struct json_object *request);

/* Continue the requests that waited for a stack, or for the ids of threads. */
void stack_traces_continue(struct stack_traces *t);
void stack_traces_ids_known(struct stack_traces *t);

/* Drop all requests at the end, without answers. */
void stack_traces_drop(struct stack_traces *t);

#endif
