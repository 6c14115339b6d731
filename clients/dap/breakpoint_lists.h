/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's lists of breakpoints as ompdd's own breakpoints. */
#ifndef OMPDD_DAP_BREAKPOINT_LISTS_H
#define OMPDD_DAP_BREAKPOINT_LISTS_H

#include "client.h"
#include "debuggee.h"

/* Breakpoints per session. */
#define BREAKPOINT_LISTS_MAX 512

/* One of ompdd's breakpoints, and the client's list that it is from. */
struct listed_breakpoint {
	int64_t number;
	char *list; /* "functions", "filters", or the path of a source; owned */
	int event;  /* EVENTS_NONE: a line or a function */
};

struct breakpoint_lists {
	struct dap_client *client;
	struct debuggee *target;
	bool are_possible; /* ompdd may stop the process */
	struct listed_breakpoint breakpoints[BREAKPOINT_LISTS_MAX];
	size_t n;
};

/* Handle the request for one list: it is answered when each of its breakpoints is set. */
void breakpoint_lists_set(struct breakpoint_lists *b, struct json_object *request);

/* Return DAP's body of `stopped` for thread @tid at ompdd's breakpoint @number. The caller owns it. */
struct json_object *breakpoint_lists_stopped_body(const struct breakpoint_lists *b, int64_t number, int64_t tid);
void breakpoint_lists_deinit(struct breakpoint_lists *b);

#endif
