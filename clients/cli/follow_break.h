/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `ompdctl break`. */
#ifndef OMPDD_CLI_FOLLOW_BREAK_H
#define OMPDD_CLI_FOLLOW_BREAK_H

#include "follower.h"

/* The breakpoints of the command line in one target. */
struct breakpoints {
	int64_t numbers[ARGS_MAX_PLACES];
	size_t n;
	int64_t here; /* the breakpoint at which the program is stopped since its launch; 0: none */
};

/* Return the number of hits to print. */
long break_count(const struct follower *f);

/* Set the breakpoints of the command line in f->target, and print them. */
struct error *break_set(struct follower *f, struct breakpoints *ret);

/* Let f->target run if it is stopped, after a report if it is stopped at one of @points. */
struct error *break_start(struct follower *f, const struct breakpoints *points);

/* Return whether no hit follows @event: the target has ended, or its program was replaced (exec). */
int break_is_over(struct json_object *event);

/* Print an event of f->target that is a hit of @points, and let the target run on, or after which no hit follows. */
struct error *break_take(struct follower *f, const struct breakpoints *points, struct json_object *event);

/* Set the breakpoints of the command line and print their hits, until the requested number has come or no more can
 * come. */
struct error *follow_breakpoints(struct follower *f);

#endif
