/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events that are not DAP's, in all modes. A client that has made a request of ours in this session is told by an event
 * of the same name when there is something else to be had; others, who might not know what to make of it, are not.
 */
#ifndef OMPDD_DAP_CUSTOM_EVENTS_H
#define OMPDD_DAP_CUSTOM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;
struct session;
struct target;

/* How often a client is told how far a profile is. */
#define CUSTOM_PROFILE_MS 1000

struct custom_events {
	bool wants_tree;
	uint64_t look;	/* of the target's, that was told last */
	size_t n_named; /* its regions whose functions were known */
	bool has_verdict;
	struct session *s; /* of the timer */
	struct target *t;
	uint64_t timer; /* 0, or when a profile is asked for */
};

/* @request of ours about @t was answered with @result. */
void custom_events_answered(struct session *s, struct target *t, struct json_object *request,
			    struct json_object *result);

/* The target has been looked at, or more is known of what was seen: `ompdd/tree`. */
void custom_events_looked(struct session *s, const struct target *t);
/* What stood has gone on, or is looked at anew: `ompdd/why`, if a verdict was asked for since the last one. */
void custom_events_ran(struct session *s);

/* Nobody is told any more. */
void custom_events_close(struct session *s);

#endif
