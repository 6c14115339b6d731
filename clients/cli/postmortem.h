/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report on the OpenMP processes of a program before the program is ended. */
#ifndef OMPDD_CLI_POSTMORTEM_H
#define OMPDD_CLI_POSTMORTEM_H

#include <signal.h>

#include "args.h"
#include "text.h"

/* Only the names of further processes are reported. */
#define POSTMORTEM_MAX_PROCESSES 64

struct postmortem {
	const struct args *args;
	const struct style *style;
	/* Once it is not 0, no more requests are sent. The signals that set it are blocked; @mask unblocks them
	 * while we wait. */
	const volatile sig_atomic_t *interrupted;
	sigset_t mask;
	struct buf out;		     /* for a reader; not yet written */
	void (*write)(struct buf *); /* writes it, and empties it */
};

/*
 * Examine all OpenMP descendants of this process, one after the other, within args->timeout_s in total: why each
 * hangs, and its stacks. Returns the report as one object, which the caller owns. A part that could not be obtained
 * has an "error" instead.
 */
struct json_object *postmortem_make(struct postmortem *p);

#endif
