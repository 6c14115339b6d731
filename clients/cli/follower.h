/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who follows a target: its session, where is written, and how far it is. */
#ifndef OMPDD_CLI_FOLLOWER_H
#define OMPDD_CLI_FOLLOWER_H

#include <stdint.h>

#include "follow.h"

struct json_object;

struct follower {
	struct session *s;
	const struct style *style;
	follow_write *write;
	int gone;	    /* who read what is written */
	struct text out;    /* what is to be written next; owned */
	const char *target; /* that is followed; NULL: all */
	int64_t breakpoints[ARGS_MAX_PLACES];
	size_t n_breakpoints;
	int64_t here; /* the breakpoint at which the program stands since its launch; 0: none */
	long n;	      /* events that were printed, or hits that were told */
};

/* Write what is in @f->out, and empty it. */
struct failure *follower_flush(struct follower *f);

/* {"target"}, which the caller may add to. */
struct json_object *follower_params(const struct follower *f);

/* Call @method, which takes @params, for what it does: nothing of its answer is wanted. */
struct failure *follower_call(struct follower *f, const char *method, struct json_object *params);
/* The same with the target alone, at the end, whatever came of the rest: the first failure is the one to tell. */
struct failure *follower_call_last(struct follower *f, const char *method, struct failure *failure);
struct failure *follower_resume(struct follower *f);

/* Wait for the next event of the target, which the caller owns. */
struct failure *follower_next_event(struct follower *f, struct json_object **ret);
/* Whether @event is of one of the @types, which end with NULL. */
int follower_is_one_of(struct json_object *event, const char *const *types);
/* Whether nothing more happens to the target after it. */
int follower_is_last(struct json_object *event);

/* "4711 runs on": of a program that was launched for this command. */
struct failure *follower_say_runs_on(struct follower *f);

#endif
