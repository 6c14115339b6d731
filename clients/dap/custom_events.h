/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events that are not part of DAP, in all modes. A client that has sent one of our requests in this session gets an
 * event of the same name when the result changes. Other clients, which may not know these events, get none.
 */
#ifndef OMPDD_DAP_CUSTOM_EVENTS_H
#define OMPDD_DAP_CUSTOM_EVENTS_H

#include "client.h"
#include "debuggee.h"

/* Interval between two reports on the progress of a profile. */
#define CUSTOM_PROFILE_MS 1000

struct custom_events {
	struct dap_client *client;
	struct debuggee *target;
	bool wants_tree;
	uint64_t sample; /* the sample of the target that was reported last */
	size_t n_named;	 /* number of its regions with a known function */
	bool has_verdict;
	uint64_t timer; /* 0, or the next request for the profile */
};

/* Note that our @request was answered with @result. */
void custom_events_answered(struct custom_events *e, struct json_object *request, struct json_object *result);

/* Send `ompdd/tree`: the target has been sampled, or more is known about the sample. */
void custom_events_sampled(struct custom_events *e);
/* Send `ompdd/why` if a verdict was requested since the last one: the program was resumed, or is sampled again. */
void custom_events_ran(struct custom_events *e);

/* Stop sending events. */
void custom_events_close(struct custom_events *e);

#endif
