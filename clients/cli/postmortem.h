/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is to be known of the OpenMP processes of a program before it is ended. */
#ifndef OMPDD_CLI_POSTMORTEM_H
#define OMPDD_CLI_POSTMORTEM_H

#include <signal.h>

#include "args.h"
#include "text.h"

/* Further processes are only named. */
#define POSTMORTEM_MAX_PROCESSES 64

struct postmortem {
	const struct args *args;
	const struct style *style;
	/* Once it is not 0, no more is asked; signals that set it are blocked, and let in by @mask while we wait. */
	const volatile sig_atomic_t *interrupted;
	sigset_t mask;
	struct text out;	      /* for people; what is not yet written */
	void (*write)(struct text *); /* writes it, and empties it */
};

/*
 * Look at all OpenMP processes below this one, one after the other, within args->timeout_s in all: why each hangs, its
 * stacks. The report as one object, which the caller owns; what could not be had is in it as an "error".
 */
struct json_object *postmortem_make(struct postmortem *p);

#endif
