/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a command that follows a target: its session, its output and its progress. */
#ifndef OMPDD_CLI_FOLLOWER_H
#define OMPDD_CLI_FOLLOWER_H

#include <stdint.h>

#include "follow.h"

struct json_object;

struct follower {
	struct conversation *s;
	const struct style *style;
	follow_write *write;
	int gone;	    /* the reader of the output has exited */
	struct buf out;	    /* output not yet written; owned */
	const char *target; /* the followed target; NULL: all */
	long pid;	    /* its process, if each line is to name it; 0: the lines name none */
	long n;		    /* printed events or hits */
};

/* Subscribe to the events of @f->target, which must exist; without a target, to all events. */
struct error *follower_subscribe(struct follower *f);

/* Append "process 4711, " if lines are to name the process. */
void follower_name_process(struct follower *f);

/* Write the contents of @f->out, and empty it. */
struct error *follower_flush(struct follower *f);

/* Return the params {"target"}, to which the caller may add. The caller owns them. */
struct json_object *follower_params(const struct follower *f);

/* Call @method and ignore its result. Takes ownership of @params. */
struct error *follower_call(struct follower *f, const char *method, struct json_object *params);
/* Call @method with only the target as params, as a last step after @failure, which may be NULL. Returns the first
 * failure. */
struct error *follower_call_last(struct follower *f, const char *method, struct error *failure);
struct error *follower_resume(struct follower *f);

/* Wait for the next event of the target. The caller owns *@ret. */
struct error *follower_next_event(struct follower *f, struct json_object **ret);
/* Return whether the type of @event is one of @types, which ends with NULL. */
int follower_is_one_of(struct json_object *event, const char *const *types);
/* Return whether @event is the target's last one. */
int follower_is_last(struct json_object *event);

/* Print "4711 runs on" for a program that this command launched. */
struct error *follower_say_runs_on(struct follower *f);

#endif
